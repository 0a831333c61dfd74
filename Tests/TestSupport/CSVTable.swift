package import Foundation

/// A CSV file, read as strictly as RFC 4180 describes it, so that no test passes on a table that a user's reader refuses.
///
/// Every row has as many fields as the header, quotes enclose whole fields, and no column is there twice. Lines may end
/// with LF alone, as vidscan writes them.
package struct CSVTable: Equatable, Sendable {
    /// What is wrong with a file, and in which record, the header being 1.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let record: Int
        package let reason: String

        package init(record: Int, reason: String) {
            self.record = record
            self.reason = reason
        }

        package var description: String { "record \(record): \(reason)" }
    }

    package let columns: [String]
    /// Fields as text, without their quotes; missing values are blank.
    package private(set) var rows: [[String]]

    package init(path: String) throws {
        try self.init(bytes: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    package init(_ text: String) throws {
        try self.init(bytes: Data(text.utf8))
    }

    package init(bytes: Data) throws {
        var parser = CSVParser(bytes: Array(bytes))
        guard let header = try parser.nextRecord() else { throw Malformed(record: 1, reason: "there is no header") }
        if let twice = header.first(where: { name in header.count { $0 == name } > 1 }) {
            throw Malformed(record: 1, reason: "there are two columns '\(twice)'")
        }
        columns = header
        rows = []
        while let row = try parser.nextRecord() {
            guard row.count == header.count else {
                throw Malformed(record: rows.count + 2, reason: "\(row.count) fields instead of \(header.count)")
            }
            rows.append(row)
        }
    }

    // MARK: Reading

    /// A field as it is written; blank when the value is missing.
    package func text(_ column: String, _ row: Int) throws -> String { rows[row][try index(of: column)] }

    /// A field's number; `nil` when the field is blank.
    package func number(_ column: String, _ row: Int) throws -> Double? {
        let text = try text(column, row)
        return text.isEmpty ? nil : try Self.number(text, column, row)
    }

    /// All fields of a column.
    package func texts(_ column: String) throws -> [String] {
        let index = try index(of: column)
        return rows.map { $0[index] }
    }

    /// All numbers of a column, none of which may be missing.
    package func numbers(_ column: String) throws -> [Double] {
        try texts(column).enumerated().map { try Self.number($0.element, column, $0.offset) }
    }

    private func index(of column: String) throws -> Int {
        guard let index = columns.firstIndex(of: column) else {
            throw Malformed(record: 1, reason: "there is no column '\(column)'")
        }
        return index
    }

    private static func number(_ text: String, _ column: String, _ row: Int) throws -> Double {
        guard let number = Double(text) else {
            throw Malformed(record: row + 2, reason: "\(column) is '\(text)', which is not a number")
        }
        return number
    }

    // MARK: Writing

    /// Replaces one field.
    package mutating func set(_ column: String, _ row: Int, to value: String) throws {
        rows[row][try index(of: column)] = value
    }

    /// The file's text, with quotes where they are needed.
    package var text: String {
        ([columns] + rows).map { $0.map(Self.quoted).joined(separator: ",") + "\n" }.joined()
    }

    private static func quoted(_ field: String) -> String {
        let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        return needsQuotes ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
    }
}

/// Splits the bytes of a CSV file into records.
private struct CSVParser {
    private let bytes: [UInt8]
    private var position = 0
    private var record = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Returns: `nil` at the end of the file.
    mutating func nextRecord() throws -> [String]? {
        guard position < bytes.count else { return nil }
        record += 1
        var fields: [String] = []
        repeat { fields.append(try nextField()) } while take(UInt8(ascii: ","))
        if position < bytes.count {
            _ = take(UInt8(ascii: "\r"))
            guard take(UInt8(ascii: "\n")) else { throw malformed("text after a closing quote, or a lone CR") }
        }
        return fields
    }

    private mutating func nextField() throws -> String {
        var field: [UInt8] = []
        if take(UInt8(ascii: "\"")) {
            // Two quotes stand for one, and the field ends with a single one.
            repeat {
                guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\"")) else {
                    throw malformed("an opening quote without a closing one")
                }
                field += bytes[position..<end]
                position = end + 1
                if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { field.append(bytes[position]) }
            } while take(UInt8(ascii: "\""))
        } else {
            let end = bytes[position...].firstIndex { [0x2C, 0x0A, 0x0D].contains($0) } ?? bytes.count
            field = Array(bytes[position..<end])
            position = end
            guard !field.contains(UInt8(ascii: "\"")) else { throw malformed("a quote inside a field without quotes") }
        }
        guard let text = String(validating: field, as: UTF8.self) else { throw malformed("bytes that are not UTF-8") }
        return text
    }

    /// Steps over a byte if it is this one.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func malformed(_ reason: String) -> CSVTable.Malformed {
        CSVTable.Malformed(record: record, reason: reason)
    }
}
