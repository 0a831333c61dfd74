package import VidscanBase

/// The columns of a table that hold numbers of a face.
package struct FaceColumns {
    private let columns: [(field: FaceField, column: Int)]

    /// - Throws: `VidscanError` if a column is missing.
    package init(_ fields: [FaceField], of table: TableReader) throws(VidscanError) {
        var columns: [(FaceField, Int)] = []
        for field in fields { columns.append((field, try table.column(field.name))) }
        self.columns = columns
    }

    /// Reads the numbers in the current row. All but the box may be blank.
    package func numbers(in table: TableReader) throws(VidscanError) -> FaceNumbers {
        var numbers = FaceNumbers()
        for (field, column) in columns {
            numbers[field] =
                FaceField.box.contains(field)
                ? try table.number(column, in: field.range) : try table.optionalNumber(column, in: field.range)
        }
        return numbers
    }
}
