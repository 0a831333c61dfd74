internal import Glibc
package import VidscanBase

/// A regular file that is read from its beginning: a pipe would block.
final class ReadableFile: Sendable {
    let name: String
    /// In bytes, when the file was opened.
    let size: Int64
    private let descriptor: Int32

    convenience init(folder: String, name: String) throws(VidscanError) {
        try self.init(path: folder + "/" + name, name: name)
    }

    init(path: String, name: String) throws(VidscanError) {
        self.name = name
        do throws(SystemError) { (descriptor, size) = try FileSystem.openFile(path) } catch {
            throw Self.unreadable(name, error)
        }
    }

    deinit { close(descriptor) }

    private static func unreadable(_ name: String, _ reason: some CustomStringConvertible) -> VidscanError {
        // A run reads its own temporary file again.
        name.hasPrefix(".")
            ? VidscanError(.output, "cannot read its temporary file \(name): \(reason)", stage: .write)
            : .result("cannot read \(name): \(reason)")
    }

    /// Returns `false` at the end of the file.
    func read(upTo count: Int, into buffer: inout [UInt8]) throws(VidscanError) -> Bool {
        let bytes = try next(upTo: count)
        buffer += bytes
        return !bytes.isEmpty
    }

    /// Returns fewer bytes only at the end of the file.
    private func next(upTo count: Int) throws(VidscanError) -> [UInt8] {
        do throws(SystemError) { return try FileSystem.read(descriptor, limit: count - 1) } catch {
            throw Self.unreadable(name, error)
        }
    }

    /// Any thread may call this. Throws if the file has fewer bytes.
    func read(_ count: Int, at offset: Int) throws(VidscanError) -> [UInt8] {
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                received = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while received < 0 && errno == EINTR
            initialized = max(received, 0)
        }
        guard received == count else {
            let reason = received < 0 ? "\(SystemError.current)" : "it is truncated"
            throw Self.unreadable(name, reason)
        }
        return bytes
    }

    /// Throws if the file is larger than `limit` bytes; reads at most one byte more.
    func contents(limit: Int) throws(VidscanError) -> [UInt8] {
        let bytes = try next(upTo: limit + 1)
        guard bytes.count <= limit else { throw .result("\(name) is larger than \(limit) bytes") }
        return bytes
    }
}

/// Reads a small file that the user names, or that lies in a result. Refuses large files, pipes and devices so that no
/// file can take endless time or memory.
package enum TextFile {
    /// Returns `nil` if the file is not valid UTF-8. `limit` is in bytes. The error says `it` instead of the path.
    package static func read(path: String, limit: Int) throws(VidscanError) -> String? {
        String(validating: try bytes(path: path, limit: limit), as: UTF8.self)
    }

    /// Expands a leading `~`. The error has the path as its input.
    package static func text(named path: String, limit: Int) throws(VidscanError) -> String {
        do throws(VidscanError) {
            guard let text = try read(path: FilePath.expandingHome(path), limit: limit) else {
                throw .result("is not valid UTF-8")
            }
            return text
        } catch {
            throw .result(error.reason, input: path)
        }
    }

    /// The error says `it` instead of the path.
    package static func bytes(path: String, limit: Int) throws(VidscanError) -> [UInt8] {
        try ReadableFile(path: path, name: "it").contents(limit: limit)
    }
}
