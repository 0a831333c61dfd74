internal import Foundation
package import VidscanBase
internal import VidscanResults

/// A file of corrections: `corrections.json`.
package struct CorrectionFile: Sendable {
    /// As the user wrote it.
    package private(set) var path = ""
    package private(set) var text = ""
    /// The name of the video for which the corrections were made, and its size.
    package let video: (name: String, bytes: Int64)
    package let corrections: [Correction]
    /// The same as the file has them.
    package let list: [JSONValue]

    package static let maximumBytes = 4 << 20
    static let format = "vidscan corrections 1"

    /// Throws an error that names the first correction that is wrong.
    package init(path: String) throws(VidscanError) {
        try self.init(text: try TextFile.text(named: path, limit: Self.maximumBytes), path: path)
    }

    /// `path` is for messages.
    package init(text: String, path: String) throws(VidscanError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
            throw .result(Printable.line(Self.reason(error)), input: path)
        }
        (self.path, self.text) = (path, text)
    }
}

extension CorrectionFile: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder, ["format", "video", "corrections"])
        let format = try members.text("format", maximum: 100)
        guard format == Self.format else {
            throw members.problem("format", "is '\(format)', but this version reads '\(Self.format)'")
        }
        let own = try members.object("video", ["name", "bytes"])
        video = (try own.text("name", maximum: 1024), try own.integer("bytes", in: ReadLimits.counts))
        corrections = try members.list("corrections", count: 0...AppliedCorrections.maximum)
        list = try members.decode("corrections")
    }

    /// Says what is wrong, and where: `correction 2: face.time is missing`.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return RecordFile.reason(error) }
        let (keys, what): ([any CodingKey], String) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
                (context.codingPath, "must be \(noun(of: type))")
            case .dataCorrupted(let context) where !context.codingPath.isEmpty:
                (context.codingPath, context.debugDescription)
            default: ([], "")
            }
        guard let first = keys.first else { return RecordFile.reason(error) }
        guard first.stringValue == "corrections", keys.count > 1, let index = keys[1].intValue else {
            return "'\(names(keys))' \(what)"
        }
        let own = names(Array(keys.dropFirst(2)))
        return "correction \(index + 1): \(own.isEmpty ? "" : "'\(own)' ")\(what)"
    }

    private static func names(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".")
    }

    private static func noun(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Double.Type, is Int64.Type: "a number"
        case is [Any].Type, is [Correction].Type: "a list"
        default: "an object"
        }
    }
}

/// The members of a JSON object that has no other keys than those that are known, with numbers and texts in their limits.
struct StrictMembers {
    private let container: KeyedDecodingContainer<NamedKey>

    private init(_ container: KeyedDecodingContainer<NamedKey>, _ keys: [String]?) throws {
        self.container = container
        if let keys { try allow(keys) }
    }

    /// `keys` are all keys that the object may have.
    init(_ decoder: any Decoder, _ keys: [String]? = nil) throws {
        try self.init(try decoder.container(keyedBy: NamedKey.self), keys)
    }

    func object(_ key: String, _ keys: [String]) throws -> StrictMembers {
        try StrictMembers(
            try container.nestedContainer(keyedBy: NamedKey.self, forKey: NamedKey(stringValue: key)), keys)
    }

    func allow(_ keys: [String]) throws {
        guard let unknown = container.allKeys.map(\.stringValue).sorted().first(where: { !keys.contains($0) }) else {
            return
        }
        let shown = String(unknown.prefix(40))
        throw problem("'\(shown)' is not a known key\(NearestName.suggestion(for: shown, among: keys))")
    }

    func has(_ key: String) -> Bool { container.contains(NamedKey(stringValue: key)) }

    func decode<Value: Decodable>(_ key: String) throws -> Value {
        try container.decode(Value.self, forKey: NamedKey(stringValue: key))
    }

    func text(_ key: String, maximum: Int) throws -> String {
        let text: String = try decode(key)
        guard text.utf8.count <= 4 * maximum, text.count <= maximum else {
            throw problem(key, "is longer than \(maximum) characters")
        }
        return text
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws -> Double {
        let number: Double = try decode(key)
        guard range.contains(number) else {
            let limits = "\(NumberText.plain(range.lowerBound)) to \(NumberText.plain(range.upperBound))"
            throw problem(key, "must be from \(limits)")
        }
        return number
    }

    func integer(_ key: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let number = Int64(exactly: try number(key, in: Double(range.lowerBound)...Double(range.upperBound)))
        else { throw problem(key, "must be a whole number") }
        return number
    }

    func microseconds(_ key: String) throws -> Int64 {
        Int64((try number(key, in: ReadLimits.seconds) * 1e6).rounded())
    }

    func list<Value: Decodable>(_ key: String, count: ClosedRange<Int>) throws -> [Value] {
        // Counted before any is decoded.
        let own = try container.nestedUnkeyedContainer(forKey: NamedKey(stringValue: key)).count ?? 0
        guard count.contains(own) else {
            throw problem(key, "has \(own) values; it may have \(count.lowerBound) to \(count.upperBound)")
        }
        return try decode(key)
    }

    func problem(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath, debugDescription: reason))
    }

    func problem(_ key: String, _ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath + [NamedKey(stringValue: key)], debugDescription: reason))
    }
}
