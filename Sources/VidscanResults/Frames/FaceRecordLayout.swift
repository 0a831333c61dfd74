internal import VidscanBase
internal import VidscanFaces

/// The bytes of a frame and a face: 32-bit floats, then what tells people apart or, in a result, the track.
package struct FaceRecordLayout: Codable, Sendable, Equatable {
    package static let fieldNames = FaceField.stored.map(\.name)
    package static let contents =
        ["frame_luma", "frame_sharpness", "frame_damaged", "frame_voice"] + fieldNames + ["emoji", "speech"]

    /// The leading numbers: their position in `FaceNumbers` and their permitted range.
    private static let fields = FaceField.stored.map { field in
        // Colours outside the nominal range may put the brightness slightly outside its own.
        (
            position: field.position, name: field.name, isRequired: field.description.isRequired,
            range: field == .brightness ? -1...101 : field.range
        )
    }

    /// Whether each face has what tells people apart; otherwise, it has its track.
    package var hasEvidence: Bool
    package var hasSignatures = false
    package var hasMesh: Bool
    /// Per face; 0 if they are not written.
    package var blendshapeCount: Int

    package init(hasEvidence: Bool, hasMesh: Bool, blendshapeCount: Int) {
        (self.hasEvidence, self.hasMesh, self.blendshapeCount) = (hasEvidence, hasMesh, blendshapeCount)
    }

    /// Without its signature and its faces.
    static let frameBytes = 2 * 8 + 8 * 4

    private var shapeCount: Int { FaceShape.betweenVariances.count }
    private var meshCount: Int { hasMesh ? 3 * FaceMesh.pointCount : 0 }
    private var floatCount: Int { Self.fields.count + 1 + blendshapeCount + meshCount + (hasEvidence ? shapeCount : 0) }
    /// Without its crop and its speech.
    var faceBytes: Int { 4 * floatCount + (hasEvidence ? AppearanceDescriptor.byteCount + 2 : 4 + 8 + 1) }

    func write(_ face: FaceRecord, to writer: inout ByteWriter) {
        var floats: [Float] = []
        floats.reserveCapacity(floatCount)
        for field in Self.fields { floats.append(Float(face.numbers.values[field.position])) }
        floats.append(face.emoji.flatMap { Metric.allCases.firstIndex(of: $0) }.map(Float.init) ?? .nan)
        floats += Self.filled(face.blendshapes, count: blendshapeCount)
        if hasMesh { floats += Self.filled(face.mesh?.coordinates, count: meshCount) }
        guard hasEvidence else {
            writer.write(numbers: floats)
            writer.write(number: Int32(face.track))
            writer.write(number: face.personMatch ?? .nan)
            writer.write(byte: UInt8(face.speech.count))
            writer.write(numbers: face.speech)
            return
        }
        floats += Self.filled(face.evidence?.shape, count: shapeCount)
        writer.write(numbers: floats)
        let (appearance, crop) = (face.evidence?.appearance, face.evidence?.crop)
        writer.write(byte: appearance == nil ? 0 : 1)
        writer.write(numbers: appearance?.bytes ?? [UInt8](repeating: 0, count: AppearanceDescriptor.byteCount))
        writer.write(byte: crop == nil ? 0 : 1)
        writer.write(numbers: crop?.pixels ?? [])
    }

    private static func filled(_ values: [Float]?, count: Int) -> [Float] {
        guard let values, values.count == count else { return [Float](repeating: .nan, count: count) }
        return values
    }

    /// Reads the `faceBytes` bytes of one face; says whether a crop, and how many bytes of speech follow.
    func read(
        _ numbers: inout NumberReader
    ) throws(VidscanError) -> (face: FaceRecord, hasCrop: Bool, speechCount: Int) {
        var face = FaceRecord()
        for (position, name, isRequired, range) in Self.fields {
            face.numbers.values[position] = try numbers.float(name, in: range, isRequired: isRequired)
        }
        let emoji = try numbers.float("emoji", in: 0...Double(Metric.allCases.count - 1), isRequired: false)
        face.emoji = Int(exactly: emoji).map { Metric.allCases[$0] }
        try numbers.require(emoji.isNaN || face.emoji?.emoji != nil, "a face has the invalid emoji \(emoji)")
        face.blendshapes = try numbers.floats(blendshapeCount, of: "blendshape", in: 0...1)
        face.mesh = try numbers.floats(meshCount, of: "mesh", in: ReadLimits.coordinates)
            .map(FaceMesh.init(coordinates:))
        guard hasEvidence else {
            face.track = Int(numbers.next(Int32.self))
            let match = numbers.next(Double.self)
            try numbers.require(
                match.isNaN || (0...1).contains(match), "a face has the invalid match \(match)", size: 8)
            face.personMatch = match.isNaN ? nil : match
            let count = try numbers.integer(UInt8.self, in: 0...FaceRecord.maximumTicks) {
                "a face has too much speech (\($0))"
            }
            return (face, false, Int(count))
        }
        var evidence = FaceRecord.Evidence(
            shape: try numbers.floats(shapeCount, of: "shape", in: ReadLimits.coordinates))
        let hasAppearance = try numbers.flag("appearance")
        let appearance = numbers.take(AppearanceDescriptor.byteCount)
        if hasAppearance { evidence.appearance = AppearanceDescriptor(bytes: appearance) }
        face.evidence = evidence
        return (face, try numbers.flag("crop"), 0)
    }
}
