package import VidscanBase

/// Reads a table of a result row by row, and finds columns by name. The reader trusts no value: one that cannot be true
/// ends the reading with an error that names the file, the line and the column.
package final class TableReader {
    /// The name for messages.
    package let name: String
    private let lines: LineReader
    /// The names of the columns.
    package private(set) var header: [String] = []
    private var columns: [String: Int] = [:]
    /// The fields of the current row, as ranges in the buffer.
    private var fields: [Range<Int>] = []

    /// - Parameter name: The name of the file in `folder`.
    /// - Throws: `VidscanError` if the file has no header, or one that names a column twice.
    package init(folder: String, name: String) throws(VidscanError) {
        self.name = name
        lines = try LineReader(folder: folder, name: name)
        guard try nextLine() else { throw VidscanError(.result, "\(name) is empty", stage: .open) }
        for (index, range) in fields.enumerated() {
            let column = String(decoding: lines.buffer[range], as: UTF8.self)
            guard columns.updateValue(index, forKey: column) == nil else {
                throw problem("column \(Excerpt.of(lines.buffer[range])) appears twice")
            }
            header.append(column)
        }
    }

    /// - Throws: `VidscanError` if there is no such column.
    package func column(_ name: String) throws(VidscanError) -> Int {
        guard let index = columns[name] else {
            throw VidscanError(
                .result, "\(self.name) has no column \(name): another version of vidscan wrote it", stage: .open)
        }
        return index
    }

    /// - Returns: `nil` if there is no such column, because an earlier version wrote the table.
    package func optionalColumn(_ name: String) -> Int? { columns[name] }

    /// Advances to the next row.
    ///
    /// - Returns: `false` at the end.
    /// - Throws: `VidscanError` for a row that is cut off, or that has more or fewer fields than the header.
    package func next() throws(VidscanError) -> Bool {
        guard try nextLine() else { return false }
        guard fields.count == header.count else {
            throw problem("has \(fields.count) \(fields.count == 1 ? "field" : "fields") instead of \(header.count)")
        }
        return true
    }

    private func nextLine() throws(VidscanError) -> Bool {
        guard let row = try lines.next() else { return false }
        split(row)
        return true
    }

    /// Fields are never quoted, because no value in a result contains a comma or a quotation mark.
    private func split(_ row: Range<Int>) {
        let buffer = lines.buffer
        fields.removeAll(keepingCapacity: true)
        var begin = row.lowerBound
        for index in row where buffer[index] == UInt8(ascii: ",") {
            fields.append(begin..<index)
            begin = index + 1
        }
        fields.append(begin..<row.upperBound)
    }

    // MARK: Values of the current row

    /// The current row as it is in the file, without its line end.
    package var row: ArraySlice<UInt8> {
        guard let first = fields.first, let last = fields.last else { return [] }
        return lines.buffer[first.lowerBound..<last.upperBound]
    }

    /// The bytes of a field of the current row.
    package func bytes(_ column: Int) -> ArraySlice<UInt8> { lines.buffer[fields[column]] }

    /// The line of the current row; the header is line 1.
    package var line: Int { lines.number }

    /// Returns an error that names the current line.
    package func problem(_ reason: String) -> VidscanError { lines.problem(reason) }

    /// - Returns: `nil` if the field is blank.
    package func text(_ column: Int) -> String? {
        fields[column].isEmpty ? nil : String(decoding: bytes(column), as: UTF8.self)
    }

    /// Returns a value that must be one of a fixed set.
    ///
    /// - Parameter parse: Returns `nil` for a text outside the set.
    package func value<Value>(_ column: Int, _ parse: (String) -> Value?) throws(VidscanError) -> Value {
        guard let value = parse(text(column) ?? "") else {
            throw unexpected(column, "has the unknown value \(shown(column))")
        }
        return value
    }

    /// - Returns: `nil` if the field is blank.
    package func optionalNumber(_ column: Int, in range: ClosedRange<Double>) throws(VidscanError) -> Double? {
        guard let text = text(column) else { return nil }
        // NaN is in no range either.
        guard let value = Double(text), range.contains(value) else {
            let limits = "\(NumberText.plain(range.lowerBound)) to \(NumberText.plain(range.upperBound))"
            throw unexpected(column, "must be a number from \(limits), but is \(shown(column))")
        }
        return value
    }

    package func number(_ column: Int, in range: ClosedRange<Double>) throws(VidscanError) -> Double {
        guard let value = try optionalNumber(column, in: range) else { throw unexpected(column, "is blank") }
        return value
    }

    /// - Returns: `nil` if the field is blank.
    package func optionalInteger(_ column: Int, in range: ClosedRange<Int>) throws(VidscanError) -> Int? {
        guard let text = text(column) else { return nil }
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

    /// Reads a number of seconds and returns it in microseconds.
    package func microseconds(_ column: Int) throws(VidscanError) -> Int64 {
        Int64((try number(column, in: ReadLimits.seconds) * 1e6).rounded())
    }

    private func shown(_ column: Int) -> String { Excerpt.of(bytes(column)) }

    private func unexpected(_ column: Int, _ reason: String) -> VidscanError {
        problem("\(header[column]) \(reason)")
    }
}
