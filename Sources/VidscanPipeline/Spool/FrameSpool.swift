internal import Foundation
internal import VidscanCore

/// A file in the unfinished result folder that holds every frame's faces until the whole video has been seen: who is who,
/// who only flickers and what a smooth path is can be told only then, and memory must not grow with the video.
final class FrameSpool {
    let path: String
    let layout: SpoolLayout
    private let file: OutputFile

    init(path: String, layout: SpoolLayout) throws(PipelineError) {
        self.path = path
        self.layout = layout
        file = try OutputFile(path: path)
    }

    func append(_ frame: FrameRecord) throws(PipelineError) {
        file.buffer.write(fixed: frame.microseconds)
        file.buffer.write(fixed: frame.index)
        file.buffer.write(fixed: Int32(frame.size.width))
        file.buffer.write(fixed: Int32(frame.size.height))
        file.buffer.write(fixed: Int32(frame.faces.count))
        file.buffer.write(fixed: Int32(clamping: frame.epoch))
        for face in frame.faces { layout.write(face, to: &file.buffer) }
        try file.drain()
    }

    func finish() throws(PipelineError) { try file.close() }

    /// Ends a spool that is to stay.
    func deliver() throws(PipelineError) { try file.finish() }

    func remove() { unlink(path) }
}

/// Reads a spool from its beginning.
final class FrameSpoolReader {
    private let layout: SpoolLayout
    private let input: SpoolInput

    init(path: String, layout: SpoolLayout) throws(PipelineError) {
        self.layout = layout
        input = try SpoolInput(path: path)
    }

    convenience init(_ spool: FrameSpool) throws(PipelineError) {
        try self.init(path: spool.path, layout: spool.layout)
    }

    /// - Returns: the next frame, or `nil` at the end.
    func next() throws(PipelineError) -> FrameRecord? {
        guard let head = try input.take(SpoolLayout.frameBytes) else { return nil }
        var frame = head.withUnsafeBytes { bytes in
            FrameRecord(
                microseconds: bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
                index: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
                epoch: Int(bytes.loadUnaligned(fromByteOffset: 28, as: Int32.self)),
                size: PictureSize(
                    width: Int(bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)),
                    height: Int(bytes.loadUnaligned(fromByteOffset: 20, as: Int32.self))),
                faces: [])
        }
        let count = head.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 24, as: Int32.self)) }
        for _ in 0..<count {
            guard let bytes = try input.take(layout.faceBytes) else { return nil }
            frame.faces.append(bytes.withUnsafeBytes { layout.read($0) })
        }
        return frame
    }
}

/// The track of every face of a spool, in the same order: a 32-bit number each, 0 for none.
final class TrackSpool {
    let path: String
    private let file: OutputFile

    init(path: String) throws(PipelineError) {
        self.path = path
        file = try OutputFile(path: path)
    }

    func append(_ ids: [Int?]) throws(PipelineError) {
        for id in ids { file.buffer.write(fixed: Int32(id ?? 0)) }
        try file.drain()
    }

    func finish() throws(PipelineError) { try file.close() }

    func remove() { unlink(path) }
}

/// Reads a `TrackSpool` from its beginning.
final class TrackSpoolReader {
    private let input: SpoolInput

    init(_ spool: TrackSpool) throws(PipelineError) {
        input = try SpoolInput(path: spool.path)
    }

    /// - Returns: the numbers of the next faces; 0 for none.
    func next(_ count: Int) throws(PipelineError) -> [Int] {
        guard count > 0 else { return [] }
        guard let bytes = try input.take(4 * count) else {
            throw PipelineError(.output, "cannot read what was set aside: it is too short", stage: .write)
        }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { Int(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)) }
        }
    }
}

/// Reads a file front to back through a buffer.
final class SpoolInput {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var position = 0

    init(path: String) throws(PipelineError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure() }
    }

    deinit { close(descriptor) }

    /// - Returns: as many bytes, or `nil` when fewer are left.
    func take(_ count: Int) throws(PipelineError) -> ArraySlice<UInt8>? {
        while buffer.count - position < count {
            buffer.removeFirst(position)
            position = 0
            let kept = buffer.count
            let room = max(1 << 16, count)
            var received = 0
            buffer.append(contentsOf: repeatElement(0, count: room))
            repeat {
                received = buffer.withUnsafeMutableBytes { bytes in
                    read(descriptor, bytes.baseAddress.map { $0 + kept }, room)
                }
            } while received < 0 && errno == EINTR
            buffer.removeLast(room - max(received, 0))
            guard received >= 0 else { throw Self.failure() }
            if received == 0 { return nil }
        }
        defer { position += count }
        return buffer[position..<position + count]
    }

    private static func failure() -> PipelineError {
        PipelineError(
            .output, "cannot read what was set aside: \(String(cString: strerror(errno)))", stage: .write)
    }
}

extension ByteWriter {
    /// Appends a number's own bytes.
    fileprivate mutating func write(fixed value: some FixedWidthInteger) {
        withUnsafeBytes(of: value) { write(bytes: $0) }
    }
}
