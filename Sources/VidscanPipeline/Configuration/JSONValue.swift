internal import VidscanMedia

/// Any JSON value.
indirect enum JSONValue: Encodable, Equatable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    func encode(to encoder: any Encoder) throws {
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

    init(_ value: SettingValue) {
        switch value {
        case .absent: self = .null
        case .flag(let value): self = .flag(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .text(let value): self = .text(value)
        case .list(let names): self = .list(names.map(JSONValue.text))
        case .filters(let chain): self = .list(chain.steps.map(JSONValue.text))
        }
    }
}
