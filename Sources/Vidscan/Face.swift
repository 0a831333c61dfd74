internal import VidscanAnalysis
public import VidscanFaces
internal import VidscanResults

/// A face in a sampled frame.
///
/// Positions are in pixels of the upright frame with square pixels, from its top left corner. Left and right are the
/// subject's own. An impossible measurement is `nil`, never 0.
public struct Face: Sendable, Identifiable {
    /// From 1: `face_id` of the tables and `Track.id`, but provisional in a `VideoUpdate.sample`.
    public let id: Int
    /// From 1; `nil` in a `VideoUpdate.sample`. `Track.personConfidence` says how certain it is.
    public let personID: Int?
    /// The certainty, 0…1, that this sample and the best samples of its track show the same face, and not that of
    /// another person in the video; `nil` in most samples, and in a `VideoUpdate.sample`.
    public let personMatch: Double?
    /// The box before smoothing.
    public let detectedBox: Rectangle
    /// Whether the gaze is within 12 degrees of the camera. `nil` if it is unknown, as while an eye is shut, without the
    /// metrics `gazeYaw` and `gazePitch`, and in a `VideoUpdate.sample`.
    public let looksAtCamera: Bool?
    /// The `personID` of the face in whose direction the person looks, as far as one camera can tell; 0 for the camera
    /// and for nobody in the frame, `nil` if `looksAtCamera` is.
    public let looksAt: Int?
    /// Without the evidence, which tells people apart and which nobody outside needs.
    private var record: FaceRecord
    private let metrics: Set<Metric>

    init(_ row: FaceRow) {
        (id, personID, personMatch) = (row.faceID, row.personID, row.face.personMatch)
        (detectedBox, record, metrics) = (row.raw.box, row.face, row.metrics)
        (looksAtCamera, looksAt) = (row.looksAtCamera, row.looksAt)
        record.evidence = nil
    }

    init(_ record: FaceRecord, id: Int, settings: Settings) {
        (self.id, personID, personMatch, looksAtCamera, looksAt) = (id, nil, nil, nil, nil)
        (detectedBox, self.record, metrics) = (record.box, record, settings.measure.metrics)
        self.record.evidence = nil
        if !settings.write.landmarks { self.record.mesh = nil }
        if !settings.write.blendshapes { self.record.blendshapes = nil }
    }

    /// Inside the frame; smoothed over time, except in a `VideoUpdate.sample`.
    public var box: Rectangle { record.box }
    /// The detector's score, 0…1.
    public var confidence: Double { record.numbers[.confidence] ?? 0 }
    /// The mesh model's score for a face in the box, 0…1.
    public var presence: Double { record.numbers[.presence] ?? 0 }

    // MARK: Points, smoothed like the box

    /// Midway between the corners of the eye.
    public var leftEye: Point { point(.leftEye) }
    /// Midway between the corners of the eye.
    public var rightEye: Point { point(.rightEye) }
    /// The tip of the nose.
    public var nose: Point { point(.nose) }
    /// Midway between the corners of the mouth.
    public var mouth: Point { point(.mouth) }
    public var leftMouthCorner: Point { point(.leftMouthCorner) }
    public var rightMouthCorner: Point { point(.rightMouthCorner) }
    /// The lowest point of the chin.
    public var chin: Point? { record.numbers[.chin] }
    /// The distance between the outer corners of the eyes, in pixels.
    public var interocularDistance: Double? { record.numbers[.interocularDistance] }
    /// Not smoothed; `nil` unless `write.landmarks` is set.
    public var mesh: FaceMesh? { record.mesh }

    // MARK: Measurements

