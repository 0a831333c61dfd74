/// Finds the name that a user who mistyped one probably meant.
public enum NearestName {
    /// Returns the name at the smallest optimal string alignment distance (insertions, removals and replacements of
    /// letters, and swaps of neighbours), or `nil` if the distance exceeds a third of the letters.
    public static func find(_ name: String, among names: some Sequence<String>) -> String? {
        let typed = Array(name.lowercased().unicodeScalars)
        var best: (name: String, distance: Int)?
        for candidate in names {
            let distance = distance(typed, Array(candidate.lowercased().unicodeScalars))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, isNear(best.name, typed, best.distance) else { return nil }
        return best.name
    }

    /// Returns the names that contain the typed one or are similar to it, nearest first.
    public static func near(_ name: String, among names: [String]) -> [String] {
        let typed = name.lowercased()
        let letters = Array(typed.unicodeScalars)
        return sorted(names, by: name).filter { candidate in
            let lowercased = candidate.lowercased()
            return !typed.isEmpty && lowercased.contains(typed)
                || isNear(candidate, letters, distance(letters, Array(lowercased.unicodeScalars)))
        }
    }

    /// Whether the distance is at most a third of the letters of the longer name.
    private static func isNear(_ name: String, _ typed: [Unicode.Scalar], _ distance: Int) -> Bool {
        distance <= max(1, max(typed.count, name.unicodeScalars.count) / 3)
    }

    /// Returns the names, nearest first: those that contain the typed one, then by distance. Equally near names keep their
    /// order.
    public static func sorted(_ names: [String], by name: String) -> [String] {
        let typed = name.lowercased()
        let letters = Array(typed.unicodeScalars)
        let ranked = names.enumerated().map { place, candidate -> (name: String, rank: (Int, Int, Int)) in
            let contains = !typed.isEmpty && candidate.lowercased().contains(typed)
            return (
                candidate, (contains ? 0 : 1, distance(letters, Array(candidate.lowercased().unicodeScalars)), place)
            )
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.name)
    }

    /// Returns a suggestion such as `; did you mean 'scale'?`, or an empty string if no name is near.
    public static func suggestion(for name: String, among names: some Sequence<String>) -> String {
        find(name, among: names).map { "; did you mean '\($0)'?" } ?? ""
    }

    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var rows = [Array(0...b.count)]
        for i in 1..<(a.count + 1) {
            var row = [i]
            for j in 1..<(b.count + 1) {
                let replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var cost = min(replaced, rows[i - 1][j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    cost = min(cost, rows[i - 2][j - 2] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
