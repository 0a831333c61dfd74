internal import VidscanFaces
internal import VidscanResults

/// How open the eyes of a face are, for events.
struct EyeMeasurement {
    /// 0…100: the mean of both eyes, or that of the near eye if the head is turned; `nil` if it is not measured.
    let openness: Double?
    let hasOneEye: Bool

    init(_ numbers: FaceNumbers) {
        let eyes = [Metric.leftEyeOpenness, .rightEyeOpenness].compactMap { numbers[.metric($0)] }
        if let yaw = numbers[.yaw], abs(yaw) > NearEye.minimumYaw {
            openness = numbers[.metric(NearEye(yaw: yaw).openness)]
            hasOneEye = true
        } else {
            openness = eyes.isEmpty ? nil : eyes.reduce(0, +) / Double(eyes.count)
            hasOneEye = eyes.count == 1
        }
    }
}
