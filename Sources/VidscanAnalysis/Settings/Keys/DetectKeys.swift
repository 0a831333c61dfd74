enum DetectKeys {
    static let all = [
        PipelineKey(
            .detect, "accuracy", ["--accuracy"], \.analysis.accuracy,
            "Detector resolution: low 320, medium 448, high 640 pixels on the long side."),
        PipelineKey(
            .detect, "faces", ["--faces"], \.analysis.faceSize,
            "Faces to look for: large, or small and distant ones too (twice the resolution)."),
        PipelineKey(
            .detect, "min_face", ["--min-face"], \.analysis.minimumFace, 0...1,
            "Leave out faces whose longer side is less than this share of the picture's shorter side, 0 to 1."),
        PipelineKey(
            .detect, "min_confidence", ["--min-confidence"], \.analysis.minimumConfidence, 0...1,
            "Least detector score of a face that is new, 0 to 1."),
        PipelineKey(
            .detect, "precision", ["--precision"], \.analysis.precision,
            "exact: the same results everywhere; fast: bfloat16 where the processor has it."),
        PipelineKey(
            .detect, "workers", ["--workers"], \.analysis.workers, 1...256,
            "Frames analysed at a time. Results do not depend on it.", absence: "one per core", belongsToRun: true),
    ]
}