    /// In degrees from the line to the camera; > 0 when the subject turns to their left.
    public var yaw: Double? { record.numbers[.yaw] }
    /// In degrees from the line to the camera; > 0 when the subject looks up.
    public var pitch: Double? { record.numbers[.pitch] }
    /// In degrees; > 0 for a clockwise tilt in the frame.
    public var roll: Double? { record.numbers[.roll] }
    /// In degrees from the camera's axis, as `yaw`.
    public var axisYaw: Double? { record.numbers[.axisYaw] }
    /// In degrees from the camera's axis, as `pitch`.
    public var axisPitch: Double? { record.numbers[.axisPitch] }
    /// In degrees from the camera's axis, as `Metric.gazeYaw`.
    public var axisGazeYaw: Double? { metrics.contains(.gazeYaw) ? record.numbers[.axisGazeYaw] : nil }
    /// In degrees from the camera's axis, as `Metric.gazePitch`.
    public var axisGazePitch: Double? { metrics.contains(.gazePitch) ? record.numbers[.axisGazePitch] : nil }
    /// The mean luma of the middle of the face, from 0 (black) to 100 (white).
    public var brightness: Double? { record.numbers[.brightness] }
    /// The variance of the Laplacian of the face's luma at a fixed size, from 0: small if blurred.
    public var sharpness: Double? { record.numbers[.sharpness] }
    /// How likely something hides the mouth, 0…100.
    public var mouthCovered: Double? { record.numbers[.mouthCovered] }
    /// How likely something hides the eyes, 0…100.
    public var eyesCovered: Double? { record.numbers[.eyesCovered] }
    /// How likely the face speaks, 0…100; needs `Settings.speech` and sound.
    public var speaking: Double? { record.numbers[.speaking] }
    /// How much the mouth moves as in speech, 0…100, by the picture alone; needs `Settings.speech`.
    public var speechMovement: Double? { record.numbers[.speechMovement] }
    /// The sides of the face that expressions are measured from; `nil` if none are.
    public var measuredFrom: MeasuredSide? { record.measuredSide }
    /// The measured emoji with the highest score, if it is likely.
    public var dominantEmoji: Character? { record.emoji?.emoji }
    /// The 52 ARKit-style scores, 0…1, named by `VideoAnalyzer.blendshapeNames()`; `nil` without `write.blendshapes`.
    public var blendshapes: [Float]? { record.blendshapes }

    /// `face[.smile]`, in the range of `Metric.values`; a yes is 1. Emotions and emojis are relative to the face at
    /// rest (`measure.baseline`), except in a `VideoUpdate.sample`.
    public subscript(metric: Metric) -> Double? { metrics.contains(metric) ? record.numbers[.metric(metric)] : nil }

    /// The detector finds these points where no mesh fits, so every face has them.
    private func point(_ point: FacePoint) -> Point {
        guard let position = record.numbers[point] else { preconditionFailure("a face has no \(point)") }
        return position
    }
}

/// A sampled frame and its faces.
public struct VideoFrame: Sendable {
    /// The presentation time on the video's clock, as a player shows it.
    public let microseconds: Int64
    /// The index in presentation order among all frames of the stream, from 0.
    public let index: Int64
    /// Upright, with square pixels.
    public let size: PictureSize
    /// The mean luma, from 0 (black) to 100 (white).
    public let luma: Double
    /// The variance of the Laplacian of the luma, at the size of the face search: small if blurred or plain.
    public let sharpness: Double
    /// Whether the frame, or one that it may depend on, comes from damaged data.
    public let isDamaged: Bool
    /// How likely somebody speaks, 0…100; needs `Settings.speech` and sound, and is `nil` in a `VideoUpdate.sample`.
    public let voice: Double?
    /// The shot's number, from 1; `nil` in a `VideoUpdate.sample`, when the cuts are still unknown.
    public let shot: Int?
    /// By ascending `id`.
    public let faces: [Face]

    public var seconds: Double { Double(microseconds) / 1e6 }

    init(_ frame: FrameRecord, shot: Int?, faces: [Face]) {
        (microseconds, index, size) = (frame.microseconds, frame.index, frame.size)
        (luma, sharpness, isDamaged) = (frame.quality.luma, frame.quality.sharpness, frame.isDamaged)
        (voice, self.shot, self.faces) = (frame.voice, shot, faces)
    }
}
