internal import Foundation
internal import Synchronization
internal import VidscanBase

/// The pictures of faces that the report pages of results contain. Nothing is decoded for them, so a result without a report
/// page, or with one without pictures, has none.
final class ReportThumbnails: Sendable {
    /// What all pictures of a page take together at most, in characters of their `data:` URLs.
    static let budget = 4 << 20
    static let maximumPerResult = 3
    /// A picture in a report takes about 10,000 characters.
    private static let maximumLength = 40_000
    /// Pictures are near the beginning of a report.
    private static let maximumBytes = 512 << 10
    private static let prefix = Array("data:image/jpeg;base64,".utf8)

    private struct Entry {
        var identity: FileIdentity
        var pictures: [String]
    }

    private let entries = Mutex<[PathBytes: Entry]>([:])

    /// The pictures in a report page, and an empty list if there is no page.
    ///
    /// - Parameters:
    ///   - path: the path of the page.
    ///   - count: how many at most.
    func pictures(inReport path: String, count: Int) -> [String] {
        guard let identity = FileState(path: path)?.identity else { return [] }
        let known = entries.withLock { $0[PathBytes(path)] }
        if let known, known.identity == identity { return Array(known.pictures.prefix(count)) }
        let pictures = Self.read(path)
        entries.withLock { $0[PathBytes(path)] = Entry(identity: identity, pictures: pictures) }
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

    /// Finds the `data:` URLs of JPEG files, which end with a character that cannot be part of them.
    private static func find(in bytes: [UInt8]) -> [String] {
        var pictures: [String] = []
        var position = bytes.startIndex
        while pictures.count < maximumPerResult, let start = bytes[position...].firstRange(of: prefix) {
            let end = bytes[start.upperBound...].firstIndex { !isBase64($0) } ?? bytes.endIndex
            position = end
            guard end < bytes.endIndex else { break }
            let length = end - start.lowerBound
            if end > start.upperBound, length <= maximumLength {
                pictures.append(String(decoding: bytes[start.lowerBound..<end], as: UTF8.self))
            }
        }
        return pictures
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
