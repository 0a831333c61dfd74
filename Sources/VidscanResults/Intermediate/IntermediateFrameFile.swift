internal import Foundation
package import VidscanBase
package import VidscanFaces

/// A file that holds the faces of every frame until the whole video has been read. Only then can tracks be linked to
/// people, short tracks be dropped, and boxes and points be smoothed, and memory must not grow with the length of the
/// video.
package final class IntermediateFrameFile {
    package let path: String
    package let layout: FaceRecordLayout
    private let file: OutputFile

    package init(path: String, layout: FaceRecordLayout) throws(VidscanError) {
        self.path = path
        self.layout = layout
        file = try OutputFile(path: path)
    }

    package func append(_ frame: FrameRecord) throws(VidscanError) {
        file.buffer.write(fixed: frame.microseconds)
        file.buffer.write(fixed: frame.index)
        file.buffer.write(fixed: Int32(frame.size.width))
        file.buffer.write(fixed: Int32(frame.size.height))
        file.buffer.write(fixed: Int32(frame.faces.count))
        file.buffer.write(fixed: Int32(clamping: frame.epoch))
        file.buffer.write(fixed: Float(frame.quality.luma).bitPattern)
        file.buffer.write(fixed: Float(frame.quality.sharpness).bitPattern)
        file.buffer.write(fixed: Int32(frame.isDamaged ? 1 : 0))
        for face in frame.faces { layout.write(face, to: &file.buffer) }
        try file.drain()
    }

    package func finish() throws(VidscanError) { try file.close() }

    /// Closes the file and syncs it to disk, for a file that is part of a segment's result.
    package func deliver() throws(VidscanError) { try file.finish() }

    package func remove() { unlink(path) }
}

/// Reads an intermediate file from its beginning. The file may come from another machine, so each number is checked.
package final class IntermediateFrameReader {
    private let layout: FaceRecordLayout
    private let input: IntermediateInput
    private let readsChips: Bool

    /// - Parameters:
    ///   - name: The name of the file in `folder`.
    ///   - readsChips: Whether faces get their chips; otherwise, only where these are.
    package init(
        folder: String, name: String, layout: FaceRecordLayout, readsChips: Bool
    ) throws(VidscanError) {
        self.layout = layout
        self.readsChips = readsChips
        input = try IntermediateInput(folder: folder, name: name)
    }

    package convenience init(_ intermediate: IntermediateFrameFile) throws(VidscanError) {
        let path = intermediate.path
        try self.init(
            folder: FilePath.folder(of: path), name: FilePath.name(of: path), layout: intermediate.layout,
            readsChips: false)
    }

    /// - Returns: The next frame, or `nil` at the end.
    /// - Throws: `VidscanError` that names the byte, for a value that no run writes.
    package func next() throws(VidscanError) -> FrameRecord? {
        let start = input.offset
        guard let head = try input.take(FaceRecordLayout.frameBytes) else { return nil }
        let (microseconds, index, width, height, count, epoch) = head.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
                Int(bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)),
                Int(bytes.loadUnaligned(fromByteOffset: 20, as: Int32.self)),
                Int(bytes.loadUnaligned(fromByteOffset: 24, as: Int32.self)),
                Int(bytes.loadUnaligned(fromByteOffset: 28, as: Int32.self))
            )
        }
        guard ReadLimits.microseconds.contains(microseconds) else {
            throw input.problem("a frame has the invalid time \(microseconds) µs", at: start)
        }
        guard ReadLimits.counts.contains(index) else {
            throw input.problem("a frame has the invalid number \(index)", at: start + 8)
        }
        guard ReadLimits.sides.contains(width), ReadLimits.sides.contains(height) else {
            throw input.problem("a frame has the invalid size \(width)x\(height)", at: start + 16)
        }
        guard ReadLimits.facesInFrame.contains(count) else {
            throw input.problem("a frame has too many faces (\(count))", at: start + 24)
        }
        guard epoch >= 0 else { throw input.problem("a frame has the invalid epoch \(epoch)", at: start + 28) }
        let (quality, isDamaged) = try readQuality(head, at: start)
        var frame = FrameRecord(
            microseconds: microseconds, index: index, epoch: epoch, size: PictureSize(width: width, height: height),
            quality: quality, isDamaged: isDamaged, faces: [])
        for _ in 0..<count {
            let start = input.offset
            guard let bytes = try input.take(layout.faceBytes) else {
                throw input.problem("ends in the middle of a frame", at: start)
            }
            switch bytes.withUnsafeBytes({ layout.read($0) }) {
            case .success((var face, let hasChip)):
                if hasChip { try readChip(of: &face) }
                frame.faces.append(face)
            case .failure(let fault): throw input.problem(fault.reason, at: start + fault.offset)
            }
        }
        return frame
    }

    /// - Parameters:
    ///   - head: The bytes of the frame before its faces.
    ///   - start: Their offset in the file.
    private func readQuality(
        _ head: ArraySlice<UInt8>, at start: Int
    ) throws(VidscanError) -> (quality: FrameQuality, isDamaged: Bool) {
        let (luma, sharpness, flag) = head.withUnsafeBytes { bytes in
            (
                Double(bytes.loadUnaligned(fromByteOffset: 32, as: Float.self)),
                Double(bytes.loadUnaligned(fromByteOffset: 36, as: Float.self)),
                bytes.loadUnaligned(fromByteOffset: 40, as: Int32.self)
            )
        }
        // NaN is in no range.
        guard ReadLimits.luma.contains(luma) else {
            throw input.problem("a frame has the invalid luma \(luma)", at: start + 32)
        }
        guard ReadLimits.sharpness.contains(sharpness) else {
            throw input.problem("a frame has the invalid sharpness \(sharpness)", at: start + 36)
        }
        guard (0...1).contains(flag) else {
            throw input.problem("the damage flag of a frame is neither 0 nor 1", at: start + 40)
        }
        return (FrameQuality(luma: luma, sharpness: sharpness), flag == 1)
    }

    private func readChip(of face: inout FaceRecord) throws(VidscanError) {
        let start = input.offset
        guard let bytes = try input.take(FaceChip.byteCount) else {
            throw input.problem("ends in the middle of a frame", at: start)
        }
        face.chipOffset = start
        if readsChips { face.chip = FaceChip(pixels: Array(bytes)) }
    }
}

