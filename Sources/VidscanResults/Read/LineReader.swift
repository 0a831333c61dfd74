package import VidscanBase

/// Reads a text file of a result line by line, in bounded memory.
package final class LineReader {
    /// The name for messages.
    package let name: String
    /// The number of the current line, from 1.
    package private(set) var number = 0
    /// Holds the current line.
    package private(set) var buffer: [UInt8] = []
    private let file: ReadableFile
    private let limit: Int
    private var position = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - name: The name of the file in `folder`.
    ///   - limit: The maximum length of a line in bytes.
    package init(folder: String, name: String, limit: Int = ReadLimits.line) throws(VidscanError) {
        self.name = name
        self.limit = limit
        file = try ReadableFile(folder: folder, name: name)
    }

    /// Advances to the next line.
    ///
    /// - Returns: The place of the line in `buffer`, without its line end; `nil` at the end of the file. The next call
    ///   moves it.
    /// - Throws: `VidscanError` for a line that is too long or has no end.
    package func next() throws(VidscanError) -> Range<Int>? {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                defer { position = end + 1 }
                return position..<end
            }
            guard !isAtEnd else {
                guard position == buffer.count else {
                    number += 1
                    throw problem("does not end with a line break")
                }
                return nil
            }
            buffer.removeSubrange(..<position)
            position = 0
            guard buffer.count <= limit else {
                number += 1
                throw problem("is longer than \(limit) bytes")
            }
            isAtEnd = try !file.read(upTo: 1 << 16, into: &buffer)
        }
    }

    /// Returns an error that names the current line.
    package func problem(_ reason: String) -> VidscanError {
        VidscanError(
            .result, "\(name), line \(number): \(reason); the table is damaged, analyse the video again", stage: .open)
    }
}
