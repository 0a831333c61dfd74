import Foundation
import TestSupport
import Testing
import VidscanFaces
import VidscanResults

@Suite("A run says how well its people were measured")
struct QualitySummaryTests {
    private static func row(
        _ person: Int, visible: Double, measured: Double?, oneSide: Double = 0, blank: [BlankReason: Double] = [:]
    ) -> QualityRow {
        var row = QualityRow(personID: person)
        (row.visibleSeconds, row.measuredSeconds, row.oneSideSeconds) = (visible, measured, oneSide)
        row.blankSeconds = blank
        (row.medianWidth, row.medianYaw) = (120.4, 11.6)
        return row
    }

    private static func summary(_ rows: [QualityRow], metrics: Set<Metric> = Set(Metric.allCases)) -> QualitySummary {
        QualitySummary(rows, metrics: metrics)
    }

    @Test("Each of the five people who are visible for longest has a line in columns, with all reasons")
    func lines() {
        var profile = Self.row(12, visible: 9.04, measured: 0, blank: [.noMesh: 9.04])
        (profile.medianWidth, profile.medianYaw) = (8.2, nil)
        let rows = [
            profile,
            Self.row(2, visible: 100, measured: 60, oneSide: 30, blank: [.turned: 25, .covered: 14.8, .small: 0.2]),
            Self.row(3, visible: 0, measured: 0),
        ]
        #expect(
            Self.summary(rows).lines.map(\.text) == [
                "person  2: visible 100.0 s, measured 60 % (whole face 30 %), 120 px wide, yaw 12°; 30 % from one side, 25 % turned away, 15 % covered",
                "person 12: visible   9.0 s, measured  0 % (whole face  0 %),   8 px wide, yaw  -°; 100 % no mesh",
            ])
        let many = Self.summary((1...8).map { Self.row($0, visible: Double($0), measured: Double($0)) })
        #expect(many.lines.map(\.row.personID) == [8, 7, 6, 5, 4] && many.omitted == 3)
    }

    @Test("A card has all reasons of one percent or more, and is weak below half of the whole face")
    func cards() {
        let rows = [
            Self.row(
                1, visible: 100, measured: 60, oneSide: 30, blank: [.turned: 25, .covered: 14, .noMesh: 1, .small: 0.2]),
            Self.row(2, visible: 1, measured: 1), Self.row(3, visible: 0, measured: 0),
        ]
        let cards = Self.summary(rows).cards
        #expect(
            cards.map(\.text) == [
                "measured 60 % (whole face 30 %), 120 px wide, yaw 12°; 30 % from one side,"
                    + " 25 % turned away, 14 % covered, 1 % no mesh",
                "measured 100 % (whole face 100 %), 120 px wide, yaw 12°",
            ])
        #expect(cards.map(\.isWeak) == [true, false] && cards.map(\.row.personID) == [1, 2])
        #expect(Self.summary(rows, metrics: [.smile]).cards.map(\.isWeak) == [false, false])
    }

    @Test("A card made from quality.csv says the same as the run, also of a dark face")
    func dark() throws {
        let folder = try TemporaryFolder()
        try
            ("person_id,seconds_visible,measured_seconds,one_side_seconds,turned_seconds,median_width,median_yaw,"
            + "median_brightness\n1,10.000,8.000,0.000,2.000,120.4,11.6,4.9\n")
            .write(toFile: folder.path + "/quality.csv", atomically: true, encoding: .utf8)
        let summary = Self.summary(try QualityRow.read(folder.path))
        let text = "measured 80 % (whole face 80 %), 120 px wide, yaw 12°; 20 % turned away; dark (brightness 5 of 100)"
        #expect(summary.cards.map(\.text) == [text])
        #expect(summary.lines.map(\.text) == ["person 1: visible 10.0 s, " + text])
    }

    @Test("Lines say only what was requested")
    func requested() {
        let row = Self.row(1, visible: 10, measured: 9, oneSide: 5, blank: [.small: 1])
        #expect(
            Self.summary([row], metrics: [.smile]).lines.map(\.text) == [
                "person 1: visible 10.0 s, measured 90 %, 120 px wide, yaw 12°; 10 % too small"
            ])
        #expect(
            Self.summary([Self.row(1, visible: 10, measured: nil)], metrics: []).lines.map(\.text) == [
                "person 1: visible 10.0 s, 120 px wide, yaw 12°"
            ])
    }

    @Test("Below half, a warning says why and what would help")
    func warning() {
        func warning(_ rows: [QualityRow], _ metrics: Set<Metric> = Set(Metric.allCases)) -> String? {
            Self.summary(rows, metrics: metrics).warning
        }
        let small = Self.row(1, visible: 10, measured: 4.9, blank: [.small: 4, .turned: 1.1])
        #expect(
            warning([small])
                == "person 1 is visible for 10.0 s, but the whole face was measured for only 49 % of that: 40 % too small, 11 % turned away;"
                + " film from closer, or with more pixels")
        #expect(warning([Self.row(1, visible: 10, measured: 5, blank: [.small: 5])]) == nil)
        // In a short video, also somebody who is visible for less.
        #expect(warning([Self.row(1, visible: 7, measured: 0, blank: [.small: 7])]) != nil)
        #expect(warning([Self.row(1, visible: 20, measured: nil)], []) == nil)
        // Emotions need the whole face; a smile does not.
        let oneSide = Self.row(1, visible: 20, measured: 20, oneSide: 16)
        #expect(warning([oneSide])?.hasSuffix("20 % of that: 80 % from one side; film the face from the front") == true)
        #expect(warning([oneSide], [.smile]) == nil)
        // One warning for a video, which leaves out who is seldom seen.
        let others = [
            Self.row(2, visible: 30, measured: 3, blank: [.noMesh: 27]), Self.row(3, visible: 9.9, measured: 0),
        ]
        #expect(
            warning([oneSide] + others)?.hasPrefix("person 2 is visible for 30.0 s") == true
                && warning([oneSide] + others)?.hasSuffix(" (as for 1 more person)") == true)
    }
}
