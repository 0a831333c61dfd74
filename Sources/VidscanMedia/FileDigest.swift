internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// SHA-256 of files, by libavutil.
public enum FileDigest {
    /// - Returns: the file's SHA-256 in hexadecimal.
    /// - Throws: `MediaError` when it cannot be read.
    public static func sha256(path: String) throws(MediaError) -> String {
        // A pipe would block.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(.io, "cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.io, "cannot read \(path): it is no regular file")
        }
        guard let state = av_sha_alloc(), av_sha_init(state, 256) == 0 else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(.io, "cannot read \(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            av_sha_update(state, buffer, count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        av_sha_final(state, &digest)
        return Hexadecimal.string(digest)
    }
}

extension FileDigest {
    /// - Returns: the text's SHA-256 in hexadecimal.
    public static func sha256(text: String) -> String { sha256(bytes: text.utf8) }

    /// - Returns: the bytes' SHA-256 in hexadecimal.
    public static func sha256(bytes: some Sequence<UInt8>) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard let state = av_sha_alloc(), av_sha_init(state, 256) == 0 else { return "" }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        let bytes = Array(bytes)
        av_sha_update(state, bytes, bytes.count)
        av_sha_final(state, &digest)
        return Hexadecimal.string(digest)
    }
}

/// Bytes as lower-case hexadecimal digits.
enum Hexadecimal {
    static func string(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
