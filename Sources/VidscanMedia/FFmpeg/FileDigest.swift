internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// SHA-256 digests in hexadecimal, computed by libavutil, which is linked in any case. swift-crypto hashes 1 GiB in
/// 0.8 s instead of 2.6 s, but adds a minute to a clean build and 11 MB to the program, and an analysis of such a
/// file takes minutes.
public enum FileDigest {
    /// The digest of a file's content.
    ///
    /// - Throws: `MediaError` with the code `io` when the file cannot be read or is not a regular file.
    public static func sha256(path: String) throws(MediaError) -> String {
        let failure = { (reason: any CustomStringConvertible) in MediaError(.io, "cannot read \(path): \(reason)") }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(SystemError.current) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is not a regular file")
        }
        guard let hash = SHA256() else { throw .outOfMemory }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(SystemError.current) }
            if count == 0 { return hash.digest() }
            hash.update(buffer, count: count)
        }
    }

    public static func sha256(text: String) -> String { sha256(bytes: text.utf8) }

    public static func sha256(bytes: some Sequence<UInt8>) -> String {
        guard let hash = SHA256() else { return "" }
        let bytes = Array(bytes)
        hash.update(bytes, count: bytes.count)
        return hash.digest()
    }
}

/// Owns the state of one SHA-256 computation.
private struct SHA256: ~Copyable {
    private let state: OpaquePointer

    /// - Returns: `nil` when memory runs out.
    init?() {
        guard let state = av_sha_alloc() else { return nil }
        self.state = state
        av_sha_init(state, 256)
    }

    deinit { av_free(UnsafeMutableRawPointer(state)) }

    func update(_ bytes: [UInt8], count: Int) { av_sha_update(state, bytes, count) }

    /// Ends the computation.
    func digest() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
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
