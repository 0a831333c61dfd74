package import VidscanBase
package import VidscanFaces

/// The layout of a face in the intermediate file: a fixed number of bytes, first 32-bit floats, then a flag and the
/// appearance descriptor.
package struct FaceRecordLayout: Sendable {
    private static let fixedCount = 1 + 4 + 10 + 1 + FacePoints.count + 5 + 1
    private let metricCount = Metric.allCases.count
    private let shapeCount = FaceShape.betweenVariances.count
    private let blendshapeCount: Int
    private let meshCount: Int

    /// - Parameters:
    ///   - hasMesh: Whether each face carries the points of its mesh.
    ///   - blendshapeCount: The number of blendshapes of each face; 0 if they are not written.
    package init(hasMesh: Bool, blendshapeCount: Int) {
        self.blendshapeCount = blendshapeCount
        meshCount = hasMesh ? 3 * FaceMesh.pointCount : 0
    }

    static let frameBytes = 8 + 8 + 4 + 4 + 4 + 4

    private var floatCount: Int { Self.fixedCount + metricCount + shapeCount + blendshapeCount + meshCount }
    package var faceBytes: Int { 4 * floatCount + AppearanceDescriptor.byteCount + 1 }

    package func write(_ face: FaceRecord, to writer: inout ByteWriter) {
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
        let look = face.appearance?.bytes ?? [UInt8](repeating: 0, count: AppearanceDescriptor.byteCount)
        look.withUnsafeBytes { writer.write(bytes: $0) }
    }

    private static func filled(_ values: [Float]?, count: Int) -> [Float] {
        guard let values, values.count == count else { return [Float](repeating: .nan, count: count) }
        return values
    }

    /// An invalid value in the bytes of a face, one that no run writes.
    package struct Fault: Error {
        /// The offset from the first byte of the face.
        package let offset: Int
        package let reason: String
    }

    /// - Parameter bytes: The bytes of one face, `faceBytes` of them.
    package func read(_ bytes: UnsafeRawBufferPointer) -> Result<FaceRecord, Fault> {
        var floats = FloatReader(bytes: bytes)
        let confidence = floats.next("confidence", in: 0...1)
        let (x, y) = (floats.next("position", in: Self.places), floats.next("position", in: Self.places))
        let (width, height) = (floats.next("size", in: Self.extents), floats.next("size", in: Self.extents))
        let landmarks = FaceLandmarks(
            leftEye: floats.nextPoint(), rightEye: floats.nextPoint(), nose: floats.nextPoint(),
            leftMouthCorner: floats.nextPoint(), rightMouthCorner: floats.nextPoint())
        let presence = floats.next("presence", in: 0...1)
        // The chin and the interocular distance, which come last, may be missing.
        let points = (0..<FacePoints.count).map { index in
            index < FacePoints.requiredCount
                ? floats.next("point", in: Self.places) : floats.nextOptional("point", in: Self.places) ?? .nan
        }
        let yaw = floats.nextOptional("yaw", in: HeadPose.yaws)
        let pitch = floats.nextOptional("pitch", in: HeadPose.pitches)
        let roll = floats.nextOptional("roll", in: HeadPose.rolls)
        let brightness = floats.nextOptional("brightness", in: -1...101)
        let sharpness = floats.nextOptional("sharpness", in: ReadLimits.sharpness)
        let emoji = floats.nextEmoji()
        let metrics = Metric.allCases.map { Float(floats.nextOptional($0.rawValue, in: $0.values) ?? .nan) }
        let shape = floats.nextOptional(shapeCount, of: "shape", in: Self.places)
        let blendshapes = floats.nextOptional(blendshapeCount, of: "blendshape", in: 0...1)
        let mesh = meshCount > 0 ? floats.nextOptional(meshCount, of: "mesh", in: Self.places) : nil
        if let fault = floats.fault { return .failure(fault) }
        guard bytes[4 * floatCount] <= 1 else {
            return .failure(Fault(offset: 4 * floatCount, reason: "the appearance flag of a face is neither 0 nor 1"))
        }
        let look =
            bytes[4 * floatCount] == 1
            ? AppearanceDescriptor(bytes: Array(bytes[(4 * floatCount + 1)...].prefix(AppearanceDescriptor.byteCount)))
            : nil
        return .success(
            FaceRecord(
                box: Rectangle(x: x, y: y, width: width, height: height), confidence: confidence,
                landmarks: landmarks, presence: presence, points: FacePoints(numbers: points), yaw: yaw, pitch: pitch,
                roll: roll, brightness: brightness, sharpness: sharpness, metrics: metrics, emoji: emoji,
                appearance: look, shape: shape, blendshapes: blendshapes,
                mesh: mesh.map(FaceMesh.init(coordinates:))))
    }

    private static let places = ReadLimits.coordinates
    private static let extents = ReadLimits.extents

    /// Reads consecutive 32-bit floats; NaN means that a value is missing. Keeps the first value outside its range as
    /// the fault.
    private struct FloatReader {
        package let bytes: UnsafeRawBufferPointer
        package var offset = 0
        package var fault: Fault?

        private mutating func nextFloat() -> Float {
            defer { offset += 4 }
            return bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
        }

        private mutating func check(_ value: Float, _ name: String, _ range: ClosedRange<Double>) {
            // Rounding to 32 bits may move a value slightly beyond the end of its range.
            let slack = 1e-6 * max(abs(range.lowerBound), abs(range.upperBound))
            guard fault == nil,
                !(range.lowerBound - slack...range.upperBound + slack).contains(Double(value))
            else { return }
            fault = Fault(offset: offset - 4, reason: "a face has the invalid \(name) \(value)")
        }

        package mutating func next(_ name: String, in range: ClosedRange<Double>) -> Double {
            let value = nextFloat()
            check(value, name, range)
            return Double(value)
        }

        mutating func nextOptional(_ name: String, in range: ClosedRange<Double>) -> Double? {
            let value = nextFloat()
            if value.isNaN { return nil }
            check(value, name, range)
            return Double(value)
        }

        mutating func nextPoint() -> Point {
            let x = next("point", in: FaceRecordLayout.places)
            return Point(x: x, y: next("point", in: FaceRecordLayout.places))
        }

        /// Returns all values, or `nil` if the first one is missing.
        mutating func nextOptional(_ count: Int, of name: String, in range: ClosedRange<Double>) -> [Float]? {
            let values = (0..<count).map { _ in
                let value = nextFloat()
                if !value.isNaN { check(value, name, range) }
                return value
            }
            guard let first = values.first, !first.isNaN else { return nil }
            if values.contains(where: \.isNaN), fault == nil {
                fault = Fault(offset: offset - 4 * count, reason: "a face has an incomplete \(name)")
            }
            return values
        }

        mutating func nextEmoji() -> Metric? {
            guard let number = nextOptional("emoji", in: 0...Double(Metric.allCases.count - 1)) else { return nil }
            let metric = Int(exactly: number).map { Metric.allCases[min(max($0, 0), Metric.allCases.count - 1)] }
            if metric?.emoji == nil, fault == nil {
                fault = Fault(offset: offset - 4, reason: "a face has the invalid emoji \(number)")
            }
            return metric
        }
    }
}

extension FaceRecord {
    package init(
        box: Rectangle, confidence: Double, landmarks: FaceLandmarks, presence: Double, points: FacePoints,
        yaw: Double?, pitch: Double?, roll: Double?, brightness: Double?, sharpness: Double?, metrics: [Float],
        emoji: Metric?, appearance: AppearanceDescriptor?, shape: [Float]?, blendshapes: [Float]?, mesh: FaceMesh?
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
