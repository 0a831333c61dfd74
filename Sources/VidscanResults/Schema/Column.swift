internal import VidscanBase
public import VidscanFaces

/// One column of a result table.
public struct Column: Sendable, Equatable {
    public let name: String
    /// `s`, `px`, `degrees`, or empty for a dimensionless number.
    public let unit: String
    public let range: String
    public let meaning: String
    /// How far the measurement can be relied on; `nil` for columns that are no metric of a face.
    public let status: Metric.Status?

    init(name: String, unit: String, range: String, meaning: String, status: Metric.Status? = nil) {
        self.name = name
        self.unit = unit
        self.range = range
        self.meaning = meaning
        self.status = status
    }

    /// `-90 to 90`
    package static func text(of range: ClosedRange<Double>) -> String {
        "\(NumberText.plain(range.lowerBound)) to \(NumberText.plain(range.upperBound))"
    }
}

/// A column, and how to get its value from a row.
struct ColumnDefinition<Row>: Sendable {
    let column: Column
    let field: @Sendable (Row) -> Field

    init(
        _ name: String, unit: String = "", range: String, status: Metric.Status? = nil, _ meaning: String,
        _ field: @escaping @Sendable (Row) -> Field
    ) {
        column = Column(name: name, unit: unit, range: range, meaning: meaning, status: status)
        self.field = field
    }

    /// Defines a column of numbers that may be missing.
    init(
        _ name: String, unit: String = "", range: String, decimals: Int, status: Metric.Status? = nil,
        _ meaning: String,
        _ value: @escaping @Sendable (Row) -> Double?
    ) {
        self.init(name, unit: unit, range: range, status: status, meaning) { row in
            value(row).map { .decimal($0, decimals: decimals) } ?? .missing
        }
    }
}
