internal import VidscanBase
internal import VidscanFaces

/// The layout of a face in the intermediate file: a fixed number of bytes, first 32-bit floats, then a flag and the
/// appearance descriptor, and a flag that says whether the face's chip follows.
package struct FaceRecordLayout: Sendable {
    /// The names of the numbers that come first, in order.
    package static let fieldNames = FaceField.stored.map(\.name)
    /// What a frame and a face consist of. Segments record it, so that a version with other contents does not misread their
    /// files.
    package static let contents = ["frame_luma", "frame_sharpness", "frame_damaged"] + fieldNames + ["chip"]

    /// The numbers that come first: where `FaceNumbers` has each of them, and what it must be.
    private static let fields = FaceField.stored.map { field in
        // The brightness of a frame with colours outside the nominal range may lie slightly outside its own.
        (position: field.position, facts: field.description, range: field == .brightness ? -1...101 : field.range)
    }
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

    /// The size of a frame without its faces.
    static let frameBytes = 8 + 8 + 4 + 4 + 4 + 4 + 4 + 4 + 4

    /// The emoji is one number.
    private var floatCount: Int {
        Self.fields.count + 2 * FaceLandmarks.count + 1 + shapeCount + blendshapeCount + meshCount
    }
    /// The size of a face without its chip.
    var faceBytes: Int { 4 * floatCount + AppearanceDescriptor.byteCount + 2 }

    func write(_ face: FaceRecord, to writer: inout ByteWriter) {
        var floats: [Float] = []
        floats.reserveCapacity(floatCount)
        for field in Self.fields { floats.append(Float(face.numbers.values[field.position])) }
        for point in face.landmarks.points { floats += [Float(point.x), Float(point.y)] }
        floats.append(face.emoji.flatMap { Metric.allCases.firstIndex(of: $0) }.map(Float.init) ?? .nan)
        floats += Self.filled(face.shape, count: shapeCount)
        floats += Self.filled(face.blendshapes, count: blendshapeCount)
        if meshCount > 0 { floats += Self.filled(face.mesh?.coordinates, count: meshCount) }
        floats.withUnsafeBytes { writer.write(bytes: $0) }
        writer.write(byte: face.appearance == nil ? 0 : 1)
        let appearance = face.appearance?.bytes ?? [UInt8](repeating: 0, count: AppearanceDescriptor.byteCount)
        appearance.withUnsafeBytes { writer.write(bytes: $0) }
        writer.write(byte: face.chip == nil ? 0 : 1)
        face.chip?.pixels.withUnsafeBytes { writer.write(bytes: $0) }
    }

    private static func filled(_ values: [Float]?, count: Int) -> [Float] {
        guard let values, values.count == count else { return [Float](repeating: .nan, count: count) }
        return values
    }

    /// An invalid value in the bytes of a face, one that no run writes.
    struct Fault: Error {
        /// The offset from the first byte of the face.
        let offset: Int
        let reason: String
    }

    /// - Parameter bytes: The bytes of one face, `faceBytes` of them.
    /// - Returns: The face, without its chip, and whether a chip follows.
    func read(_ bytes: UnsafeRawBufferPointer) -> Result<(face: FaceRecord, hasChip: Bool), Fault> {
        var floats = FloatReader(bytes: bytes)
        var numbers = FaceNumbers()
        for (position, facts, range) in Self.fields {
            numbers.values[position] =
                facts.isRequired
                ? floats.next(facts.name, in: range) : floats.nextOptional(facts.name, in: range) ?? .nan
        }
        var face = FaceRecord(
            numbers: numbers,
            landmarks: FaceLandmarks(
                leftEye: floats.nextPoint(), rightEye: floats.nextPoint(), nose: floats.nextPoint(),
                leftMouthCorner: floats.nextPoint(), rightMouthCorner: floats.nextPoint()))
        face.emoji = floats.nextEmoji()
        face.shape = floats.nextOptional(shapeCount, of: "shape", in: ReadLimits.coordinates)
        face.blendshapes = floats.nextOptional(blendshapeCount, of: "blendshape", in: 0...1)
        face.mesh = floats.nextOptional(meshCount, of: "mesh", in: ReadLimits.coordinates)
            .map(FaceMesh.init(coordinates:))
        if let fault = floats.fault { return .failure(fault) }
        let flag = 4 * floatCount
        guard bytes[flag] <= 1 else {
            return .failure(Fault(offset: flag, reason: "the appearance flag of a face is neither 0 nor 1"))
        }
        if bytes[flag] == 1 {
            face.appearance = AppearanceDescriptor(
                bytes: Array(bytes[(flag + 1)...].prefix(AppearanceDescriptor.byteCount)))
        }
        let last = bytes.count - 1
        guard bytes[last] <= 1 else {
            return .failure(Fault(offset: last, reason: "the chip flag of a face is neither 0 nor 1"))
        }
        return .success((face, bytes[last] == 1))
    }

    /// Reads consecutive 32-bit floats; NaN means that a value is missing. Keeps the first value outside its range as
    /// the fault.
    private struct FloatReader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0
        var fault: Fault?

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

        mutating func next(_ name: String, in range: ClosedRange<Double>) -> Double {
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
            let x = next("landmark", in: ReadLimits.coordinates)
            return Point(x: x, y: next("landmark", in: ReadLimits.coordinates))
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
