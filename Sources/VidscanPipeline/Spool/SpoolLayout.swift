internal import VidscanCore
internal import VidscanFaces

/// How a face lies in the spool: always as many bytes, 32-bit floats first, then the appearance.
struct SpoolLayout: Sendable {
    private static let fixedCount = 1 + 4 + 10 + 1 + FacePoints.count + 5 + 1
    private let metricCount = Metric.allCases.count
    private let shapeCount = FaceShape.betweenVariances.count
    private let blendshapeCount: Int
    private let meshCount: Int

    /// - Parameter blendshapeNames: empty when they are not wanted.
    init(_ options: AnalysisOptions, blendshapeNames: [String]) {
        blendshapeCount = blendshapeNames.count
        meshCount = options.writesLandmarks ? 3 * FaceMesh.pointCount : 0
    }

    static let frameBytes = 8 + 8 + 4 + 4 + 4 + 4

    private var floatCount: Int { Self.fixedCount + metricCount + shapeCount + blendshapeCount + meshCount }
    var faceBytes: Int { 4 * floatCount + FaceAppearance.byteCount + 1 }

    func write(_ face: FaceRecord, to writer: inout ByteWriter) {
        var floats: [Float] = []
        floats.reserveCapacity(floatCount)
        floats.append(Float(face.confidence))
        for value in [face.box.x, face.box.y, face.box.width, face.box.height] { floats.append(Float(value)) }
        let marks = face.landmarks
        for point in [marks.leftEye, marks.rightEye, marks.nose, marks.leftMouthCorner, marks.rightMouthCorner] {
            floats.append(Float(point.x))
            floats.append(Float(point.y))
        }
        floats.append(Float(face.presence))
        for value in face.points.numbers { floats.append(Float(value)) }
        for value in [face.yaw, face.pitch, face.roll, face.brightness, face.sharpness] {
            floats.append(value.map(Float.init) ?? .nan)
        }
        floats.append(face.emoji.flatMap { Metric.allCases.firstIndex(of: $0) }.map(Float.init) ?? .nan)
        floats += face.metrics
        floats += Self.filled(face.shape, count: shapeCount)
        floats += Self.filled(face.blendshapes, count: blendshapeCount)
        if meshCount > 0 { floats += Self.filled(face.mesh?.coordinates, count: meshCount) }
        floats.withUnsafeBytes { writer.write(bytes: $0) }
        writer.write(byte: face.appearance == nil ? 0 : 1)
        let look = face.appearance?.bytes ?? [UInt8](repeating: 0, count: FaceAppearance.byteCount)
        look.withUnsafeBytes { writer.write(bytes: $0) }
    }

    private static func filled(_ values: [Float]?, count: Int) -> [Float] {
        guard let values, values.count == count else { return [Float](repeating: .nan, count: count) }
        return values
    }

    /// - Parameter bytes: `faceBytes` of them.
    func read(_ bytes: UnsafeRawBufferPointer) -> FaceRecord {
        var floats = FloatReader(bytes: bytes)
        let confidence = floats.next()
        let box = Rectangle(x: floats.next(), y: floats.next(), width: floats.next(), height: floats.next())
        let landmarks = FaceLandmarks(
            leftEye: floats.nextPoint(), rightEye: floats.nextPoint(), nose: floats.nextPoint(),
            leftMouthCorner: floats.nextPoint(), rightMouthCorner: floats.nextPoint())
        let presence = floats.next()
        let points = FacePoints(numbers: (0..<FacePoints.count).map { _ in floats.next() })
        let turned = (0..<5).map { _ in floats.nextOptional() }
        let emoji = floats.nextOptional().map { Metric.allCases[Int($0)] }
        let metrics = floats.next(metricCount)
        let shape = floats.nextOptional(shapeCount)
        let blendshapes = floats.nextOptional(blendshapeCount)
        let mesh = meshCount > 0 ? floats.nextOptional(meshCount).map(FaceMesh.init(coordinates:)) : nil
        let hasLook = bytes[4 * floatCount] == 1
        let look =
            hasLook
            ? FaceAppearance(bytes: Array(bytes[(4 * floatCount + 1)...].prefix(FaceAppearance.byteCount))) : nil
        return FaceRecord(
            box: box, confidence: confidence, landmarks: landmarks, presence: presence, points: points,
            yaw: turned[0], pitch: turned[1], roll: turned[2], brightness: turned[3], sharpness: turned[4],
            metrics: metrics, emoji: emoji, appearance: look, shape: shape, blendshapes: blendshapes, mesh: mesh)
    }

    /// Takes 32-bit floats from bytes, one after another; NaN stands for a missing value.
    private struct FloatReader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0

        mutating func nextFloat() -> Float {
            defer { offset += 4 }
            return bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
        }
        mutating func next() -> Double { Double(nextFloat()) }
        mutating func nextOptional() -> Double? {
            let value = nextFloat()
            return value.isNaN ? nil : Double(value)
        }
        mutating func nextPoint() -> Point {
            let x = next()
            return Point(x: x, y: next())
        }
        mutating func next(_ count: Int) -> [Float] {
            (0..<count).map { _ in nextFloat() }
        }
        mutating func nextOptional(_ count: Int) -> [Float]? {
            let values = next(count)
            return values.first.map(\.isNaN) == false ? values : nil
        }
    }
}

extension FaceRecord {
    init(
        box: Rectangle, confidence: Double, landmarks: FaceLandmarks, presence: Double, points: FacePoints,
        yaw: Double?, pitch: Double?, roll: Double?, brightness: Double?, sharpness: Double?, metrics: [Float],
        emoji: Metric?, appearance: FaceAppearance?, shape: [Float]?, blendshapes: [Float]?, mesh: FaceMesh?
    ) {
        self.box = box
        self.confidence = confidence
        self.landmarks = landmarks
        self.presence = presence
        self.points = points
        self.yaw = yaw
        self.pitch = pitch
        self.roll = roll
        self.brightness = brightness
        self.sharpness = sharpness
        self.metrics = metrics
        self.emoji = emoji
        self.appearance = appearance
        self.shape = shape
        self.blendshapes = blendshapes
        self.mesh = mesh
    }
}
