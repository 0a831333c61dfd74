internal import VidscanAnalysis
public import VidscanBase
public import VidscanFaces
internal import VidscanResults

/// A face in a sampled frame.
///
/// Positions are in pixels of the upright frame with square pixels; the origin is its top left corner. Left and right are
/// the subject's own. A measurement that was not possible is `nil`, never 0.
public struct Face: Sendable, Identifiable {
    /// Identifies the face from frame to frame, from 1. In a `VideoUpdate.sample` it is provisional; elsewhere it is the
    /// `face_id` of the tables, and `Track.id`.
    public let id: Int
    /// Identifies the person, from 1; `nil` in a `VideoUpdate.sample`. `Track.personConfidence` says how certain it is.
    public let personID: Int?
    /// How certain it is, 0…1, that this sample shows the same face as the best samples of its track, and nobody else's of
    /// the video; `nil` in most samples, and in a `VideoUpdate.sample`.
    public let personMatch: Double?
    /// The box before smoothing.
    public let detectedBox: Rectangle
    private let record: FaceRecord
    private let metrics: Set<Metric>

    init(_ row: FaceRow) {
        id = row.faceID
        personID = row.personID
        personMatch = row.personMatch
        detectedBox = row.raw.box
        record = row.face.withoutIdentity
        metrics = row.metrics
    }

    /// Makes a face that was found in one frame alone.
    init(_ record: FaceRecord, id: Int, settings: Settings) {
        self.id = id
        personID = nil
        personMatch = nil
        detectedBox = record.box
        var record = record.withoutIdentity
        if !settings.write.landmarks { record.mesh = nil }
        if !settings.write.blendshapes { record.blendshapes = nil }
        self.record = record
        metrics = settings.measure.metrics
    }

    /// The box of the face inside the frame; smoothed over time, except in a `VideoUpdate.sample`.
    public var box: Rectangle { record.box }
    /// The detector's score, 0…1.
    public var confidence: Double { record.numbers[.confidence] ?? 0 }
    /// The mesh model's score for a face in the box, 0…1.
    public var presence: Double { record.numbers[.presence] ?? 0 }

    // MARK: Points, smoothed like the box

    /// The middle between the corners of the left eye.
    public var leftEye: Point { point(.leftEye) }
    /// The middle between the corners of the right eye.
    public var rightEye: Point { point(.rightEye) }
    /// The tip of the nose.
    public var nose: Point { point(.nose) }
    /// The middle between the corners of the mouth.
    public var mouth: Point { point(.mouth) }
    /// The corner of the mouth on the subject's left.
    public var leftMouthCorner: Point { point(.leftMouthCorner) }
    /// The corner of the mouth on the subject's right.
    public var rightMouthCorner: Point { point(.rightMouthCorner) }
    /// The lowest point of the chin.
    public var chin: Point? { record.numbers[.chin] }
    /// The distance between the outer corners of the eyes in pixels.
    public var interocularDistance: Double? { record.numbers[.interocularDistance] }
    /// The mesh, if `write.landmarks` is set. It is not smoothed.
    public var mesh: FaceMesh? { record.mesh }

    // MARK: Measurements

    /// How far the head is turned sideways in degrees; > 0 when the subject turns to their left.
    public var yaw: Double? { record.numbers[.yaw] }
    /// How far the head is turned up (> 0) or down in degrees.
    public var pitch: Double? { record.numbers[.pitch] }
    /// How far the head is tilted sideways in degrees; > 0 clockwise in the frame.
    public var roll: Double? { record.numbers[.roll] }
    /// The mean luma of the middle of the face: 0 is black, 100 is white.
    public var brightness: Double? { record.numbers[.brightness] }
    /// The variance of the Laplacian of the face's luma at a fixed size, from 0 up: small if the face is blurred.
    public var sharpness: Double? { record.numbers[.sharpness] }
    /// The measured emoji with the highest score, if that makes it likely.
    public var dominantEmoji: Character? { record.emoji?.emoji }
    /// The 52 ARKit-style scores, 0…1, if `write.blendshapes` is set; in the order of `VideoAnalyzer.blendshapeNames()`.
    public var blendshapes: [Float]? { record.blendshapes }

    /// The value of a metric, for example `face[.smile]`; `Metric.values` is its range, and a yes is 1. Emotions and emojis
    /// are relative to the face at rest, as `measure.baseline` says, except in a `VideoUpdate.sample`.
    public subscript(metric: Metric) -> Double? { metrics.contains(metric) ? record.numbers[.metric(metric)] : nil }

    /// Every face has these points: the detector finds them where no mesh fits.
    private func point(_ point: FacePoint) -> Point {
        guard let position = record.numbers[point] else { preconditionFailure("a face has no \(point)") }
        return position
    }
}

extension FaceRecord {
    /// A copy without the descriptors that tell people apart, which nobody outside needs.
    fileprivate var withoutIdentity: FaceRecord {
        var copy = self
        copy.appearance = nil
        copy.shape = nil
        return copy
    }
}
