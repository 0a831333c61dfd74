package import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
package import VidscanResults

/// The preconditions for hiding faces: every frame was analysed by itself, and no face was left out.
package enum AnonymizePreconditions {
    /// Throws if the result, as the analysis wrote it, lacks positions of faces in its video.
    package static func check(_ result: StoredResult, for options: AnonymizeOptions) throws(VidscanError) {
        let found = result.record.pipeline
        let command =
            "run 'vidscan analyze \(FilePath.shellWord(result.record.input.path)) --anonymize \(options.method.rawValue)"
            + " --tables --force'"
        try require(
            found.sample.start == nil && found.sample.end == nil, .result,
            "was made from only a part of the video: faces in the rest of it would not be hidden")
        try require(
            found.track.maxFaces == nil && found.detect.minFace == 0, .result,
            "was made with --max-faces or --min-face: the faces left out would not be hidden")
        let shortcomings = shortcomings(found).joined(separator: ", ")
        try require(
            shortcomings.isEmpty, .result,
            "was not analysed for hiding faces (\(shortcomings)), and some would stay visible; \(command)")
        if let filters = result.record.filters, let objection = AnonymizationFilters.objection(to: filters.chain) {
            throw .result("was made with filters that prevent hiding faces: \(objection)")
        }
        try require(
            try result.mapToSource() == nil, .result,
            "was made with filters that move or crop the picture: faces outside would not be hidden")
        // People must be recognised by their faces, because many have similar hair and clothes.
        try require(
            options.visible.people == .nobody || found.track.person == true, .result,
            "was analysed without recognising people by their faces (track.person), so that --keep and --hide could"
                + " show somebody else; \(command) without --no-person")
    }

    /// Settings less thorough than hiding faces requires.
    private static func shortcomings(_ settings: RecordedSettings) -> [String] {
        typealias Requirements = AnonymizeRequirements
        let (detect, track) = (settings.detect, settings.track)
        let (confidence, stride) = (NumberText.plain(detect.minConfidence), detect.stride.map { "\($0)" } ?? "null")
        let found: [(Bool, String)] = [
            (settings.sample.rate < Requirements.rate, "sample.rate: \(settings.sample.rate)"),
            (detect.accuracy < Requirements.accuracy, "detect.accuracy: \(detect.accuracy.rawValue)"),
            (detect.faces < Requirements.faces, "detect.faces: \(detect.faces.rawValue)"),
            (detect.minConfidence > Requirements.confidence, "detect.min_confidence: \(confidence)"),
            (detect.stride != Requirements.stride, "detect.stride: \(stride)"),
            (track.minTrack > Requirements.trackSamples, "track.min_track: \(track.minTrack)"),
            (track.smoothing, "track.smoothing: true"),
        ]
        return found.filter(\.0).map(\.1)
    }
}
