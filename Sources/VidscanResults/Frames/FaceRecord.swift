package import VidscanBase
package import VidscanFaces

package struct FaceRecord: Sendable {
    package var numbers = FaceNumbers()
    /// The dominant emoji.
    package var emoji: Metric?
    package var blendshapes: [Float]?
    package var mesh: FaceMesh?
    /// What tells people apart. No result stores it.
    package var evidence: Evidence?
    /// From 1; 0 for none and before tracking.
    package var track = 0
    /// How well this sample's face matches its person, 0…1; `nil` if it was not compared.
    package var personMatch: Double?
    /// `speaking` in halves of a percent, 25 times per second, from this sample until the next.
    package var speech: [UInt8] = []
    /// Of `EyeClosureFilter`, 0…100; only within the output pass.
    var eyeOpenness: Double?

    /// Ten seconds of `speech`.
    package static let maximumTicks = 250

    /// What a face looks like, which only tracking needs.
    package struct Evidence: Sendable {
        package var appearance: AppearanceDescriptor?
        package var shape: [Float]?
        /// Only in a few samples of a face; also `nil` if the reader skips crops.
        package var crop: FaceCrop?
        /// The offset in the file; `nil` without a crop, or if the face was not read from a file.
        package internal(set) var cropOffset: Int?
    }

    package var box: Rectangle { numbers.box }

    package var trackedDetection: TrackedDetection {
        TrackedDetection(
            box: box, confidence: numbers[.confidence] ?? 0, appearance: evidence?.appearance, shape: evidence?.shape)
    }
}

extension FaceRecord {
    /// `size`: that of the frame.
    package init(_ face: AnalyzedFace, in size: PictureSize, metrics wanted: Set<Metric>) {
        evidence = Evidence(appearance: face.appearance, shape: face.shape, crop: face.crop)
        emoji = face.expressions?.dominantEmoji(among: wanted)
        blendshapes = face.expressions.flatMap { $0.blendshapes.isEmpty ? nil : $0.blendshapes }
        mesh = face.mesh
        numbers[.confidence] = face.detection.confidence
        numbers.box = face.detection.box
        numbers[.presence] = face.presence
        if let mesh {
            for point in FacePoint.allCases { numbers[point] = point.position(in: mesh) }
            numbers[.interocularDistance] = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        } else {
            for (point, position) in zip(FacePoint.detected, face.detection.landmarks.points) {
                numbers[point] = position
            }
        }
        (numbers[.yaw], numbers[.pitch], numbers[.roll]) = (face.pose?.yaw, face.pose?.pitch, face.pose?.roll)
        (numbers[.brightness], numbers[.sharpness]) = (face.quality?.brightness, face.quality?.sharpness)
        let pixels = face.expressions?.evidence
        (numbers[.mouthCovered], numbers[.eyesCovered]) = (pixels?.mouthCovered, pixels?.eyesCovered)
        for metric in Metric.allCases { numbers[.metric(metric)] = face.expressions?[metric] }
        if let mesh, let pose = face.pose {
            let camera = CameraSpaceFace(mesh: mesh, pose: pose, in: size)
            (numbers[.axisYaw], numbers[.axisPitch]) = (camera.axisPose.yaw, camera.axisPose.pitch)
            if let yaw = face.expressions?[.gazeYaw], let pitch = face.expressions?[.gazePitch] {
                let gaze = camera.axisGaze(yaw: yaw, pitch: pitch, roll: pose.roll)
                (numbers[.axisGazeYaw], numbers[.axisGazePitch]) = (gaze.yaw, gaze.pitch)
            }
        }
        // Values must not depend on whether they have been stored.
        numbers.roundToSinglePrecision()
    }

    /// The side from which expressions are measured; `nil` if none are.
    package var measuredSide: MeasuredSide? {
        isMeasured(Metric.expressive) ? numbers[.yaw].flatMap(MeasuredSide.init(yaw:)) : nil
    }

    private func isMeasured(_ metrics: [Metric]) -> Bool { metrics.contains { numbers[.metric($0)] != nil } }

    /// Says why none of some expressive metrics has a value; `nil` if one has.
    package func blankReason(of metrics: [Metric]) -> BlankReason? {
        guard !isMeasured(metrics) else { return nil }
        var pose: HeadPose?
        if let yaw = numbers[.yaw], let pitch = numbers[.pitch] { pose = HeadPose(yaw: yaw, pitch: pitch, roll: 0) }
        return BlankReason(
            of: metrics, pose: pose, presence: numbers[.presence] ?? 0, mouthCovered: numbers[.mouthCovered],
            eyesCovered: numbers[.eyesCovered])
    }

    /// Whether one eye is shut and the other is not. If both seem shut, they may look down.
    var hasOneShutEye: Bool { numbers[.metric(.leftEyeClosed)] != numbers[.metric(.rightEyeClosed)] }

    /// For shut eyes: a lid that falls takes the mesh's iris with it.
    mutating func removeGaze() {
        for field in [FaceField.metric(.gazeYaw), .metric(.gazePitch), .axisGazeYaw, .axisGazePitch] {
            numbers[field] = nil
        }
    }

    /// Whether the face is clear enough to show its resting level: turned to the camera, neither small nor blurred.
    var isClear: Bool {
        guard let yaw = numbers[.yaw], let pitch = numbers[.pitch], let sharpness = numbers[.sharpness],
            let width = numbers[.interocularDistance]
        else { return false }
        return abs(yaw) <= 25 && abs(pitch) <= 20 && width >= 40 && sharpness >= 10
    }
}

package struct FrameRecord: Sendable {
    /// From 0; not stored.
    package var sequence = 0
    package var microseconds, index: Int64
    /// How often the file's timestamps jumped before this frame.
    package var epoch: Int
    package var size: PictureSize
    package var quality: FrameQuality
    package var isDamaged: Bool
    /// How likely somebody speaks, 0…100; `nil` if nobody listened, or without sound.
    package var voice: Double?
    /// Only in the frames of a run and of a segment.
    package var signature: FrameSignature?
    /// In descending order of confidence.
    package var faces: [FaceRecord]
    /// In the last frame of those a worker analysed at once, their size in bytes; not stored.
    package var credit: Int?

    package init(
        sequence: Int = 0, microseconds: Int64, index: Int64, epoch: Int, size: PictureSize, quality: FrameQuality,
        isDamaged: Bool, signature: FrameSignature? = nil, faces: [FaceRecord], credit: Int? = nil
    ) {
        (self.sequence, self.microseconds, self.index, self.epoch) = (sequence, microseconds, index, epoch)
        (self.size, self.quality, self.isDamaged, self.signature) = (size, quality, isDamaged, signature)
        (self.faces, self.credit) = (faces, credit)
    }

    package var seconds: Double { Double(microseconds) / 1e6 }
}
