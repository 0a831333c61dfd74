internal import Foundation
package import VidscanBase

/// The members of a JSON object that has no other keys than those that are known, with numbers and texts in their limits.
package struct StrictMembers {
    private let container: KeyedDecodingContainer<NamedKey>

    private init(_ container: KeyedDecodingContainer<NamedKey>, _ keys: [String]?) throws {
        self.container = container
        if let keys { try allow(keys) }
    }

    /// `keys` are all keys that the object may have.
    package init(_ decoder: any Decoder, _ keys: [String]? = nil) throws {
        try self.init(try decoder.container(keyedBy: NamedKey.self), keys)
    }

    package func allow(_ keys: [String]) throws {
        let unknown = container.allKeys.map(\.stringValue).sorted().first { !keys.contains($0) }
        guard let unknown else { return }
        let shown = String(unknown.prefix(40))
        throw problem("'\(shown)' is not a known key\(NearestName.suggestion(for: shown, among: keys))")
    }

    package func has(_ key: String) -> Bool { container.contains(NamedKey(stringValue: key)) }

    package func decode<Value: Decodable>(_ key: String) throws -> Value {
        try container.decode(Value.self, forKey: NamedKey(stringValue: key))
    }

    package func text(_ key: String, maximum: Int) throws -> String {
        let text: String = try decode(key)
        guard text.utf8.count <= 4 * maximum, text.count <= maximum else {
            throw problem(key, "is longer than \(maximum) characters")
        }
        return text
    }

    package func number(_ key: String, in range: ClosedRange<Double>) throws -> Double {
        let number: Double = try decode(key)
        guard range.contains(number) else { throw problem(key, "must be from \(Column.text(of: range))") }
        return number
    }

    package func integer(_ key: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let number = Int64(exactly: try number(key, in: Double(range.lowerBound)...Double(range.upperBound)))
        else { throw problem(key, "must be a whole number") }
        return number
    }

    package func microseconds(_ key: String) throws -> Int64 {
        Int64((try number(key, in: ReadLimits.seconds) * 1e6).rounded())
    }

    package func list<Value: Decodable>(_ key: String, count: ClosedRange<Int>) throws -> [Value] {
        let own = try container.nestedUnkeyedContainer(forKey: NamedKey(stringValue: key)).count ?? 0
        guard count.contains(own) else {
            let allowed = count.count == 1 ? "\(count.lowerBound)" : "\(count.lowerBound) to \(count.upperBound)"
            throw problem(key, "has \(NumberText.count(own, "value")); it must have \(allowed)")
        }
        return try decode(key)
    }

    package func problem(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath, debugDescription: reason))
    }

    package func problem(_ key: String, _ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath + [NamedKey(stringValue: key)], debugDescription: reason))
    }

    /// Left edge, top edge, width and height in pixels. The extents are more than nothing.
    package func box(_ key: String) throws -> Rectangle {
        let sides: [Double] = try list(key, count: 4...4)
        let extents = 1e-3...ReadLimits.extents.upperBound
        guard sides[..<2].allSatisfy(ReadLimits.coordinates.contains), sides[2...].allSatisfy(extents.contains) else {
            throw problem(key, "must have coordinates of x and y, and a width and height above 0")
        }
        return Rectangle(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
    }

    /// Reads a file of a person's decisions about a video. `list` is its list, and `path` is for messages.
    package static func decode<Value: Decodable>(
        _ text: String, listing list: String, path: String
    ) throws(VidscanError) -> Value {
        let value: Value
        do { value = try JSONDecoder().decode(Value.self, from: Data(text.utf8)) } catch {
            let reason = (error as? DecodingError).map { words($0, list) } ?? RecordFile.reason(error)
            throw .result(Printable.line(reason), input: path)
        }
        if let key = duplicateKey(in: Array(text.utf8)) { throw .result("duplicate key '\(key)'", input: path) }
        return value
    }

    /// Returns the first duplicate key in valid JSON, or `nil`. Decoders silently ignore one of the two values.
    private static func duplicateKey(in json: [UInt8]) -> String? {
        var (open, key, index): ([Set<String>], ArraySlice<UInt8>, Int) = ([], [], 0)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "}"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let start = index
                repeat {
                    index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                } while index < json.count && json[index] != UInt8(ascii: "\"")
                key = json[start...min(index, json.count - 1)]
            case UInt8(ascii: ":"):
                // It may be escaped.
                let name = (try? JSONDecoder().decode(String.self, from: Data(key))) ?? ""
                if let last = open.indices.last, !open[last].insert(name).inserted {
                    return Printable.line(String(name.prefix(40)))
                }
            default: break
            }
            index += 1
        }
        return nil
    }

    package func require(format expected: String) throws {
        let format = try text("format", maximum: 100)
        guard format == expected else { throw problem("format", "is '\(format)', but must be '\(expected)'") }
    }

    /// Returns the name and size of the video that such a file is for. Throws if it has another format.
    package func video(format expected: String) throws -> (name: String, bytes: Int64) {
        try require(format: expected)
        let video = try StrictMembers(
            try container.nestedContainer(keyedBy: NamedKey.self, forKey: NamedKey(stringValue: "video")),
            ["name", "bytes"])
        return (try video.text("name", maximum: 1024), try video.integer("bytes", in: ReadLimits.counts))
    }

    /// Says what is wrong in which item of a list with this plural name: `correction 2: face.time is missing`.
    private static func words(_ error: DecodingError, _ list: String) -> String {
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
        guard first.stringValue == list, keys.count > 1, let index = keys[1].intValue else {
            return "'\(names(keys))' \(what)"
        }
        let own = names(Array(keys.dropFirst(2)))
        return "\(list.dropLast()) \(index + 1): \(own.isEmpty ? "" : "'\(own)' ")\(what)"
    }

    private static func names(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".")
    }

    private static func noun(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type, is Int64.Type: "a number"
        default: "\(type)".hasPrefix("Array<") ? "a list" : "an object"
        }
    }
}
