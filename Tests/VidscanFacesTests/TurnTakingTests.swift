import Testing
import VidscanFaces

@Suite("Turns, gaps, overlaps and interruptions are those of Heldner and Edlund")
struct TurnTakingTests {
    /// One character for each tenth of a second: `#` speaks, `.` is silent, `?` is unknown.
    private static func states(_ text: String) -> [Bool?] { text.map { $0 == "?" ? nil : $0 == "#" } }

    private static func talk(_ first: String, _ second: String) -> TurnTaking {
        TurnTaking(states(first), states(second), interval: 0.1)
    }

    @Test("Silence between two speakers is a gap, between turns of one speaker a pause")
    func gaps() {
        let talk = Self.talk(
            "#####..............#####.....#####....",
            ".........#####........................")
        #expect(talk.turns.first == [5, 5, 5] && talk.turns.second == [5])
        #expect(talk.gaps == [4, 5])
        #expect(talk.interruptions.byFirst.isEmpty && talk.interruptions.bySecond.isEmpty)
        #expect(talk.overlapsWithin.isEmpty && talk.known == 38)
    }

    @Test("Whoever goes on alone after an overlap that began later has interrupted")
    func interruptions() {
        let talk = Self.talk(
            "########..........######....",
            ".....###########..........##")
        #expect(talk.interruptions.bySecond == [3] && talk.interruptions.byFirst.isEmpty)
        let reverse = Self.talk(".....#########", "########......")
        #expect(reverse.interruptions.byFirst == [3] && reverse.interruptions.bySecond.isEmpty)
    }

    @Test("An overlap within a turn interrupts nobody")
    func within() {
        let talk = Self.talk("###############", ".....####......")
        #expect(talk.overlapsWithin == [4] && talk.gaps.isEmpty)
        #expect(talk.interruptions.byFirst.isEmpty && talk.interruptions.bySecond.isEmpty)
    }

    @Test("Silences up to 0.3 s are bridged, and stretches under 0.3 s are no turns")
    func bridges() {
        #expect(Self.talk("###...###....##....###", String(repeating: ".", count: 22)).turns.first == [9, 3])
    }

    @Test("Where one of them is unknown for more than 0.3 s, nothing is counted")
    func unknown() {
        let talk = Self.talk("#####.....??????......", "................######")
        #expect(talk.gaps.isEmpty && talk.turns.first == [5] && talk.turns.second == [6])
        // The last state is held for three tenths.
        #expect(talk.known == 19)
        #expect(Self.talk("#####..??.......", "...........#####").gaps == [6])
        #expect(Self.talk("##########", "??????????").turns.first.isEmpty)
    }

    @Test("Both speaking before silence, or both silent before an overlap, is not classified")
    func mixed() {
        let talk = Self.talk("########..........", ".....###.....#####")
        #expect(talk.gaps.isEmpty && talk.interruptions.bySecond.isEmpty && talk.overlapsWithin.isEmpty)
    }
}
