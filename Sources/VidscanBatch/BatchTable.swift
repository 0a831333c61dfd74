internal import Foundation

/// One table over all results of a batch: the rows of each result's table, in the order of their places, after a column
/// `video` with the path of the input. Rows are copied a piece at a time.
public struct BatchTable: Sendable {
    private let folder: String
    private let table: String
    private let items: [BatchJournal.Item]

    /// - Parameter table: `faces`, `frames`, `tracks` or `events`.
    public init(folder: String, table: String) throws(BatchError) {
        self.folder = folder
        self.table = table
        let names = BatchRecord.journals(in: folder)
        guard !names.isEmpty else { throw BatchError(.input, "\(folder): there is no journal of a batch") }
        var items: [BatchJournal.Item] = []
        for name in names { items += try BatchJournal(folder: folder, name: name).items() }
        self.items = items.filter { $0.status == .done }.sorted { $0.place < $1.place }
    }

    /// - Parameter path: `nil` writes to standard output.
    public func write(to path: String?, replaces: Bool) throws(BatchError) {
        guard let path else { return try write(to: FileHandle.standardOutput) }
        if !replaces, FileManager.default.fileExists(atPath: path) {
            throw BatchError(.input, "\(path) exists; --force replaces it")
        }
        let partial = "\(path).partial-\(getpid())"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let handle = FileHandle(forWritingAtPath: partial)
        else { throw BatchError(.journal, "cannot write \(path): \(String(cString: strerror(errno)))") }
        defer { unlink(partial) }
        try write(to: handle)
        guard fsync(handle.fileDescriptor) == 0, rename(partial, path) == 0 else {
            throw BatchError(.journal, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    private func write(to output: FileHandle) throws(BatchError) {
        var hasHeader = false
        for item in items {
            let name = "\(folder)/\(item.place)/\(table).csv"
            guard let input = FileHandle(forReadingAtPath: name) else {
                throw BatchError(.input, "\(name) cannot be read; run the batch again")
            }
            defer { try? input.close() }
            let prefix = Data((Self.quoted(item.path) + ",").utf8)
            do {
                var pending = Data()
                var isFirst = true
                while true {
                    let piece = try input.read(upToCount: 1 << 20) ?? Data()
                    pending.append(piece)
                    var lines = Data()
                    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = pending[pending.startIndex...end]
                        if isFirst {
                            isFirst = false
                            if !hasHeader { lines += Data("video,".utf8) + line }
                            hasHeader = true
                        } else {
                            lines += prefix + line
                        }
                        pending = pending[(end + 1)...]
                    }
                    try output.write(contentsOf: lines)
                    pending = Data(pending)
                    if piece.isEmpty { break }
                }
            } catch {
                throw BatchError(.journal, "cannot write the table: \(error.localizedDescription)")
            }
        }
    }

    /// As RFC 4180 has it.
    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\n\r".contains($0) }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
