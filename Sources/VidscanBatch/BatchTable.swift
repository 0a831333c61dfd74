internal import Foundation

/// One table over all results of a batch: the rows of each result's table, in the order of the inputs' paths, after a
/// column `video` with the path of the input. Rows are copied a piece at a time.
public struct BatchTable: Sendable {
    private let folder: String
    private let table: String
    private let items: [BatchJournal.Item]

    /// - Parameter table: `faces`, `frames`, `tracks` or `events`.
    /// - Throws: `BatchError` with the code `input` when an input, or a place, is there twice.
    public init(folder: String, table: String) throws(BatchError) {
        self.folder = folder
        self.table = table
        var items: [BatchJournal.Item] = []
        var homes: [(item: BatchJournal.Item, journal: String)] = []
        for journal in try BatchJournal.all(in: folder) {
            let more = try journal.items()
            items += more
            homes += more.map { ($0, PathText.name(journal.path)) }
        }
        try Self.refuseTwins(homes.sorted { $0.item.path < $1.item.path }, by: \.path)
        try Self.refuseTwins(homes.sorted { $0.item.place < $1.item.place }, by: \.place)
        self.items = items.filter { $0.status == .done }.sorted { $0.path < $1.path }
    }

    /// A journal has each only once; two journals may have been filled under different rules, or one may be a copy.
    private static func refuseTwins(
        _ homes: [(item: BatchJournal.Item, journal: String)], by key: KeyPath<BatchJournal.Item, String>
    ) throws(BatchError) {
        for (one, other) in zip(homes, homes.dropFirst()) where one.item[keyPath: key] == other.item[keyPath: key] {
            let (path, place) = (other.item.path, other.item.place)
            throw BatchError(
                .input,
                one.item.path == path
                    ? "\(path) is in the batch twice: as \(one.item.place) in \(one.journal), and as \(place) in"
                        + " \(other.journal); remove one of them, or do the batch anew in another folder"
                    : "\(one.item.path) (\(one.journal)) and \(path) (\(other.journal)) have the same place, \(place); only"
                        + " one of them can be there, so do the batch anew in another folder")
        }
    }

    /// - Parameter path: `nil` writes to standard output.
    /// - Throws: `BatchError`; with the code `input`, before anything is written, when a table is missing, incomplete or
    ///   has other columns than the others.
    public func write(to path: String?, replaces: Bool) throws(BatchError) {
        let header = try commonHeader()
        guard let path else { return try write(header, to: STDOUT_FILENO, named: "standard output") }
        if !replaces, FileManager.default.fileExists(atPath: path) {
            throw BatchError(.input, "\(path) exists; --force replaces it")
        }
        let file = try WholeFile(path: path)
        try write(header, to: file.descriptor, named: path)
        try file.complete()
    }

    // MARK: Headers

    /// The first line of each of them, with its end; `nil` when there are none.
    private func commonHeader() throws(BatchError) -> Data? {
        var common: (header: Data, source: String)?
        for item in items {
            let source = source(of: item)
            let header = try Self.header(of: source)
            guard let first = common else {
                common = (header, source)
                continue
            }
            guard header == first.header else { throw Self.mismatch(first, (header, source)) }
        }
        return common?.header
    }

    private func source(of item: BatchJournal.Item) -> String { "\(folder)/\(item.place)/\(table).csv" }

    private static func open(_ source: String) throws(BatchError) -> FileHandle {
        guard let input = FileHandle(forReadingAtPath: source) else {
            throw BatchError(.input, "\(source) cannot be read; run the batch again")
        }
        return input
    }

    /// - Throws: `BatchError` when the last line has no end, too.
    private static func header(of source: String) throws(BatchError) -> Data {
        let input = try open(source)
        defer { try? input.close() }
        do {
            let begin = try input.read(upToCount: 1 << 16) ?? Data()
            let end = try input.seekToEnd()
            if end > 0 {
                try input.seek(toOffset: end - 1)
                if try input.read(upToCount: 1) == Data("\n".utf8), let line = begin.firstIndex(of: UInt8(ascii: "\n"))
                {
                    return begin[...line]
                }
            }
        } catch {
            throw BatchError(.input, "\(source): \(error.localizedDescription)")
        }
        throw BatchError(.input, "\(source) ends in the middle of a row; remove its folder, and run the batch again")
    }

    /// Two tables and the columns that only one of them has.
    private static func mismatch(_ one: (header: Data, source: String), _ other: (header: Data, source: String))
        -> BatchError
    {
        let columns = [one, other].map { table in
            String(decoding: table.header.dropLast(), as: UTF8.self).split(
                separator: ",", omittingEmptySubsequences: false
            ).map(String.init)
        }
        let lone = [(columns[0], columns[1], one.source), (columns[1], columns[0], other.source)].compactMap {
            mine, theirs, source in
            let names = mine.filter { !theirs.contains($0) }
            return names.isEmpty ? nil : "only \(source) has \(names.joined(separator: ", "))"
        }
        return BatchError(
            .input,
            "\(one.source) and \(other.source) have different columns"
                + " (\(lone.isEmpty ? "the same in another order" : lone.joined(separator: "; "))):"
                + " different versions of vidscan have made them, so run the batch again")
    }

    // MARK: Rows

    private func write(_ header: Data?, to descriptor: Int32, named name: String) throws(BatchError) {
        guard let header else { return }
        guard try Self.write(Data("video,".utf8) + header, to: descriptor, named: name) else { return }
        for item in items {
            let source = source(of: item)
            let input = try Self.open(source)
            defer { try? input.close() }
            let prefix = Data((CSVField.text(item.path) + ",").utf8)
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
                    } else if line != header {
                        throw BatchError(.input, "\(source) was replaced while it was read; merge again")
                    }
                    isFirst = false
                    pending = pending[(end + 1)...]
                }
                guard try Self.write(lines, to: descriptor, named: name) else { return }
                pending = Data(pending)
                if piece.isEmpty { break }
            }
        }
    }

    /// - Returns: `false` when the reader of standard output has gone: it has seen what it wanted.
    private static func write(_ data: Data, to descriptor: Int32, named name: String) throws(BatchError) -> Bool {
        if WholeFile.write(data, to: descriptor) { return true }
        if errno == EPIPE && descriptor == STDOUT_FILENO { return false }
        throw BatchError(writing: name, errno)
    }
}
