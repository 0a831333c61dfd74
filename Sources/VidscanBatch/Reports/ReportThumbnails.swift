internal import Foundation
internal import Synchronization
internal import VidscanBase

/// The pictures of faces in the report pages of results. It decodes no video, so a result without a page has none.
final class ReportThumbnails: Sendable {
    /// The limit for a page, in characters of its `data:` URLs.
    static let budget = 4 << 20
    static let maximumPerResult = 3
    /// A picture takes about 10,000 characters.
    private static let maximumLength = 40_000
    /// Pictures are near the beginning of a report.
    private static let maximumBytes = 512 << 10
    private static let prefix = Array("data:image/jpeg;base64,".utf8)

    private struct Entry {
        var state: FileState
        var pictures: [String]
    }

    private let entries = Mutex<[PathBytes: Entry]>([:])

    func pictures(inReport path: String, count: Int) -> [String] {
        guard let state = FileState(path: path) else { return [] }
        let known = entries.withLock { $0[PathBytes(path)] }
        if let known, known.state == state { return Array(known.pictures.prefix(count)) }
        let pictures = Self.read(path)
        entries.withLock { $0[PathBytes(path)] = Entry(state: state, pictures: pictures) }
        return Array(pictures.prefix(count))
    }

    private static func read(_ path: String) -> [String] {
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var pictures: [String] = []
        // In pieces, because the first ones usually contain enough.
        while pictures.count < maximumPerResult, bytes.count < maximumBytes,
            let piece = try? file.read(upToCount: 64 << 10), !piece.isEmpty
        {
            bytes += piece
            pictures = find(in: bytes)
        }
        return pictures
    }

    /// Finds the `data:` URLs of JPEG files, which end before a character that they cannot contain.
    private static func find(in bytes: [UInt8]) -> [String] {
        var pictures: [String] = []
        var position = bytes.startIndex
        while pictures.count < maximumPerResult, let start = bytes[position...].firstRange(of: prefix) {
            let end = bytes[start.upperBound...].firstIndex { !base64.contains($0) } ?? bytes.endIndex
            position = end
            guard end < bytes.endIndex else { break }
            let length = end - start.lowerBound
            if end > start.upperBound, length <= maximumLength {
                pictures.append(String(decoding: bytes[start.lowerBound..<end], as: UTF8.self))
            }
        }
        return pictures
    }

    private static let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)
}
