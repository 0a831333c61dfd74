internal import VidscanCore
internal import VidscanFaces

/// What one sampled frame came to.
struct FrameResult: Sendable {
    var sequence: Int
    var index: Int64
    var microseconds: Int64
    /// How many times the file's timestamps have jumped before it.
    var epoch: Int
    var displaySize: PictureSize
    var signature: FrameSignature
    /// Surest first.
    var faces: [AnalyzedFace]
    /// Bytes of the frame, whose credit goes back when this result has been emitted.
    var byteCount: Int
}

/// One face of one frame, measured from that frame alone.
struct AnalyzedFace: Sendable {
    var observation: FaceObservation
    /// 0…1: how surely the mesh model sees a face.
    var presence: Double
    /// `nil` when no mesh fits; all below are `nil` then too.
    var mesh: FaceMesh?
    var pose: HeadPose?
    var quality: PictureQuality?
    /// `nil` too when the face is too small or too far turned to tell, or nothing of it is wanted.
    var expressions: FaceExpressions?
    /// What it and its surroundings look like.
    var appearance: FaceAppearance?
    /// Its shape, where it is turned little enough and large enough to tell.
    var shape: [Float]?
}

/// Seconds spent in the parts of a worker's work.
struct StageTimes: Sendable, Codable {
    var resample = 0.0
    var detect = 0.0
    var crop = 0.0
    var mesh = 0.0
    var measure = 0.0
    var look = 0.0

    mutating func measure<Result, Failure: Error>(
        _ part: WritableKeyPath<StageTimes, Double>, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = ContinuousClock()
        let begin = clock.now
        defer { self[keyPath: part] += begin.duration(to: clock.now) / .seconds(1) }
        return try work()
    }

    mutating func add(_ other: StageTimes) {
        resample += other.resample
        detect += other.detect
        crop += other.crop
        mesh += other.mesh
        measure += other.measure
        look += other.look
    }
}
