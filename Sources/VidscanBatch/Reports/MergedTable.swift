internal import Foundation
package import VidscanBase
internal import VidscanResults

/// One table of all results of a batch, ordered by the inputs' paths, after a column `video` with that path.
package struct MergedTable: Sendable {
    private let folder, table: String
    private let items: [BatchJournal.Item]

    /// - Parameter table: `faces`, `frames`, `tracks`, `events` or `episodes`.
    package init(folder: String, table: String) throws(VidscanError) {
        (self.folder, self.table) = (folder, table)
        var origins: [(item: BatchJournal.Item, journal: String)] = []
        for journal in try BatchJournal.all(in: folder) {
            origins += try journal.items().map { ($0, FilePath.name(of: journal.path)) }
        }
        try Self.rejectDuplicates(
            origins.sorted { PathBytes($0.item.resultPath) < PathBytes($1.item.resultPath) }, by: \.resultPath)
        origins.sort { PathBytes($0.item.path) < PathBytes($1.item.path) }
        try Self.rejectDuplicates(origins, by: \.path)
        items = origins.map(\.item).filter(\.isFinished)
    }

    /// Each journal has them once, but one journal can be a copy of another.
    private static func rejectDuplicates(
        _ origins: [(item: BatchJournal.Item, journal: String)], by key: KeyPath<BatchJournal.Item, String>
    ) throws(VidscanError) {
        for (one, other) in zip(origins, origins.dropFirst())
        where PathBytes(one.item[keyPath: key]) == PathBytes(other.item[keyPath: key]) {
            let (path, resultPath) = (other.item.path, other.item.resultPath)
            throw .input(
                PathBytes(one.item.path) == PathBytes(path)
                    ? "\(path) is in the batch twice: as \(one.item.resultPath) in \(one.journal), and as \(resultPath) in"
                        + " \(other.journal); remove one of them, or run the batch again in another folder"
                    : "\(one.item.path) (\(one.journal)) and \(path) (\(other.journal)) have the same result,"
                        + " \(resultPath); run the batch again in another folder")
        }
    }

    package func write(to path: String, replaces: Bool) throws(VidscanError) {
        let header = try commonHeader()
        let file = try AtomicFile(path: path, replaces: replaces)
        try write(header) { bytes throws(VidscanError) in try file.write(bytes) }
        try file.complete()
    }

    /// Writes the table to `output` in blocks. If there are no tables (`result`), or one is missing, incomplete or has different
    /// columns (`input`), it throws before the first block.
    package func write(into output: ([UInt8]) throws(VidscanError) -> Void) throws(VidscanError) {
        try write(try commonHeader(), output)
    }

    private func source(of item: BatchJournal.Item) -> String { "\(folder)/\(item.resultPath)/\(table).csv" }

    private static func open(_ source: String) throws(VidscanError) -> FileHandle {
        do throws(SystemError) {
            return FileHandle(fileDescriptor: try FileSystem.openFile(source).descriptor, closeOnDealloc: true)
        } catch {
            throw VidscanError(.input, "cannot read \(source): \(error); remove its folder and run the batch again")
        }
    }

    private static func reading<Value>(_ source: String, _ read: () throws -> Value) throws(VidscanError) -> Value {
        do { return try read() } catch { throw VidscanError(.input, "\(source): \(error.localizedDescription)") }
    }

    private typealias Header = (header: Data, source: String)

    /// With its line end.
    private func commonHeader() throws(VidscanError) -> Data {
        var common: Header?
        for item in items {
            let source = source(of: item)
            if let other = BatchFolder(folder).otherInput(of: item) {
                throw .input("\(source) is of \(other), not of \(item.path); move its folder and run the batch again")
            }
            let header = try Self.header(of: source)
            if let common, common.header != header { throw Self.mismatch(common, (header, source)) }
            common = common ?? (header, source)
        }
        guard let common else { throw .result("\(folder) has no finished results to merge") }
        return common.header
    }

    private static func header(of source: String) throws(VidscanError) -> Data {
        let input = try open(source)
        let header = try reading(source) { () -> Data? in
            let start = try input.read(upToCount: 1 << 16) ?? Data()
            guard let end = start.firstIndex(of: lineEnd) else { return nil }
            try input.seek(toOffset: try input.seekToEnd() - 1)
            return try input.read(upToCount: 1) == Data([lineEnd]) ? start[...end] : nil
        }
        guard let header else {
            throw .input("\(source) ends in the middle of a row; remove its folder and run the batch again")
        }
        return header
    }

    private static let lineEnd = UInt8(ascii: "\n")

    private static func mismatch(_ one: Header, _ other: Header) -> VidscanError {
        func columns(_ table: Header) -> [String] {
            String(decoding: table.header.dropLast(), as: UTF8.self).components(separatedBy: ",")
        }
        let differences = [(one, other), (other, one)].compactMap { own, foreign -> String? in
            let names = columns(own).filter { !columns(foreign).contains($0) }
            return names.isEmpty ? nil : "only \(own.source) has \(names.joined(separator: ", "))"
        }
        return .input(
            "\(one.source) and \(other.source) have different columns"
                + " (\(differences.isEmpty ? "the same ones in another order" : differences.joined(separator: "; ")));"
                + " they were made by different versions of vidscan, so run the batch again")
    }

    private func write(_ header: Data, _ output: ([UInt8]) throws(VidscanError) -> Void) throws(VidscanError) {
        try output("video,".utf8 + [UInt8](header))
        for item in items {
            let source = source(of: item)
            let input = try Self.open(source)
            let prefix = Array((CSVField.text(item.path) + ",").utf8)
            let start = try Self.reading(source) { try input.read(upToCount: header.count) }
            try require(start == header, .input, "\(source) was replaced during the merge; merge again")
            var pending: [UInt8] = []
            while let block = try Self.reading(source, { try input.read(upToCount: 1 << 20) }), !block.isEmpty {
                // No field of a result's table contains a line end.
                var lines = (pending + block).split(separator: Self.lineEnd, omittingEmptySubsequences: false)
                pending = Array(lines.removeLast())
                try require(
                    pending.count <= ReadLimits.line, .input,
                    "\(source) has a row of more than \(ReadLimits.line) bytes; run the batch again")
                try output(lines.flatMap { prefix + $0 + [Self.lineEnd] })
            }
        }
    }
}
