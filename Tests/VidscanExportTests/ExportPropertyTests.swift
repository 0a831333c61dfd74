import Foundation
import TestSupport
import Testing
import VidscanExport

@Suite("Whatever the episodes are, every file keeps the rules of its format")
struct ExportPropertyTests {
    /// Episodes that a run could write, and others: several at the same time, overlaps, and faces of nobody.
    private static func episodes(_ generator: inout SeededGenerator, people: [Int: Int]) -> [String] {
        var time = 0
        return (0..<Int.random(in: 0...60, using: &generator)).map { _ in
            time += [0, 0, 1, 40, 200, 350].randomElement(using: &generator) ?? 0
            let kinds = ["shot", "visible", "blink", "eyes_closed", "smile", "look_away"]
            let kind = kinds.randomElement(using: &generator) ?? ""
            let face = Int.random(in: 1...people.count, using: &generator)
            let person = Bool.random(using: &generator) ? people[face].map { "\($0)" } ?? "" : ""
            let end = time + ([0, Int.random(in: 0...3000, using: &generator)].randomElement(using: &generator) ?? 0)
            let seen = ["0,0", "0,1", "1,0", "1,1"].randomElement(using: &generator) ?? ""
            return "\(kind),\(kind == "shot" ? "," : "\(person),\(face)"),\(Double(time) / 1000),\(Double(end) / 1000),"
                + "\(seen),,,,0"
        }
    }

    @Test("Tiers have no overlaps, TextGrids no gaps, and all formats the same annotations", arguments: 0..<40)
    func rules(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let faces = Int.random(in: 1...4, using: &generator)
        let people = Dictionary(
            uniqueKeysWithValues: (1...faces).map { ($0, Int.random(in: 1...2, using: &generator)) })
        let exported = try await ExportedResult(
            people: people, episodes: Self.episodes(&generator, people: people),
            duration: seed.isMultiple(of: 3) ? nil : 12.3456,
            grouping: seed.isMultiple(of: 2) ? .person : .face)
        let document = try exported.document()
        let values = document.slots.map(\.value)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 } && values.allSatisfy { $0 >= 0 })
        let slots = Dictionary(uniqueKeysWithValues: document.slots.map { ($0.id, $0.value) })
        let annotations = document.tiers.flatMap(\.annotations)
        #expect(Set(annotations.map(\.id)).count == annotations.count)
        #expect(Set(annotations.flatMap { [$0.begin, $0.end] }) == Set(slots.keys))
        for tier in document.tiers {
            let times = try tier.annotations.map { (try #require(slots[$0.begin]), try #require(slots[$0.end])) }
            #expect(times.allSatisfy { $0.0 < $0.1 })
            #expect(zip(times, times.dropFirst()).allSatisfy { $0.1 <= $1.0 })
        }

        let grid = try exported.grid()
        #expect(grid.tiers.map(\.name) == document.tiers.map { $0.attributes["TIER_ID"] })
        let end = try #require(Double(grid.end))
        for (tier, drawn) in zip(grid.tiers, document.tiers) {
            #expect(tier.intervals.first?.begin == 0 && tier.intervals.last?.end == end)
            #expect(tier.intervals.allSatisfy { $0.begin < $0.end })
            #expect(zip(tier.intervals, tier.intervals.dropFirst()).allSatisfy { $0.end == $1.begin })
            let labelled = tier.intervals.filter { !$0.label.isEmpty }
            #expect(labelled.map(\.label) == drawn.annotations.map(\.value))
            #expect(
                labelled.map { Int(($0.begin * 1000).rounded()) } == drawn.annotations.compactMap { slots[$0.begin] })
        }

        let cues = try exported.text(".vtt").split(separator: "\n").filter { $0.contains(" --> ") }
        #expect(cues.count == annotations.count)
        // Times of two digits each sort like text.
        #expect(cues.map { $0.prefix(12) } == cues.map { $0.prefix(12) }.sorted())
        #expect(cues.allSatisfy { $0.prefix(12) < $0.suffix(12) })

        let lines = try exported.text("_events.tsv").split(separator: "\n").dropFirst()
        let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        #expect(rows.allSatisfy { $0.count == 13 && !$0.contains("") })
        let onsets = rows.compactMap { Double($0[0]) }
        #expect(onsets == onsets.sorted() && onsets.count == rows.count)
        #expect(rows.allSatisfy { (Double($0[1]) ?? 0) > 0 })
        let speakers = try exported.text(".rttm").split(separator: "\n")
        let inSight = document.tiers.filter { $0.attributes["TIER_ID"]?.hasPrefix("visible@") == true }
        #expect(speakers.count == inSight.reduce(0) { $0 + $1.annotations.count })
    }
}
