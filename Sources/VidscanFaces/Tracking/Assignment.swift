/// Pairs rows with columns at minimum total cost by the Hungarian method (Jonker and Volgenant, "A shortest augmenting
/// path algorithm for dense and sparse linear assignment problems", Computing 38, 1987).
package enum Assignment {
    /// Returns the column of each row, or `nil` at the cost `unpaired`; ties go to the lower indices. The costs are row
    /// by row, `nil` for a forbidden pair.
    package static func solve(cost: [Double?], rowCount: Int, columnCount: Int, unpaired: Double) -> [Int?] {
        precondition(cost.count == rowCount * columnCount, "one cost for each pair")
        guard rowCount > 0, columnCount > 0 else { return [Int?](repeating: nil, count: rowCount) }
        // Each row adds one extra column, which means "no column".
        let width = columnCount + rowCount
        let forbidden = 1e9
        func price(_ row: Int, _ column: Int) -> Double {
            column < columnCount ? cost[row * columnCount + column] ?? forbidden : unpaired
        }
        var rowPotential = [Double](repeating: 0, count: rowCount + 1)
        var columnPotential = [Double](repeating: 0, count: width + 1)
        // The row of each column. Rows and columns count from 1 here; 0 means none.
        var owner = [Int](repeating: 0, count: width + 1)
        var previous = [Int](repeating: 0, count: width + 1)
        for row in 1...rowCount {
            owner[0] = row
            var column = 0
            var distance = [Double](repeating: .infinity, count: width + 1)
            var isDone = [Bool](repeating: false, count: width + 1)
            repeat {
                isDone[column] = true
                let current = owner[column]
                var step = Double.infinity
                var next = 0
                for candidate in 1...width where !isDone[candidate] {
                    let reduced = price(current - 1, candidate - 1) - rowPotential[current] - columnPotential[candidate]
                    if reduced < distance[candidate] {
                        distance[candidate] = reduced
                        previous[candidate] = column
                    }
                    if distance[candidate] < step {
                        step = distance[candidate]
                        next = candidate
                    }
                }
                for candidate in 0...width {
                    if isDone[candidate] {
                        rowPotential[owner[candidate]] += step
                        columnPotential[candidate] -= step
                    } else {
                        distance[candidate] -= step
                    }
                }
                column = next
            } while owner[column] != 0
            while column != 0 {
                let before = previous[column]
                owner[column] = owner[before]
                column = before
            }
        }
        var result = [Int?](repeating: nil, count: rowCount)
        for column in 1...columnCount where owner[column] > 0 {
            let row = owner[column] - 1
            if cost[row * columnCount + column - 1] != nil { result[row] = column - 1 }
        }
        return result
    }
}
