/// A part of a picture: some rows, from one column to another.
public struct PicturePart: Sendable, Equatable {
    /// Whether each row of the picture belongs to the part.
    public var rows: [Bool]
    /// The columns of the part.
    public var columns: Range<Int>

    /// - Parameters:
    ///   - rows: One value for each row of the picture.
    ///   - columns: Inside the picture.
    public init(rows: [Bool], columns: Range<Int>) {
        self.rows = rows
        self.columns = columns
    }

    /// A part without pixels.
    ///
    /// - Parameter size: The size of the picture.
    public init(of size: PictureSize) {
        self.init(rows: [Bool](repeating: false, count: size.height), columns: 0..<0)
    }

    /// Adds a row, from one column to another.
    public mutating func add(row: Int, columns other: Range<Int>) {
        guard !other.isEmpty else { return }
        rows[row] = true
        columns =
            columns.isEmpty
            ? other : min(columns.lowerBound, other.lowerBound)..<max(columns.upperBound, other.upperBound)
    }
}
