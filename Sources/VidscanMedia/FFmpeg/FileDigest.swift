internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// SHA-256 in hexadecimal, computed by libavutil, which is linked anyway. swift-crypto hashes 1 GiB in 0.8 s instead of 2.6 s,
/// but adds a minute to a clean build and 11 MB to the program, and analysing such a file takes minutes.
package enum FileDigest {
    /// Throws `io` when the file cannot be read or is not a regular file.
    package static func sha256(path: String) throws(MediaError) -> String {
        let failure = { (reason: any CustomStringConvertible) in MediaError(.io, "cannot read \(path): \(reason)") }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(SystemError.current) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is not a regular file")
        }
        return try digest { state throws(MediaError) in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw failure(SystemError.current) }
                if count == 0 { return }
                av_sha_update(state, buffer, count)
            }
        }
    }

    package static func sha256(text: String) -> String { sha256(bytes: text.utf8) }

    package static func sha256(bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return (try? digest { av_sha_update($0, bytes, bytes.count) }) ?? ""
    }

    private static func digest(_ update: (OpaquePointer) throws(MediaError) -> Void) throws(MediaError) -> String {
        guard let state = av_sha_alloc() else { throw .outOfMemory }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_sha_init(state, 256)
        try update(state)
        var digest = [UInt8](repeating: 0, count: 32)
        av_sha_final(state, &digest)
        return hexadecimal(digest)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { NumberText.hexadecimal($0, digits: 2) }.joined()
    }
}
