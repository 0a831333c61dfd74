import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("The intermediate file stores every number of a face")
struct IntermediateFrameTests {
    private let layout = FaceRecordLayout(hasMesh: false, blendshapeCount: 0)

    /// Writes one frame with one face, whose numbers all differ.
    private func write(into folder: TemporaryFolder, chip: FaceChip? = nil) throws -> FaceRecord {
        try writeFile(into: folder, chip: chip).face
    }

    private func writeFile(
        into folder: TemporaryFolder, chip: FaceChip?
    ) throws -> (file: IntermediateFrameFile, face: FaceRecord) {
        let point = Point(x: 7, y: 8)
        let landmarks = FaceLandmarks(
            leftEye: point, rightEye: point, nose: point, leftMouthCorner: point, rightMouthCorner: point)
        let box = Rectangle(x: 1, y: 2, width: 3, height: 4)
        var face = FaceRecord(
            AnalyzedFace(
                detection: FaceDetection(box: box, confidence: 0.9, landmarks: landmarks), presence: 0.75),
            metrics: [])
        for (index, field) in FaceField.all.enumerated() {
            let share = Double(index + 1) / 128
            face.numbers[field] =
                field.range.lowerBound + share * (min(field.range.upperBound, 1024) - field.range.lowerBound)
        }
        face.numbers[.mouth] = nil
        face.chip = chip
        let file = try IntermediateFrameFile(path: folder.path + "/frames", layout: layout)
        try file.append(
            FrameRecord(
                microseconds: 5, index: 6, epoch: 0, size: PictureSize(width: 640, height: 360),
                quality: FrameQuality(luma: 12.5, sharpness: 321.25), isDamaged: true, faces: [face]))
        try file.finish()
        return (file, face)
    }

    private func read(_ folder: TemporaryFolder, readsChips: Bool = true) throws -> FaceRecord? {
        try IntermediateFrameReader(folder: folder.path, name: "frames", layout: layout, readsChips: readsChips)
            .next()?.faces.first
    }

    @Test("A frame is read as it was written, with its quality and its damage")
    func frame() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        let frame = try IntermediateFrameReader(folder: folder.path, name: "frames", layout: layout, readsChips: true)
            .next()
        #expect(frame?.quality == FrameQuality(luma: 12.5, sharpness: 321.25))
        #expect(frame?.isDamaged == true)
        #expect(frame?.size == PictureSize(width: 640, height: 360))
    }

    @Test(
        "A frame with a quality that no picture has is an error that names its byte",
        arguments: [
            (32, Float.nan.bitPattern, "invalid luma nan"), (32, Float(101.5).bitPattern, "invalid luma 101.5"),
            (36, Float(-1).bitPattern, "invalid sharpness -1.0"), (36, Float.infinity.bitPattern, "sharpness inf"),
            (40, UInt32(2), "damage flag of a frame is neither 0 nor 1"), (40, UInt32.max, "damage flag"),
        ])
    func damagedQuality(offset: Int, bits: UInt32, reason: String) throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        var bytes = try folder.bytes("frames")
        bytes.replaceSubrange(offset..<offset + 4, with: withUnsafeBytes(of: bits, Array.init))
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/frames"))
        let error = #expect(throws: VidscanError.self) { try read(folder) }
        #expect(error?.reason.contains("frames, byte \(offset): ") == true)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    private static let chip = FaceChip(pixels: (0..<FaceChip.byteCount).map { UInt8(truncatingIfNeeded: $0 / 7) })

    @Test("A face is read as it was written, to the precision of 32 bits")
    func unchanged() throws {
        let folder = try TemporaryFolder()
        let written = try write(into: folder)
        let face = try #require(try read(folder))
        for field in FaceField.all where ![.x(.mouth), .y(.mouth)].contains(field) {
            #expect(face.numbers[field] == written.numbers[field].map { Double(Float($0)) }, "\(field)")
        }
        #expect(face.landmarks == written.landmarks)
        let (left, right) = (face.numbers[.leftMouthCorner], face.numbers[.rightMouthCorner])
        #expect(face.numbers[.mouth]?.x == (try #require(left).x + #require(right).x) / 2)
    }

    @Test("Only a face that has a chip takes the room for it")
    func chip() throws {
        let (without, with) = (try TemporaryFolder(), try TemporaryFolder())
        _ = try write(into: without)
        #expect(try read(without)?.chip == nil)
        #expect(try read(without)?.chipOffset == nil)
        _ = try write(into: with, chip: Self.chip)
        #expect(try with.bytes("frames").count == without.bytes("frames").count + FaceChip.byteCount)
        #expect(try read(with)?.chip == Self.chip)
    }

    @Test("A chip can be skipped, and read later from its place")
    func skippedChip() throws {
        let folder = try TemporaryFolder()
        let chips = try FaceChipReader(writeFile(into: folder, chip: Self.chip).file)
        let face = try #require(try read(folder, readsChips: false))
        #expect(face.chip == nil)
        let offset = try #require(face.chipOffset)
        #expect(try chips.chip(at: offset) == Self.chip)
        #expect(throws: VidscanError.self) { try chips.chip(at: offset + 1) }
    }

    @Test("A chip that is cut off, and a flag that is neither 0 nor 1, are errors")
    func damagedChip() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder, chip: Self.chip)
        let bytes = try folder.bytes("frames")
        let file = URL(fileURLWithPath: folder.path + "/frames")
        try Data(bytes.dropLast()).write(to: file)
        for readsChips in [true, false] {
            #expect(throws: VidscanError.self) { try read(folder, readsChips: readsChips) }
        }
        var flagged = bytes
        flagged[bytes.count - FaceChip.byteCount - 1] = 2
        try flagged.write(to: file)
        let error = #expect(throws: VidscanError.self) { try read(folder) }
        #expect(error?.description.contains("chip flag") == true)
    }

    @Test("A number outside its range is an error that names it and its byte")
    func ranges() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        let bytes = try folder.bytes("frames")
        for (index, name) in FaceRecordLayout.fieldNames.enumerated() {
            let start = 44 + 4 * index
            var changed = bytes
            changed.replaceSubrange(start..<start + 4, with: withUnsafeBytes(of: Float(1e30), Array.init))
            try changed.write(to: URL(fileURLWithPath: folder.path + "/frames"))
            let error = #expect(throws: VidscanError.self) { try read(folder) }
            #expect(
                error?.reason
                    == "frames, byte \(start): a face has the invalid \(name) 1e+30; the file is damaged, analyse the video again"
            )
        }
    }
}
