package import Foundation

package indirect enum JSONValue: Codable, Hashable, Sendable {
    case null, flag(Bool), integer(Int), number(Double), text(String)
    case list([JSONValue]), object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<Value: Decodable>(_ make: (Value) -> JSONValue) -> JSONValue? {
            (try? container.decode(Value.self)).map(make)
        }
        self =
            container.decodeNil()
            ? .null
            : try value(Self.flag) ?? value(Self.integer) ?? value(Self.number) ?? value(Self.text) ?? value(Self.list)
                ?? .object(container.decode([String: JSONValue].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    package var lines: String { encoded(.prettyPrinted) + "\n" }

    package func encoded(_ formatting: JSONEncoder.OutputFormatting = []) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, formatting]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Encoding values of these types cannot fail.
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }
}

/// A key of a JSON object that is known only at run time.
package struct NamedKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}
