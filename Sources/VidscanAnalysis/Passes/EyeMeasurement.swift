internal import VidscanFaces
internal import VidscanResults

/// How open the eyes of a face are, for events.
struct EyeMeasurement {
    /// 0…100: the mean of the eyes that are measured; `nil` if none is.
    let openness: Double?
    /// Whether only one eye is measured, because the head is turned.
    let hasOneEye: Bool

    init(_ numbers: FaceNumbers) {
        let eyes = [Metric.leftEyeOpenness, .rightEyeOpenness].compactMap { numbers[.metric($0)] }
        openness = eyes.isEmpty ? nil : eyes.reduce(0, +) / Double(eyes.count)
        hasOneEye = eyes.count == 1
    }
}
