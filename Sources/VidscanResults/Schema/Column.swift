package import VidscanBase
package import VidscanFaces

package struct Column: Sendable, Equatable {
    package let name: String
    /// `s`, `px`, `degrees`, or empty for a dimensionless number.
    package let unit: String
    package let range, meaning: String
    /// How reliable the measurement is; `nil` unless the column is a metric of a face.
    package let status: Metric.Status?
    /// The words that it can contain, if they need an explanation.
    package internal(set) var values: [Value] = []

    package struct Value: Sendable, Equatable { public let name, meaning: String }

    /// `-90 to 90`
    package static func text(of range: ClosedRange<Double>) -> String {
        "\(NumberText.plain(range.lowerBound)) to \(NumberText.plain(range.upperBound))"
    }
}

/// A table with a row for each value of a type, declared by its columns.
package protocol ResultTable {
    associatedtype Row
    static var definitions: [ColumnDefinition<Row>] { get }
}

extension ResultTable {
    package typealias Definition = ColumnDefinition<Row>

    package static var columns: [Column] { definitions.map(\.column) }

    package static func fields(of row: Row) -> [Field] { definitions.map { $0.field(row) } }
}

package struct ColumnDefinition<Row>: Sendable {
    let column: Column
    let field: @Sendable (Row) -> Field
}

extension ColumnDefinition {
    init(
        _ name: String, unit: String = "", range: String, _ field: @escaping @Sendable (Row) -> Field,
        _ meaning: String, values: [Column.Value] = []
    ) {
        column = Column(name: name, unit: unit, range: range, meaning: meaning, status: nil, values: values)
        self.field = field
    }

    init(
        _ name: String, unit: String = "", range: String, decimals: Int,
        _ value: @escaping @Sendable (Row) -> Double?, _ meaning: String
    ) { self.init(name, unit: unit, range: range, { .decimal(value($0), decimals: decimals) }, meaning) }

    /// A time on the clock of the tables.
    static func time(_ name: String, _ microseconds: @escaping @Sendable (Row) -> Int64, _ meaning: String) -> Self {
        Self(name, unit: "s", range: "any", { .microseconds(microseconds($0)) }, meaning)
    }

    static func seconds(_ name: String, _ value: @escaping @Sendable (Row) -> Double?, _ meaning: String) -> Self {
        Self(name, unit: "s", range: "0 and up", decimals: 3, value, meaning)
    }

    static func fraction(_ name: String, _ value: @escaping @Sendable (Row) -> Double?, _ meaning: String) -> Self {
        Self(name, range: "0 to 1", decimals: 2, value, meaning)
    }

    static func number(
        _ name: String, from first: Int, _ value: @escaping @Sendable (Row) -> Int?, _ meaning: String
    ) -> Self { Self(name, range: "\(first) and up", { .integer(value($0)) }, meaning) }

    static func list(_ name: String, _ ids: @escaping @Sendable (Row) -> [Int], _ meaning: String) -> Self {
        Self(
            name, range: "numbers with spaces",
            { row in
                let ids = ids(row)
                return ids.isEmpty ? .missing : .text(ids.map(String.init).joined(separator: " "))
            }, meaning)
    }
}

/// No value is a missing field.
extension Field {
    package static func integer(_ value: Int?) -> Field { value.map { .integer(Int64($0)) } ?? .missing }

    package static func decimal(_ value: Double?, decimals: Int) -> Field {
        value.map { Field.decimal($0, decimals: decimals) } ?? .missing
    }
}
