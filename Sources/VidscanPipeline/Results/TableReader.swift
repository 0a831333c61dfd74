internal import Foundation

/// Reads a table of a result row by row; columns are found by their names.
final class TableReader {
    private let handle: FileHandle
    private let name: String
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var columns: [String: Int] = [:]
    /// The fields of the current row.
    private var fields: [Range<Int>] = []

    /// - Parameter name: of the file in `folder`.
    init(folder: String, name: String) throws(PipelineError) {
        self.name = name
        guard let handle = FileHandle(forReadingAtPath: folder + "/" + name) else {
            throw PipelineError(.result, "cannot read \(name)", stage: .open)
        }
        self.handle = handle
        guard try next() else { throw PipelineError(.result, "\(name) is empty", stage: .open) }
        for (index, range) in fields.enumerated() { columns[String(decoding: buffer[range], as: UTF8.self)] = index }
    }

    /// - Throws: `PipelineError` when there is no such column.
    func column(_ name: String) throws(PipelineError) -> Int {
        guard let index = columns[name] else {
            throw PipelineError(.result, "\(self.name) has no column \(name)", stage: .open)
        }
        return index
    }

    /// Goes to the next row.
    ///
    /// - Returns: `false` at the end.
    func next() throws(PipelineError) -> Bool {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                split(position..<end)
                position = end + 1
                return true
            }
            guard !isAtEnd else { return false }
            buffer.removeSubrange(..<position)
            position = 0
            do {
                guard let data = try handle.read(upToCount: 1 << 16), !data.isEmpty else {
                    isAtEnd = true
                    continue
                }
                buffer.append(contentsOf: data)
            } catch {
                throw PipelineError(.result, "cannot read \(name): \(error.localizedDescription)", stage: .render)
            }
        }
    }

    /// The current row's value; `nil` when it is blank.
    func number(_ column: Int) -> Double? {
        guard fields.indices.contains(column), !fields[column].isEmpty else { return nil }
        return Double(String(decoding: buffer[fields[column]], as: UTF8.self))
    }

    func text(_ column: Int) -> String? {
        guard fields.indices.contains(column), !fields[column].isEmpty else { return nil }
        return String(decoding: buffer[fields[column]], as: UTF8.self)
    }

    /// Seconds with six decimals, in microseconds.
    func microseconds(_ column: Int) throws(PipelineError) -> Int64 {
        guard let seconds = number(column) else {
            throw PipelineError(.result, "\(name) has a row without a time", stage: .render)
        }
        return Int64((seconds * 1e6).rounded())
    }

    /// No value of a result has a comma or a quote in it.
    private func split(_ row: Range<Int>) {
        fields.removeAll(keepingCapacity: true)
        var begin = row.lowerBound
        for index in row where buffer[index] == UInt8(ascii: ",") {
            fields.append(begin..<index)
            begin = index + 1
        }
        fields.append(begin..<row.upperBound)
    }
}
