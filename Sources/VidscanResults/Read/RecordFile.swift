internal import Foundation
package import VidscanBase

/// Reads and writes `run.json` and other files of JSON.
package enum RecordFile {
    /// `limit` is in bytes.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, folder: String, name: String, limit: Int = ReadLimits.record
    ) throws(VidscanError) -> Value {
        let bytes = try ReadableFile(path: "\(folder)/\(name)").contents(limit: limit)
        do { return try decoder.decode(type, from: Data(bytes)) } catch {
            throw .result("its \(name) cannot be read: \(reason(error))")
        }
    }

    /// Returns a value as text with sorted keys in snake case. `name` is for messages.
    package static func text(
        _ value: some Encodable, name: String, isPretty: Bool = true
    ) throws(VidscanError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [isPretty ? .prettyPrinted : [], .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        do { return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n" } catch {
            throw VidscanError(.output, "cannot write \(name): \(error.localizedDescription)", stage: .write)
        }
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    package static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is not valid JSON" }
        switch error {
        case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(path(context.codingPath)) has a value of the wrong type"
        case .dataCorrupted(let context):
            let words = (context.underlyingError as? NSError)?.userInfo[NSDebugDescriptionErrorKey] as? String
            let detail = words ?? context.debugDescription
            return context.codingPath.isEmpty
                ? "it is not valid JSON (\(printable(detail)))" : "\(path(context.codingPath)): \(printable(detail))"
        @unknown default: return "it is not valid JSON"
        }
    }

    /// Returns the path of a value as the file writes it: `video.display_width`.
    private static func path(_ keys: [any CodingKey]) -> String {
        let names = keys.map { key in
            key.intValue.map(String.init)
                ?? key.stringValue.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        }
        return printable(names.joined(separator: "."))
    }

    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(200).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}

struct RecordCheck {
    let file: String

    func require(_ holds: Bool, _ key: String, _ rule: String) throws(VidscanError) {
        if !holds { throw .result("its \(file) cannot be read: \(key) must be \(rule)") }
    }

    func number(_ value: Double?, _ key: String, in range: ClosedRange<Double>) throws(VidscanError) {
        if let value { try require(range.contains(value), key, Column.text(of: range)) }
    }

    func integer<Number: BinaryInteger>(
        _ value: Number?, _ key: String, in range: ClosedRange<Number>
    ) throws(VidscanError) {
        if let value { try require(range.contains(value), key, "\(range.lowerBound) to \(range.upperBound)") }
    }

    func counts(_ object: String, _ values: KeyValuePairs<String, Int>) throws(VidscanError) {
        for (key, value) in values { try integer(Int64(value), "\(object).\(key)", in: ReadLimits.counts) }
    }

    func map(_ map: VidscanBase.AffineTransform?, _ key: String) throws(VidscanError) {
        guard let map else { return }
        let numbers: KeyValuePairs = ["xx": map.xx, "xy": map.xy, "x": map.x, "yx": map.yx, "yy": map.yy, "y": map.y]
        for (name, value) in numbers { try number(value, "\(key).\(name)", in: ReadLimits.coordinates) }
    }
}
