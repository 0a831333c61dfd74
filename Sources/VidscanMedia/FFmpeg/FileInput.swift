internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// Owns an `AVIOContext` that reads one open file, and nothing else: libavformat sees no path, and no protocol of its own takes
/// part.
struct FileInput: ~Copyable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Kept alive for the callbacks, which hold it unretained.
    private let file: OpenFile

    private static let bufferSize = 32_768

    /// - Throws: `MediaError` unless the path leads to a regular file that can be read.
    init(path: String, cancellation: CancellationFlag) throws(MediaError) {
        let file = try OpenFile(path, cancellation)
        guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory }
        let context = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
            Unmanaged.passUnretained(file).toOpaque(),
            { opaque, buffer, size in OpenFile.from(opaque)?.read(buffer, Int(size)) ?? vs_averror(EIO) }, nil,
            { opaque, offset, origin in OpenFile.from(opaque)?.seek(offset, origin) ?? Int64(vs_averror(EIO)) })
        guard let context else {
            av_free(buffer)
            throw .outOfMemory
        }
        self.file = file
        pointer = context
    }

    deinit {
        // libavformat may have replaced the buffer.
        av_free(pointer.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = pointer
        avio_context_free(&pointer)
    }
}

private final class OpenFile {
    private let descriptor: Int32
    private let cancellation: CancellationFlag

    init(_ path: String, _ cancellation: CancellationFlag) throws(MediaError) {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw MediaError(.notFound, "cannot open: \(SystemError.current)") }
        self.cancellation = cancellation
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.notAFile, "is not a regular file")
        }
    }

    deinit { close(descriptor) }

    static func from(_ opaque: UnsafeMutableRawPointer?) -> OpenFile? {
        opaque.map { Unmanaged<OpenFile>.fromOpaque($0).takeUnretainedValue() }
    }

    func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int) -> Int32 {
        while true {
            if cancellation.isSet { return FFmpeg.interrupted }
            let count = Glibc.read(descriptor, buffer, size)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return vs_averror(errno) }
            return count == 0 ? FFmpeg.endOfFile : Int32(count)
        }
    }

    func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        if origin & AVSEEK_SIZE != 0 {
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : Int64(vs_averror(errno))
        }
        let position = lseek(descriptor, off_t(offset), origin & ~AVSEEK_FORCE)
        return position < 0 ? Int64(vs_averror(errno)) : Int64(position)
    }
}
