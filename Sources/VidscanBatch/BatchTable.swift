internal import Foundation

/// One table over all results of a batch: the rows of each result's table, in the order of the inputs' paths, after a
/// column `video` with the path of the input. Rows are copied a piece at a time.
public struct BatchTable: Sendable {
    private let folder: String
    private let table: String
    private let items: [BatchJournal.Item]

    /// - Parameter table: `faces`, `frames`, `tracks` or `events`.
    public init(folder: String, table: String) throws(BatchError) {
        self.folder = folder
        self.table = table
        var items: [BatchJournal.Item] = []
        for journal in try BatchJournal.all(in: folder) { items += try journal.items() }
        self.items = items.filter { $0.status == .done }.sorted { $0.path < $1.path }
    }

    /// - Parameter path: `nil` writes to standard output.
    public func write(to path: String?, replaces: Bool) throws(BatchError) {
        guard let path else { return try write(to: STDOUT_FILENO, named: "standard output") }
        if !replaces, FileManager.default.fileExists(atPath: path) {
            throw BatchError(.input, "\(path) exists; --force replaces it")
        }
        let file = try WholeFile(path: path)
        try write(to: file.descriptor, named: path)
        try file.complete()
    }

    private func write(to descriptor: Int32, named name: String) throws(BatchError) {
        var hasHeader = false
        for item in items {
            let source = "\(folder)/\(item.place)/\(table).csv"
            guard let input = FileHandle(forReadingAtPath: source) else {
                throw BatchError(.input, "\(source) cannot be read; run the batch again")
            }
            defer { try? input.close() }
            let prefix = Data((CSVField.quoted(item.path) + ",").utf8)
            var pending = Data()
            var isFirst = true
            while true {
                let piece: Data
                do {
                    piece = try input.read(upToCount: 1 << 20) ?? Data()
                } catch {
                    throw BatchError(.input, "\(source): \(error.localizedDescription)")
                }
                pending.append(piece)
                var lines = Data()
                // A table of a result has no field with a line end in it.
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = pending[pending.startIndex...end]
                    if !isFirst {
                        lines += prefix + line
                    } else if !hasHeader {
                        lines += Data("video,".utf8) + line
                        hasHeader = true
                    }
                    isFirst = false
                    pending = pending[(end + 1)...]
                }
                guard WholeFile.write(lines, to: descriptor) else {
                    // The reader has gone: it has seen what it wanted.
                    if errno == EPIPE && descriptor == STDOUT_FILENO { return }
                    throw BatchError(writing: name, errno)
                }
                pending = Data(pending)
                if piece.isEmpty { break }
            }
        }
    }
}
