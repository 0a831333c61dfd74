internal import VidscanBase
package import VidscanFaces

/// How well the people of a video were measured, in words.
package struct QualitySummary: Sendable {
    /// Why part of a person's time was not measured, and what would help.
    private struct Lack: Sendable {
        var words, remedy: String
        /// Whether expressions are measured, but emotions are not.
        var isPartial = false
        var seconds: @Sendable (QualityRow) -> Double
    }

    private static let lacks = [
        Lack(words: "turned away", remedy: "film the face from the front") { $0.blankSeconds[.turned] ?? 0 },
        Lack(words: "no mesh", remedy: "film the face from the front, closer and with more light") {
            $0.blankSeconds[.noMesh] ?? 0
        },
        Lack(words: "too small", remedy: "film from closer, or with more pixels") { $0.blankSeconds[.small] ?? 0 },
        Lack(words: "covered", remedy: "uncover mouth and eyes") { $0.blankSeconds[.covered] ?? 0 },
        Lack(words: "from one side", remedy: "film the face from the front", isPartial: true) { $0.oneSideSeconds },
        Lack(words: "half covered", remedy: "uncover mouth and eyes", isPartial: true) { $0.halfCoveredSeconds },
    ]

    /// The people who are visible at all, those who are visible for longest first.
    private let rows: [QualityRow]
    /// Whether emotions are requested, which need the whole face.
    private let needsWholeFace: Bool

    package init(_ rows: [QualityRow], metrics: Set<Metric>) {
        self.rows = rows.filter { $0.visibleSeconds > 0 }.sorted {
            ($1.visibleSeconds, $0.personID) < ($0.visibleSeconds, $1.personID)
        }
        needsWholeFace = metrics.contains { $0.group == .emotions }
    }

    private static let maximumLines = 5

    /// A line for each of the people who are visible for longest, in columns.
    package var lines: [(row: QualityRow, text: String)] {
        let rows = rows.prefix(Self.maximumLines)
        let cells = rows.map { row in
            ["person \(row.personID):", "visible \(Self.fixed(row.visibleSeconds)) s,"] + measures(of: row)
        }
        return zip(rows, Self.aligned(cells)).map { ($0, $1 + reasons(of: $0)) }
    }

    /// What the page says of each person. A weak one had the face, or the whole of it, measured for less than half of the time.
    package var cards: [(row: QualityRow, text: String, isWeak: Bool)] {
        rows.map { ($0, measures(of: $0).joined(separator: " ") + reasons(of: $0), isWeak($0)) }
    }

    private func measures(of row: QualityRow) -> [String] {
        [
            row.measuredFraction.map { "measured \(Self.percent($0))\(needsWholeFace ? "" : ",")" },
            needsWholeFace ? row.wholeFraction.map { "(whole face \(Self.percent($0)))," } : nil,
            "\(row.medianWidth.map(Self.whole) ?? "-") px wide,", "yaw \(row.medianYaw.map(Self.whole) ?? "-")°",
        ].compactMap { $0 }
    }

    /// Why not all was measured, and whether the face was dark; empty if nothing is to be said.
    private func reasons(of row: QualityRow) -> String {
        let lacks = lacks(of: row)
        var reasons = lacks.isEmpty ? [] : [words(lacks)]
        if let brightness = row.medianBrightness, brightness < Self.dark {
            reasons.append("dark (brightness \(Self.whole(brightness)) of 100)")
        }
        return reasons.map { "; " + $0 }.joined()
    }

    package var omitted: Int { max(0, rows.count - Self.maximumLines) }

    /// Pads the number in each cell on its left. All rows have the same cells.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            zip(cells, widths).map { cell, width in
                let start = cell.firstIndex(where: \.isNumber) ?? cell.firstIndex(of: "-") ?? cell.startIndex
                return cell[..<start] + String(repeating: " ", count: width - cell.count) + cell[start...]
            }.joined(separator: " ")
        }
    }

    /// From how many seconds on a person counts, also in a long video.
    private static let minimumSeconds = 10.0
    /// Below this brightness, 0…100, scores are measured, but on little.
    private static let dark = 10.0

    /// Names the person who is visible for longest among those who were measured for less than half of their time.
    /// Leaves out people who are seldom seen: for less than ten seconds, and less than half as long as somebody else.
    package var warning: String? {
        let minimum = min(Self.minimumSeconds, (rows.first?.visibleSeconds ?? 0) / 2)
        let weak = rows.filter { row in row.visibleSeconds >= minimum && isWeak(row) }
        guard let row = weak.first, let fraction = fraction(of: row), let main = lacks(of: row).first?.lack else {
            return nil
        }
        let others = weak.count - 1
        return "person \(row.personID) is visible for \(Self.fixed(row.visibleSeconds)) s, but"
            + " the \(needsWholeFace ? "whole face" : "face") was measured for only \(Self.percent(fraction)) of that:"
            + " \(words(lacks(of: row))); \(main.remedy)"
            + (others > 0 ? " (as for \(others) more \(others == 1 ? "person" : "people"))" : "")
    }

    private func fraction(of row: QualityRow) -> Double? { needsWholeFace ? row.wholeFraction : row.measuredFraction }
    private func isWeak(_ row: QualityRow) -> Bool { fraction(of: row).map { $0 < 0.5 } ?? false }

    /// Those of at least one percent, in descending order.
    private func lacks(of row: QualityRow) -> [(lack: Lack, fraction: Double)] {
        guard row.measuredSeconds != nil else { return [] }
        return Self.lacks.filter { needsWholeFace || !$0.isPartial }
            .map { ($0, row.fraction(of: $0.seconds(row)) ?? 0) }
            .filter { $0.1 >= 0.005 }.sorted { $0.1 > $1.1 }
    }

    private func words(_ lacks: [(lack: Lack, fraction: Double)]) -> String {
        lacks.map { "\(Self.percent($0.fraction)) \($0.lack.words)" }.joined(separator: ", ")
    }

    private static func percent(_ fraction: Double) -> String { "\(whole(100 * fraction)) %" }
    private static func whole(_ value: Double) -> String { NumberText.fixed(value, decimals: 0) }
    private static func fixed(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) }
}
