import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("The record of the frames stores every number of a face")
struct FrameRecordTests {
    private let header = RecordHeader(
        layout: FaceRecordLayout(hasEvidence: true, hasMesh: false, blendshapeCount: 0))

    @Test(
        "A face whose mesh fits almost certainly is tracked although the detector is unsure",
        arguments: [
            (0.4, 1, 0.7), (0.4, 0.95, 0.4), (0.55, 0.95, 0.7), (0.55, 0.6, 0.55), (0.55, nil, 0.55), (0.9, 1, 0.9),
        ])
    func confirmedByMesh(score: Double, presence: Double?, tracked: Double) throws {
        var face = try write(into: TemporaryFolder())
        (face.numbers[.confidence], face.numbers[.presence]) = (score, presence)
        #expect(face.trackedDetection.confidence == tracked)
    }

    /// Writes one frame with one face, whose numbers all differ.
    private func write(into folder: TemporaryFolder, crop: FaceCrop? = nil) throws -> FaceRecord {
        let point = Point(x: 7, y: 8)
        let landmarks = FaceLandmarks(points: [point, point, point, point, point])
        let box = Rectangle(x: 1, y: 2, width: 3, height: 4)
        var face = FaceRecord(
            AnalyzedFace(
                detection: FaceDetection(box: box, confidence: 0.9, landmarks: landmarks), presence: 0.75),
            in: PictureSize(width: 640, height: 480), metrics: [])
        for (index, field) in FaceField.all.enumerated() {
            let share = Double(index + 1) / 128
            face.numbers[field] =
                field.range.lowerBound + share * (min(field.range.upperBound, 1024) - field.range.lowerBound)
        }
        face.numbers[.mouth] = nil
        face.evidence?.crop = crop
        let file = try FrameRecordFile(path: folder.path + "/frames", header: header)
        try file.append(
            FrameRecord(
                microseconds: 5, index: 6, epoch: 0, size: PictureSize(width: 640, height: 360),
                quality: FrameQuality(luma: 12.5, sharpness: 321.25), isDamaged: true, faces: [face]))
        try file.finish()
        return face
    }

