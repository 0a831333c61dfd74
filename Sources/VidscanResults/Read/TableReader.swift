package import VidscanBase

/// Reads a table of a result row by row. An impossible value throws an error that names the file, line and column.
package final class TableReader {
    package let name: String
    /// Of the current row; the header is line 1.
    package private(set) var line = 0
    package private(set) var header: [String] = []
    private var columns: [String: Int] = [:]
    private let file: ReadableFile
    private var buffer: [UInt8] = []
    /// The end of the current row in the buffer.
    private var position = 0
    private var isAtEnd = false
    /// Ranges in the buffer.
    private var fields: [Range<Int>] = []

    /// Throws if the header is missing or names a column twice.
    package init(folder: String, name: String) throws(VidscanError) {
        self.name = name
        file = try ReadableFile(path: "\(folder)/\(name)")
        guard try nextLine() else { throw .result("\(name) is empty") }
        for (index, range) in fields.enumerated() {
            let column = String(decoding: buffer[range], as: UTF8.self)
            let isNew = columns.updateValue(index, forKey: column) == nil
            try require(isNew, "column \(Self.excerpt(buffer[range])) appears twice")
            header.append(column)
        }
    }

    package func column(_ name: String) throws(VidscanError) -> Int {
        guard let index = columns[name] else {
            throw .result("\(self.name) has no column \(name): another version of vidscan wrote it")
        }
        return index
    }

    /// Returns `nil` for a column that earlier versions did not write.
    package func optionalColumn(_ name: String) -> Int? { columns[name] }

    /// Returns `false` at the end. Throws for a row that is cut off, or has more or fewer fields than the header.
    package func next() throws(VidscanError) -> Bool {
        guard try nextLine() else { return false }
        try require(
            fields.count == header.count, "has \(NumberText.count(fields.count, "field")) instead of \(header.count)")
        return true
    }

    /// Throws for a line that is too long or has no end.
    private func nextLine() throws(VidscanError) -> Bool {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                line += 1
                split(position..<end)
                position = end + 1
                return true
            }
            guard !isAtEnd || position < buffer.count else { return false }
            buffer.removeSubrange(..<position)
            position = 0
            guard !isAtEnd, buffer.count <= ReadLimits.line else {
                line += 1
                throw problem(isAtEnd ? "does not end with a line break" : "is longer than \(ReadLimits.line) bytes")
            }
            let more = try file.next(upTo: 1 << 16)
            buffer += more
            isAtEnd = more.isEmpty
        }
    }

    /// Fields are never quoted, because no value in a result contains a comma or a quotation mark.
    private func split(_ row: Range<Int>) {
        let buffer = buffer
        fields.removeAll(keepingCapacity: true)
        var begin = row.lowerBound
        for index in row where buffer[index] == UInt8(ascii: ",") {
            fields.append(begin..<index)
            begin = index + 1
        }
        fields.append(begin..<row.upperBound)
    }

    package var row: ArraySlice<UInt8> {
        guard let first = fields.first, let last = fields.last else { return [] }
        return buffer[first.lowerBound..<last.upperBound]
    }

    private func bytes(_ column: Int) -> ArraySlice<UInt8> { buffer[fields[column]] }

    package func problem(_ reason: String) -> VidscanError {
        .result("\(name), line \(line): \(reason); the table is damaged, analyse the video again")
    }

    package func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(VidscanError) {
        if !holds { throw problem(reason()) }
    }

    package func text(_ column: Int) -> String? {
        fields[column].isEmpty ? nil : String(decoding: bytes(column), as: UTF8.self)
    }

    /// Returns a value of a fixed set; `parse` returns `nil` outside it.
    package func value<Value>(_ column: Int, _ parse: (String) -> Value?) throws(VidscanError) -> Value {
        guard let value = parse(text(column) ?? "") else {
            throw unexpected(column, "has the unknown value \(shown(column))")
        }
        return value
    }

    /// Returns `nil` for a blank field, and without the column.
    package func optionalNumber(_ column: Int?, in range: ClosedRange<Double>) throws(VidscanError) -> Double? {
        guard let column, let text = text(column) else { return nil }
        // NaN is in no range either.
        guard let value = Double(text), range.contains(value) else {
            throw unexpected(column, "must be a number from \(Column.text(of: range)), but is \(shown(column))")
        }
        return value
    }

    package func number(_ column: Int, in range: ClosedRange<Double>) throws(VidscanError) -> Double {
        guard let value = try optionalNumber(column, in: range) else { throw unexpected(column, "is blank") }
        return value
    }

    package func optionalInteger(_ column: Int?, in range: ClosedRange<Int>) throws(VidscanError) -> Int? {
        guard let column, let text = text(column) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            throw unexpected(column, "must be a whole number from \(limits), but is \(shown(column))")
        }
        return value
    }

    package func integer(_ column: Int, in range: ClosedRange<Int>) throws(VidscanError) -> Int {
        guard let value = try optionalInteger(column, in: range) else { throw unexpected(column, "is blank") }
        return value
    }

    package func count(_ column: Int) throws(VidscanError) -> Int {
        try integer(column, in: 0...Int(ReadLimits.counts.upperBound))
    }

    /// Converts a number of seconds.
    package func microseconds(_ column: Int) throws(VidscanError) -> Int64 {
        Int64((try number(column, in: ReadLimits.seconds) * 1e6).rounded())
    }

    private func shown(_ column: Int) -> String { Self.excerpt(bytes(column)) }

    /// Shows bytes of a damaged file in a message: few, and only printable ASCII.
    private static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
        let shown = bytes.prefix(24).map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "?" }
        return "'" + String(shown) + (bytes.count > shown.count ? "…'" : "'")
    }

    private func unexpected(_ column: Int, _ reason: String) -> VidscanError { problem("\(header[column]) \(reason)") }
}

package struct FaceColumns {
    private let columns: [(field: FaceField, column: Int)]

    package init(_ fields: [FaceField], of table: TableReader) throws(VidscanError) {
        columns = try fields.map { field throws(VidscanError) in (field, try table.column(field.name)) }
    }

    /// All numbers but the box may be blank.
    package func numbers(in table: TableReader) throws(VidscanError) -> FaceNumbers {
        var numbers = FaceNumbers()
        for (field, column) in columns {
            numbers[field] =
                FaceField.box.contains(field)
                ? try table.number(column, in: field.range) : try table.optionalNumber(column, in: field.range)
        }
        return numbers
    }
}
