internal import Foundation
package import VidscanBase
package import VidscanFaces

/// The faces of every sampled frame, as they were measured.
///
/// A run writes the file while it reads the video: linking people, dropping short tracks and smoothing come later, and
/// memory must not grow with the video. A result keeps one with tracks, from which all tables can be made again.
package final class FrameRecordFile {
    package let path: String
    private let layout: FaceRecordLayout
    private let file: OutputFile

    package init(path: String, header: RecordHeader, isPrivate: Bool = false) throws(VidscanError) {
        (self.path, layout) = (path, header.layout)
        file = try OutputFile(path: path, isPrivate: isPrivate)
        let start = try header.bytes()
        try file.write { $0.write(numbers: start) }
    }

    package func append(_ frame: FrameRecord) throws(VidscanError) {
        try file.write {
            $0.write(numbers: [frame.microseconds, frame.index])
            $0.write(numbers: [frame.size.width, frame.size.height, frame.faces.count].map(Int32.init))
            $0.write(number: Int32(clamping: frame.epoch))
            $0.write(numbers: [frame.quality.luma, frame.quality.sharpness].map(Float.init))
            $0.write(number: Int32(frame.isDamaged ? 1 : 0))
            $0.write(number: Float(frame.voice ?? .nan))
            if layout.hasSignatures { $0.write(numbers: frame.signature?.numbers ?? []) }
            for face in frame.faces { layout.write(face, to: &$0) }
        }
    }

    /// Does not sync: the file of a run is removed later.
    package func close() throws(VidscanError) { try file.close() }
    package func finish() throws(VidscanError) { try file.finish() }
    package func remove() { unlink(path) }
}

/// Writes the record of a result: the frames with the kept faces, as they were measured.
package struct ResultRecordWriter: RowConsumer {
    private let file: FrameRecordFile

    package init(folderPath: String, _ options: OutputOptions, _ outcome: TrackingOutcome) throws(VidscanError) {
        file = try FrameRecordFile(path: "\(folderPath)/\(ResultFiles.record)", header: RecordHeader(options, outcome))
    }

    package func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) throws(VidscanError) {
        var frame = frame
        frame.faces.removeAll { $0.track == 0 }
        try file.append(frame)
    }

    package func completed(
        _ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]
    ) throws(VidscanError) { try file.finish() }
}

/// Reads a `FrameRecordFile`. The file may come from another machine, so every number is checked.
package final class FrameRecordReader {
    package let header: RecordHeader
    private let input: BinaryFile
    private let readsCrops: Bool
    private var frameCount = 0
    private var lastMicroseconds = Int64.min

    /// Without `readsCrops`, faces get only the offsets of their crops.
    package init(path: String, readsCrops: Bool = false) throws(VidscanError) {
        self.readsCrops = readsCrops
        input = try BinaryFile(path: path)
        header = try RecordHeader.read(from: input)
    }

    /// Returns `nil` at the end, and throws an error that names the byte for a value that no run writes.
    package func next() throws(VidscanError) -> FrameRecord? {
        guard let bytes = try input.take(FaceRecordLayout.frameBytes) else {
            let expected = header.outcome?.sampleCount ?? frameCount
            try input.require(frameCount == expected, "has \(frameCount) of \(expected) frames", at: input.offset)
            return nil
        }
        frameCount += 1
        var head = NumberReader(input, bytes)
        let time = try head.integer(Int64.self, in: ReadLimits.microseconds) { "a frame has the invalid time \($0) µs" }
        let index = try head.integer(Int64.self, in: ReadLimits.counts) { "a frame has the invalid number \($0)" }
        let (width, height) = (Int(head.next(Int32.self)), Int(head.next(Int32.self)))
        try head.require(
            [width, height].allSatisfy(ReadLimits.sides.contains), "a frame has the invalid size \(width)x\(height)",
            size: 8)
        let count = try head.integer(Int32.self, in: ReadLimits.facesInFrame) { "a frame has too many faces (\($0))" }
        let epoch = try head.integer(Int32.self, in: 0...Int(Int32.max)) { "a frame has the invalid epoch \($0)" }
        let quality = FrameQuality(
            luma: try head.float("luma", of: "frame", in: ReadLimits.luma, slack: 0),
            sharpness: try head.float("sharpness", of: "frame", in: ReadLimits.sharpness, slack: 0))
        let damage = try head.integer(Int32.self, in: 0...1) { _ in "the damage flag of a frame is neither 0 nor 1" }
        var frame = FrameRecord(
            microseconds: time, index: index, epoch: epoch, size: PictureSize(width: width, height: height),
            quality: quality, isDamaged: damage == 1, faces: [])
        let voice = try head.float("voice", of: "frame", in: 0...100, isRequired: false)
        frame.voice = voice.isNaN ? nil : voice
        if header.layout.hasSignatures { frame.signature = try readSignature() }
        for _ in 0..<count { frame.faces.append(try readFace()) }
        try require(
            time >= lastMicroseconds, .result,
            "\(input.name): time goes back; the file is damaged, analyse the video again", microseconds: time)
        lastMicroseconds = time
        return frame
    }

    private func readFace() throws(VidscanError) -> FaceRecord {
        var numbers = try NumberReader(input, count: header.layout.faceBytes)
        var (face, hasCrop, speechCount) = try header.layout.read(&numbers)
        if speechCount > 0 {
            face.speech = Array(try NumberReader(input, count: speechCount).bytes)
            let isValid = face.speech.allSatisfy { $0 <= 200 || $0 == SpeechTick.unknown }
            try input.require(isValid, "a face has invalid speech", at: numbers.start)
        }
        if hasCrop {
            let crop = try NumberReader(input, count: FaceCrop.byteCount)
            face.evidence?.cropOffset = crop.start
            if readsCrops { face.evidence?.crop = FaceCrop(pixels: Array(crop.bytes)) }
        }
        if let outcome = header.outcome, !outcome.tracks.indices.contains(face.track - 1) {
            throw input.problem("a face has the track \(face.track), which does not exist", at: numbers.start)
        }
        return face
    }

    private func readSignature() throws(VidscanError) -> FrameSignature {
        var reader = try NumberReader(input, count: 4 * FrameSignature.numberCount)
        var numbers: [Float] = []
        for _ in 0..<FrameSignature.numberCount {
            let number = reader.next(Float.self)
            // Luma from 0 to 255 and fractions of 1, with a margin for rounding.
            try reader.require((-1...256).contains(number), "a frame's signature has the invalid number \(number)")
            numbers.append(number)
        }
        return FrameSignature(numbers: numbers)
    }
}
