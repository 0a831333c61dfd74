package import VidscanBase
package import VidscanFaces

/// One face of one frame, as the intermediate file stores it until the whole video has been analysed.
package struct FaceRecord: Sendable {
    package var numbers = FaceNumbers()
    /// The points that the detector found, for tracking.
    package var landmarks: FaceLandmarks
    /// The dominant emoji.
    package var emoji: Metric?
    package var appearance: AppearanceDescriptor?
    package var shape: [Float]?
    /// Only in a few samples of a face; `nil` too if the reader skips chips.
    package var chip: FaceChip?
    /// Where the intermediate file has the chip; `nil` if there is none, or if the face was not read from a file.
    package internal(set) var chipOffset: Int?
    package var blendshapes: [Float]?
    package var mesh: FaceMesh?

    package var box: Rectangle { numbers.box }

    package var trackedDetection: TrackedDetection {
        TrackedDetection(
            box: box, confidence: numbers[.confidence] ?? 0, landmarks: landmarks, appearance: appearance,
            shape: shape)
    }
}

extension FaceRecord {
    package init(_ face: AnalyzedFace, metrics wanted: Set<Metric>) {
        landmarks = face.detection.landmarks
        let character = face.expressions?.dominantEmoji(among: wanted)
        emoji = character.flatMap { character in Metric.allCases.first { $0.emoji == character } }
        appearance = face.appearance
        shape = face.shape
        chip = face.chip
        blendshapes = face.expressions.flatMap { $0.blendshapes.isEmpty ? nil : $0.blendshapes }
        mesh = face.mesh
        numbers[.confidence] = face.detection.confidence
        numbers.box = face.detection.box
        numbers[.presence] = face.presence
        if let mesh {
            for point in FacePoint.allCases { numbers[point] = point.position(in: mesh) }
            numbers[.interocularDistance] = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        } else {
            for (point, position) in zip(FacePoint.detected, landmarks.points) { numbers[point] = position }
        }
        numbers[.yaw] = face.pose?.yaw
        numbers[.pitch] = face.pose?.pitch
        numbers[.roll] = face.pose?.roll
        numbers[.brightness] = face.quality?.brightness
        numbers[.sharpness] = face.quality?.sharpness
        for metric in Metric.allCases { numbers[.metric(metric)] = face.expressions?[metric] }
        // Values must not depend on whether they have been stored.
        numbers.roundToSinglePrecision()
    }
}

/// One frame in the intermediate file.
package struct FrameRecord: Sendable {
    package var microseconds: Int64
    package var index: Int64
    /// The number of times that the file's timestamps have jumped before this frame.
    package var epoch: Int
    package var size: PictureSize
    package var quality: FrameQuality
    /// Whether the frame comes from damaged data.
    package var isDamaged: Bool
    package var faces: [FaceRecord]

    package init(
        microseconds: Int64, index: Int64, epoch: Int, size: PictureSize, quality: FrameQuality, isDamaged: Bool,
        faces: [FaceRecord]
    ) {
        self.microseconds = microseconds
        self.index = index
        self.epoch = epoch
        self.size = size
        self.quality = quality
        self.isDamaged = isDamaged
        self.faces = faces
    }

    package var seconds: Double { Double(microseconds) / 1e6 }
}
