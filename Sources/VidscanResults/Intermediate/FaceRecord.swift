package import VidscanBase
package import VidscanFaces

/// The points in a face's row: from the mesh, or from the detector if there is no mesh.
package struct FacePoints: Sendable, Equatable {
    package var leftEye: Point
    package var rightEye: Point
    package var nose: Point
    package var leftMouthCorner: Point
    package var rightMouthCorner: Point
    /// Only from the mesh, like the interocular distance.
    package var chin: Point?
    package var interocularDistance: Double?

    package init(_ face: AnalyzedFace) {
        let marks = face.observation.landmarks
        guard let mesh = face.mesh else {
            leftEye = marks.leftEye
            rightEye = marks.rightEye
            nose = marks.nose
            leftMouthCorner = marks.leftMouthCorner
            rightMouthCorner = marks.rightMouthCorner
            return
        }
        leftEye = mesh.middle(MeshPoint.leftEyeInner, MeshPoint.leftEyeOuter)
        rightEye = mesh.middle(MeshPoint.rightEyeInner, MeshPoint.rightEyeOuter)
        nose = mesh[MeshPoint.noseTip]
        leftMouthCorner = mesh[MeshPoint.leftMouthCorner]
        rightMouthCorner = mesh[MeshPoint.rightMouthCorner]
        chin = mesh[MeshPoint.chin]
        interocularDistance = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
    }

    package var mouth: Point {
        Point(x: (leftMouthCorner.x + rightMouthCorner.x) / 2, y: (leftMouthCorner.y + rightMouthCorner.y) / 2)
    }

    package static let count = 13
    /// The number of values that are always present; those after them come only from the mesh.
    static let requiredCount = 10

    /// The points as numbers; NaN if a value is missing.
    package var numbers: [Double] {
        get {
            [
                leftEye.x, leftEye.y, rightEye.x, rightEye.y, nose.x, nose.y, leftMouthCorner.x, leftMouthCorner.y,
                rightMouthCorner.x, rightMouthCorner.y, chin?.x ?? .nan, chin?.y ?? .nan, interocularDistance ?? .nan,
            ]
        }
        set {
            leftEye = Point(x: newValue[0], y: newValue[1])
            rightEye = Point(x: newValue[2], y: newValue[3])
            nose = Point(x: newValue[4], y: newValue[5])
            leftMouthCorner = Point(x: newValue[6], y: newValue[7])
            rightMouthCorner = Point(x: newValue[8], y: newValue[9])
            chin = newValue[10].isNaN || newValue[11].isNaN ? nil : Point(x: newValue[10], y: newValue[11])
            interocularDistance = newValue[12].isNaN ? nil : newValue[12]
        }
    }

    package init(numbers: [Double]) {
        leftEye = Point(x: 0, y: 0)
        rightEye = leftEye
        nose = leftEye
        leftMouthCorner = leftEye
        rightMouthCorner = leftEye
        self.numbers = numbers
    }
}

/// One face of one frame, as the intermediate file stores it until the whole video has been analysed.
package struct FaceRecord: Sendable {
    package var box: Rectangle
    package var confidence: Double
    package var landmarks: FaceLandmarks
    package var presence: Double
    package var points: FacePoints
    package var yaw: Double?
    package var pitch: Double?
    package var roll: Double?
    package var brightness: Double?
    package var sharpness: Double?
    /// In the order of `Metric.allCases`; NaN if a metric was not measured.
    package var metrics: [Float]
    package var emoji: Metric?
    package var appearance: AppearanceDescriptor?
    package var shape: [Float]?
    package var blendshapes: [Float]?
    package var mesh: FaceMesh?

    package init(_ face: AnalyzedFace, metrics wanted: Set<Metric>) {
        // Round to the precision of the intermediate file, so that values do not depend on whether they have been
        // stored.
        box = face.observation.box.inSinglePrecision
        confidence = face.observation.confidence
        landmarks = face.observation.landmarks
        presence = face.presence
        points = FacePoints(face)
        yaw = face.pose?.yaw
        pitch = face.pose?.pitch
        roll = face.pose?.roll
        brightness = face.quality?.brightness
        sharpness = face.quality?.sharpness
        metrics = Metric.allCases.map { metric in
            face.expressions?[metric].map(Float.init) ?? .nan
        }
        let character = face.expressions?.dominantEmoji(among: wanted)
        emoji = character.flatMap { character in Metric.allCases.first { $0.emoji == character } }
        appearance = face.appearance
        shape = face.shape
        blendshapes = face.expressions?.blendshapes
        mesh = face.mesh
    }

    /// The value of a metric, if it was measured.
    package subscript(metric: Metric) -> Double? {
        guard let index = Self.places[metric], !metrics[index].isNaN else { return nil }
        return Double(metrics[index])
    }

    private static let places = Dictionary(uniqueKeysWithValues: zip(Metric.allCases, 0...))

    package var trackedDetection: TrackedDetection {
        TrackedDetection(
            box: box, confidence: confidence, landmarks: landmarks, appearance: appearance, shape: shape)
    }

    /// The angle between the head's direction and the camera's axis, in degrees.
    package var turnDegrees: Double? {
        guard let yaw, let pitch else { return nil }
        return (yaw * yaw + pitch * pitch).squareRoot()
    }
}

/// One frame in the intermediate file.
package struct FrameRecord: Sendable {
    package var microseconds: Int64
    package var index: Int64
    /// The number of times that the file's timestamps have jumped before this frame.
    package var epoch: Int
    package var size: PictureSize
    package var faces: [FaceRecord]

    package init(microseconds: Int64, index: Int64, epoch: Int, size: PictureSize, faces: [FaceRecord]) {
        self.microseconds = microseconds
        self.index = index
        self.epoch = epoch
        self.size = size
        self.faces = faces
    }

    package var seconds: Double { Double(microseconds) / 1e6 }
}

extension Rectangle {
    fileprivate var inSinglePrecision: Rectangle {
        Rectangle(x: Double(Float(x)), y: Double(Float(y)), width: Double(Float(width)), height: Double(Float(height)))
    }
}
