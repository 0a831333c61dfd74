internal import CLinux
internal import Foundation
internal import Glibc
internal import VidscanBase

/// A file that is written sequentially through a buffer, and that is on disk when `finish` returns.
final class OutputFile {
    private let descriptor: Int32
    private let name: String
    private var isOpen = true
    package var buffer = ByteWriter(reservingCapacity: 1 << 16)

    init(path: String) throws(VidscanError) {
        let file = (path as NSString).lastPathComponent
        name = file.hasPrefix(".") ? "its temporary file \(file)" : file
        descriptor = vs_create_file(path)
        guard descriptor >= 0 else { throw Self.failure("create", name) }
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
    }

    /// Writes the buffer to the file once it holds 32 KiB or more.
    package func drain() throws(VidscanError) {
        if buffer.count >= 1 << 15 { try flush() }
    }

    /// - Parameter start: Bytes that replace as many at the beginning of the file, for a header that depends on what
    ///   follows.
    package func finish(replacingStart start: [UInt8] = []) throws(VidscanError) {
        try flush()
        guard start.isEmpty || pwrite(descriptor, start, start.count, 0) == start.count else {
            throw Self.failure("write", name)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("write", name) }
        isOpen = false
        // Some file systems report a full disk only here.
        guard Glibc.close(descriptor) == 0 else { throw Self.failure("write", name) }
    }

    /// Closes a temporary file that this run reads and removes. Unlike `finish`, it does not sync the file to disk.
    package func close() throws(VidscanError) {
        try flush()
        isOpen = false
        guard Glibc.close(descriptor) == 0 else { throw Self.failure("write", name) }
    }

    private func flush() throws(VidscanError) {
        let bytes = buffer.bytes
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure("write", name)
            }
            written += count
        }
        buffer.removeAll()
    }

    private static func failure(_ verb: String, _ name: String) -> VidscanError {
        .writing("cannot \(verb) \(name)", errno, stage: .write)
    }
}