/// Reads single chips from an intermediate file. Several threads may use one reader.
package final class FaceChipReader: Sendable {
    private let file: ReadableFile

    package init(_ intermediate: IntermediateFrameFile) throws(VidscanError) {
        let path = intermediate.path
        file = try ReadableFile(folder: FilePath.folder(of: path), name: FilePath.name(of: path))
    }

    /// Returns the chip at an offset that a face of the same file has.
    package func chip(at offset: Int) throws(VidscanError) -> FaceChip {
        FaceChip(pixels: try file.read(FaceChip.byteCount, at: offset))
    }
}

/// The track of every face in an intermediate file, in the same order: a 32-bit number for each, 0 for none.
package final class TrackIndexFile {
    package let path: String
    private let file: OutputFile

    package init(path: String) throws(VidscanError) {
        self.path = path
        file = try OutputFile(path: path)
    }

    package func append(_ ids: [Int?]) throws(VidscanError) {
        for id in ids { file.buffer.write(fixed: Int32(id ?? 0)) }
        try file.drain()
    }

    package func finish() throws(VidscanError) { try file.close() }

    package func remove() { unlink(path) }
}

/// Reads a `TrackIndexFile` from its beginning.
package final class TrackIndexReader {
    private let input: IntermediateInput
    private let trackCount: Int

    /// - Parameter trackCount: The largest valid track number.
    package init(_ intermediate: TrackIndexFile, trackCount: Int) throws(VidscanError) {
        let path = intermediate.path
        input = try IntermediateInput(folder: FilePath.folder(of: path), name: FilePath.name(of: path))
        self.trackCount = trackCount
    }

    /// - Returns: The track numbers of the next `count` faces; 0 for none.
    package func next(_ count: Int) throws(VidscanError) -> [Int] {
        guard count > 0 else { return [] }
        let start = input.offset
        guard let bytes = try input.take(4 * count) else { throw input.problem("ends too early", at: start) }
        let tracks = bytes.withUnsafeBytes { bytes in
            (0..<count).map { Int(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)) }
        }
        guard tracks.allSatisfy((0...trackCount).contains) else {
            throw input.problem("refers to a track that does not exist", at: start)
        }
        return tracks
    }
}

extension ByteWriter {
    /// Appends the bytes of a number in host byte order.
    fileprivate mutating func write(fixed value: some FixedWidthInteger) {
        withUnsafeBytes(of: value) { write(bytes: $0) }
    }
}
