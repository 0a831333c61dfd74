public import VidscanFaces

extension Settings {
    /// How faces are detected.
    public struct Detect: Sendable, Equatable {
        public var accuracy = DetectorAccuracy.medium
        public var faces = FaceSize.large
        /// The minimum size of a face: its longer side as a fraction of the frame's shorter side, 0…1.
        public var minimumFace = 0.0
        /// The minimum confidence of a face that starts a track, 0…1.
        public var minimumConfidence = 0.5
        /// The maximum number of samples from one search for faces to the next: 1 searches all; `nil` lets time decide.
        public var stride: Int?
        /// The number of frames analysed in parallel; results do not depend on it.
        public var workers: Int
        /// Whether to keep detections that may not be faces: better hide a wall than show a face. Set by `detectThoroughly`.
        package var keepsUncertainFaces = false

        public init(workers: Int) { self.workers = workers }
    }

    static let detectSection = SettingsSection(
        "detect", "How faces are detected.", group: .faces,
        [
            Setting("accuracy", \.detect.accuracy, value: "accuracy").help(
                "Long side of the detector's input: low is 320 pixels, medium 448, high 640."),
            Setting("faces", \.detect.faces, value: "faces").help(
                "Faces to look for: large, or small and distant ones too, at twice the resolution."),
            Setting("min_face", \.detect.minimumFace, .number(0...1), value: "fraction").help(
                "Ignore faces whose longer side is less than this fraction of the frame's shorter side, 0 to 1."),
            Setting("min_confidence", \.detect.minimumConfidence, .number(0...1), value: "score").help(
                "Minimum detector score of a new face, 0 to 1. A face that the mesh confirms counts as 0.7 or more."),
            Setting("stride", \.detect.stride, .integer(1...1000), value: "samples", null: "about 0.3 to 0.6 s").help(
                "Search at least every nth sample for faces and follow them in between; 1 searches every sample."),
            Setting(
                "workers", \.detect.workers, .integer(1...256), value: "count", null: "one per core", isRecorded: false
            ).help("Frames analysed in parallel. Results do not depend on it."),
        ])
}

extension DetectorAccuracy: SettingChoice {}
extension FaceSize: SettingChoice {}