    /// The offset of the first frame: the header's length follows eight bytes.
    private func firstFrame(_ bytes: Data) -> Int {
        12 + bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) }
    }

    private func read(_ folder: TemporaryFolder, readsCrops: Bool = true) throws -> FaceRecord? {
        try FrameRecordReader(path: folder.path + "/frames", readsCrops: readsCrops).next()?.faces.first
    }

    @Test("A frame is read as it was written, with its quality and its damage")
    func frame() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        let frame = try FrameRecordReader(path: folder.path + "/frames", readsCrops: true).next()
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
        let offset = firstFrame(bytes) + offset
        bytes.replaceSubrange(offset..<offset + 4, with: withUnsafeBytes(of: bits, Array.init))
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/frames"))
        let error = #expect(throws: VidscanError.self) { try read(folder) }
        #expect(error?.reason.contains("frames, byte \(offset): ") == true)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    private static let crop = FaceCrop(pixels: (0..<FaceCrop.byteCount).map { UInt8(truncatingIfNeeded: $0 / 7) })

    @Test("A face is read as it was written, to the precision of 32 bits")
    func unchanged() throws {
        let folder = try TemporaryFolder()
        let written = try write(into: folder)
        let face = try #require(try read(folder))
        for field in FaceField.all where ![.x(.mouth), .y(.mouth)].contains(field) {
            #expect(face.numbers[field] == written.numbers[field].map { Double(Float($0)) }, "\(field)")
        }
        let (left, right) = (face.numbers[.leftMouthCorner], face.numbers[.rightMouthCorner])
        #expect(face.numbers[.mouth]?.x == (try #require(left).x + #require(right).x) / 2)
    }

    @Test("Only a face that has a crop takes the room for it")
    func crop() throws {
        let (without, with) = (try TemporaryFolder(), try TemporaryFolder())
        _ = try write(into: without)
        #expect(try read(without)?.evidence?.crop == nil)
        #expect(try read(without)?.evidence?.cropOffset == nil)
        _ = try write(into: with, crop: Self.crop)
        #expect(try with.bytes("frames").count == without.bytes("frames").count + FaceCrop.byteCount)
        #expect(try read(with)?.evidence?.crop == Self.crop)
    }

    @Test("A crop can be skipped, and read later from its place")
    func skippedChip() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder, crop: Self.crop)
        let face = try #require(try read(folder, readsCrops: false))
        #expect(face.evidence?.crop == nil)
        let offset = try #require(face.evidence?.cropOffset)
        let file = try ReadableFile(path: folder.path + "/frames")
        #expect(try FaceCrop(pixels: file.read(FaceCrop.byteCount, at: offset)) == Self.crop)
        #expect(throws: VidscanError.self) { try file.read(FaceCrop.byteCount, at: offset + 1) }
    }

    @Test("A crop that is cut off, and a flag that is neither 0 nor 1, are errors")
    func damagedChip() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder, crop: Self.crop)
        let bytes = try folder.bytes("frames")
        let file = URL(fileURLWithPath: folder.path + "/frames")
        try Data(bytes.dropLast()).write(to: file)
        for readsCrops in [true, false] {
            #expect(throws: VidscanError.self) { try read(folder, readsCrops: readsCrops) }
        }
        var flagged = bytes
        flagged[bytes.count - FaceCrop.byteCount - 1] = 2
        try flagged.write(to: file)
        let error = #expect(throws: VidscanError.self) { try read(folder) }
        #expect(error?.description.contains("crop flag") == true)
    }

    @Test("A number outside its range is an error that names it and its byte")
    func ranges() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        let bytes = try folder.bytes("frames")
        for (index, name) in FaceRecordLayout.fieldNames.enumerated() {
            let start = firstFrame(bytes) + 48 + 4 * index
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

    // MARK: The record of a result

    private func writeResult(_ folder: TemporaryFolder, tracks: Int = 1, track: Int = 1) throws {
        let outcome = TrackingOutcome(
            tracks: (1...tracks).map {
                TrackingOutcome.Track(
                    faceID: $0, personID: $0, personConfidence: 0.75, firstSample: 0, lastSample: 0, samples: 1,
                    ending: .end)
            }, changes: [], sampleCount: 1, interval: 0)
        let options = OutputOptions(
            metrics: [.joy], baseline: .person, isSmoothed: true, events: EventOptions(), formats: [.csv],
            hasLandmarks: false, blendshapeNames: nil, hasExpressions: true)
        let writer = try ResultRecordWriter(folderPath: folder.path, options, outcome)
        var face = try #require(try read(folder))
        face.track = track
        face.personMatch = 0.625
        var dropped = face
        dropped.track = 0
        let frame = FrameRecord(
            microseconds: 5, index: 6, epoch: 0, size: PictureSize(width: 640, height: 360),
            quality: FrameQuality(luma: 1, sharpness: 2), isDamaged: false, faces: [dropped, face])
        try writer.tracked(frame, shot: 1, rows: [])
        try writer.completed([], [], [])
    }

    @Test("The record of a result has the tracks that are kept, and nothing that tells people apart")
    func result() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder, crop: Self.crop)
        try writeResult(folder)
        let reader = try FrameRecordReader(path: folder.path + "/faces.record", readsCrops: true)
        #expect(reader.header.outcome?.tracks.first?.personConfidence == 0.75)
        #expect(reader.header.options?.metrics == [.joy])
        let face = try #require(try reader.next()?.faces.first)
        #expect(face.track == 1 && face.personMatch == 0.625)
        #expect(face.evidence == nil)
        #expect(try reader.next() == nil)
    }

    @Test("A record without all its frames, with a track that does not exist, or of another version is refused")
    func damagedResult() throws {
        let folder = try TemporaryFolder()
        _ = try write(into: folder)
        try writeResult(folder, track: 2)
        func reason() -> String? {
            let error = #expect(throws: VidscanError.self) {
                let reader = try FrameRecordReader(path: folder.path + "/faces.record")
                while try reader.next() != nil {}
            }
            return error?.reason
        }
        #expect(reason()?.contains("a face has the track 2, which does not exist") == true)
        try FileManager.default.removeItem(atPath: folder.path + "/faces.record")
        try writeResult(folder)
        let bytes = try folder.bytes("faces.record")
        let file = URL(fileURLWithPath: folder.path + "/faces.record")
        try bytes.prefix(firstFrame(bytes)).write(to: file)
        #expect(reason()?.contains("has 0 of 1 frames") == true)
        for (old, new, message) in [
            (#""confidence","x""#, #""confidence","z""#, "another version of vidscan wrote faces.record"),
            (#""faceID":1"#, #""faceID":0"#, "outcome.tracks.0.faceID must be 1 to 2147483647"),
            (#""lastSample":0"#, #""lastSample":9"#, "outcome.tracks.0.lastSample must be 0 to 0"),
            (#""interval":0"#, #""interval":-"#, "its header cannot be read"),
            ("vidscan\n", "vidscan\r", "is not a record of frames"),
        ] {
            let text = String(decoding: bytes, as: UTF8.self)
            try #require(text.contains(old), "\(old)")
            var changed = bytes
            let range = try #require(changed.range(of: Data(old.utf8)))
            changed.replaceSubrange(range, with: Data(new.utf8))
            try changed.write(to: file)
            #expect(reason()?.contains(message) == true, "\(message)")
        }
    }
}
