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
    /// `speaking` in halves of a percent, 25 times per second, from this sample until the next; 255 without sound.
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
            box: box, confidence: MeshPresence.confirmed(numbers[.confidence] ?? 0, presence: numbers[.presence]),
            appearance: evidence?.appearance, shape: evidence?.shape)
    }
}

extension FaceRecord {
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
        numbers.values = numbers.values.map { Double(Float($0)) }
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

package struct FaceNumbers: Sendable {
    /// In the order of `FaceField.all`; NaN if missing.
    var values = [Double](repeating: .nan, count: FaceField.all.count)

    package subscript(field: FaceField) -> Double? {
        get {
            switch field {
            case .x(let point): return self[point]?.x
            case .y(let point): return self[point]?.y
            default:
                let value = values[field.position]
                return value.isNaN ? nil : value
            }
        }
        set { values[field.position] = newValue ?? .nan }
    }

    /// A point without a position is missing, except for the mouth, which lies between its corners.
    package subscript(point: FacePoint) -> Point? {
        get {
            let (x, y) = (values[FaceField.x(point).position], values[FaceField.y(point).position])
            guard x.isNaN || y.isNaN else { return Point(x: x, y: y) }
            guard point == .mouth, let left = self[.leftMouthCorner], let right = self[.rightMouthCorner] else {
                return nil
            }
            return Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2)
        }
        set { (self[.x(point)], self[.y(point)]) = (newValue?.x, newValue?.y) }
    }

    package var box: Rectangle {
        get {
            Rectangle(
                x: values[FaceField.left.position], y: values[FaceField.top.position],
                width: values[FaceField.width.position], height: values[FaceField.height.position])
        }
        set {
            (self[.left], self[.top]) = (newValue.x, newValue.y)
            (self[.width], self[.height]) = (newValue.width, newValue.height)
        }
    }

    /// √(yaw² + pitch²).
    var turnDegrees: Double? {
        guard let yaw = self[.yaw], let pitch = self[.pitch] else { return nil }
        return (yaw * yaw + pitch * pitch).squareRoot()
    }

    /// Transforms the box, the points and the pose into the coordinates of another image.
    package mutating func move(by map: AffineTransform) {
        let old = self
        box = old.box.bounds(after: map)
        let isMirrored = map.xx * map.yy - map.xy * map.yx < 0
        for point in FacePoint.allCases {
            // Mirroring swaps left and right.
            self[isMirrored ? point.mirrored : point] = old[point].map(map.apply)
        }
        if isMirrored { self[.yaw] = old[.yaw].map { -$0 } }
        let turn = Trigonometry.degrees(y: map.yx, x: map.xx)
        self[.roll] = old[.roll].map { (isMirrored ? 180 + turn - $0 : turn + $0).remainder(dividingBy: 360) }
    }

    /// Replaces the smoothed numbers by weighted sums over several samples. A number missing in one of them is missing.
    mutating func smoothen(_ samples: some Sequence<(weight: Double, numbers: FaceNumbers)>) {
        for position in Self.smoothed {
            values[position] = samples.reduce(0) { $0 + $1.weight * $1.numbers.values[position] }
        }
    }

    private static let smoothed = FaceField.smoothed.map(\.position)

    /// How well the face can be seen: weighs its appearance descriptor and picks the best frame for a thumbnail. From 0
    /// up: about 1 for a sharp, frontal, whole face of a quarter of the frame's shorter side.
    package func prominence(in size: PictureSize) -> Double {
        let extent = min(box.area.squareRoot() / Double(max(size.shortSide, 1)) / 0.25, 1.5)
        let turn = turnDegrees.map { max(0.1, 1 - $0 / 50) } ?? 0.15
        let sharpness = self[.sharpness].map { $0 / ($0 + 60) } ?? 0.3
        let isCut =
            box.x <= 1 || box.y <= 1 || box.x + box.width >= Double(size.width) - 1
            || box.y + box.height >= Double(size.height) - 1
        return (self[.confidence] ?? 0) * extent * turn * (0.3 + sharpness) * (isCut ? 0.3 : 1)
    }
}
