internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// SHA-256 in hexadecimal, computed by libavutil, which is linked anyway. swift-crypto hashes 1 GiB in 0.8 s instead of 2.6 s,
/// but adds a minute to a clean build and 11 MB to the program, and analysing such a file takes minutes.
package enum FileDigest {
    /// Throws `io` when the file cannot be read or is not a regular file, or when the task is cancelled.
    package static func sha256(path: String) throws(MediaError) -> String {
        do throws(SystemError) {
            let descriptor = try FileSystem.openFile(path).descriptor
            defer { close(descriptor) }
            return try digest { update throws(SystemError) in
                while case let bytes = try FileSystem.read(descriptor, limit: 0xFFFF), !bytes.isEmpty {
                    guard !Task.isCancelled else { throw SystemError(ECANCELED) }
                    update(bytes)
                }
            }
        } catch {
            throw MediaError(.io, "cannot read \(path): \(error)")
        }
    }

    package static func sha256(text: String) -> String { sha256(bytes: text.utf8) }

    package static func sha256(bytes: some Sequence<UInt8>) -> String { (try? digest { $0(Array(bytes)) }) ?? "" }

    private static func digest(_ read: (([UInt8]) -> Void) throws(SystemError) -> Void) throws(SystemError) -> String {
        guard let state = av_sha_alloc() else { throw SystemError(ENOMEM) }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_sha_init(state, 256)
        try read { av_sha_update(state, $0, $0.count) }
        var digest = [UInt8](repeating: 0, count: 32)
        av_sha_final(state, &digest)
        return hexadecimal(digest)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { NumberText.hexadecimal($0, digits: 2) }.joined()
    }
}
