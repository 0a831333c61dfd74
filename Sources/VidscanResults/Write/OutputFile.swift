internal import Glibc
internal import VidscanBase

/// A file that is written sequentially through a buffer, and is on disk when `finish` returns.
final class OutputFile {
    private let descriptor: Int32
    private let name: String
    private var isOpen = true
    private var buffer = ByteWriter(reservingCapacity: 1 << 16)

    /// `isPrivate`: only the user can read the file.
    init(path: String, isPrivate: Bool = false) throws(VidscanError) {
        let file = FilePath.name(of: path)
        let name = file.hasPrefix(".") ? "its temporary file \(file)" : file
        self.name = name
        descriptor = try VidscanError.writing(
            "cannot create \(name)", try FileSystem.create(path, isPrivate: isPrivate))
    }

    deinit { if isOpen { Glibc.close(descriptor) } }

    func write(_ content: (inout ByteWriter) -> Void) throws(VidscanError) {
        content(&buffer)
        if buffer.count >= 1 << 15 { try flush() }
    }

    /// `start` replaces the first bytes: a header that depends on what follows.
    func finish(replacingStart start: [UInt8] = []) throws(VidscanError) {
        try flush()
        try check(start.isEmpty || pwrite(descriptor, start, start.count, 0) == start.count)
        try check(fsync(descriptor) == 0)
        try close()
    }

    /// Does not sync, unlike `finish`: for temporary files that this run reads and removes.
    func close() throws(VidscanError) {
        try flush()
        isOpen = false
        // Some file systems report a full disk only here.
        try check(Glibc.close(descriptor) == 0)
    }

    private func flush() throws(VidscanError) {
        try VidscanError.writing("cannot write \(name)", try FileSystem.write(buffer.bytes, to: descriptor))
        buffer.removeAll()
    }

    private func check(_ succeeded: Bool) throws(VidscanError) {
        guard succeeded else { throw .writing("cannot write \(name)", .current) }
    }
}
