import Testing
import VidscanBase
import VidscanFaces
import VidscanRender

/// Samples are 40 ms apart. Face 1 is to stay visible, face 2 is hidden.
@Suite("A face stays visible only where it certainly belongs to the person")
struct CertaintySearchTests {
    private static func face(
        _ id: Int, at x: Double, confidence: Double = 0.9, match: Double? = nil
    ) -> CertaintySearch.Sighting {
        (id, Rectangle(x: x, y: 100, width: 100, height: 120), confidence, match)
    }

    /// Returns the doubts about face 1 in samples 0 to 9; "" where it may stay visible.
    ///
    /// - Parameter faces: Returns the faces of a sample.
    private static func doubts(
        claim: FaceClaim = .ofPerson(bestMicroseconds: 0), cuts: [ShotCut] = [], count: Int = 10,
        _ faces: (Int) -> [CertaintySearch.Sighting]
    ) -> [String] {
        var search = CertaintySearch(claims: [1: claim], cuts: cuts)
        for sample in 0..<count {
            search.add(faces(sample), sample: sample, microseconds: Int64(sample) * 40_000)
        }
        let found = search.finish()
        return (0..<count).map { found.doubt(about: 1, inSample: $0)?.rawValue ?? "" }
    }

    private static let certain = [String](repeating: "", count: 10)
    private static let unconfirmed = [String](repeating: "unconfirmed", count: 10)

    @Test("One sample that matches confirms all that the track followed without doubt")
    func confirmed() {
        #expect(Self.doubts { [Self.face(1, at: 100, match: $0 == 4 ? 0.9 : nil)] } == Self.certain)
        #expect(Self.doubts { [Self.face(1, at: 100, match: $0 == 4 ? 0.79 : nil)] } == Self.unconfirmed)
        #expect(Self.doubts { _ in [Self.face(1, at: 100)] } == Self.unconfirmed)
    }

    @Test("A face whose person is uncertain is hidden in spite of its matches; one that is named needs none")
    func claims() {
        let uncertain = Self.doubts(claim: .uncertain) { _ in [Self.face(1, at: 100, match: 0.99)] }
        #expect(uncertain == [String](repeating: "uncertain_person", count: 10))
        #expect(Self.doubts(claim: .named) { _ in [Self.face(1, at: 100, match: 0.01)] } == Self.certain)
    }

    @Test("After an overlap with a hidden face, a track must be confirmed again")
    func overlap() {
        let crossing = { (later: Double?) in
            Self.doubts { sample in
                let match: Double? = sample == 0 ? 0.99 : sample == 8 ? later : nil
                return [Self.face(1, at: 100, match: match), Self.face(2, at: sample == 5 ? 190 : 300)]
            }
        }
        let before = [String](repeating: "", count: 5)
        #expect(crossing(0.9) == before + ["overlap", "", "", "", ""])
        let after = ["overlap"] + [String](repeating: "unconfirmed", count: 4)
        #expect(crossing(nil) == before + after)
        #expect(crossing(0.2) == before + after)
    }

    @Test("An overlap of two faces that stay visible is no doubt")
    func together() {
        var search = CertaintySearch(
            claims: [1: .ofPerson(bestMicroseconds: 0), 2: .ofPerson(bestMicroseconds: 0)], cuts: [])
        search.add(
            [Self.face(1, at: 100, match: 0.9), Self.face(2, at: 150, match: 0.9)], sample: 0, microseconds: 0)
        let found = search.finish()
        #expect(found.doubt(about: 1, inSample: 0) == nil && found.doubt(about: 2, inSample: 0) == nil)
        #expect(found.doubt(about: 3, inSample: 0) == .unconfirmed)
    }

    @Test("A sample that does not match hides the face from the last match before it to the next one")
    func contradicted() {
        let matches = [0: 0.99, 3: 0.9, 5: 0.4, 7: 0.95]
        let doubts = Self.doubts { [Self.face(1, at: 100, match: matches[$0])] }
        #expect(doubts == ["", "", "", "", "unconfirmed", "unconfirmed", "unconfirmed", "", "", ""])
    }

    @Test("A doubtful detection, a gap and a jump each end what a match confirms")
    func interruptions() {
        let match = { (sample: Int) in sample == 0 ? 0.99 : nil }
        let rest = { (count: Int) in [String](repeating: "unconfirmed", count: count) }
        let faint = Self.doubts { [Self.face(1, at: 100, confidence: $0 == 4 ? 0.4 : 0.9, match: match($0))] }
        #expect(faint == ["", "", "", "", "uncertain_detection"] + rest(5))
        let gap = Self.doubts { (3...5).contains($0) ? [] : [Self.face(1, at: 100, match: match($0))] }
        #expect(gap == ["", "", ""] + rest(7))
        let short = Self.doubts { (3...4).contains($0) ? [] : [Self.face(1, at: 100, match: match($0))] }
        #expect(short == Self.certain)
        let jump = Self.doubts { [Self.face(1, at: $0 < 5 ? 100 : 170, match: match($0))] }
        #expect(jump == ["", "", "", "", ""] + rest(5))
    }

    @Test("Around a cut, and longer around a dissolve, a face is hidden")
    func cuts() {
        let match = { (sample: Int) in [0, 9].contains(sample) ? 0.99 : nil }
        let hard = Self.doubts(cuts: [(200_000, .hard)]) {
            [Self.face(1, at: 100, match: match($0))]
        }
        #expect(hard == ["", "", "", "cut", "cut", "cut", "cut", "", "", ""])
        let gradual = Self.doubts(cuts: [(800_000, .gradual)], count: 40) {
            [Self.face(1, at: 100, match: [0, 39].contains($0) ? 0.99 : nil)]
        }
        #expect(gradual.indices.filter { gradual[$0] == "cut" } == Array(5..<35))
    }

    @Test("Where a correction says whose face it is, no match is needed, and none contradicts it")
    func decided() {
        // The correction is about sample 4.
        let claim = FaceClaim.decided(at: [160_000])
        #expect(Self.doubts(claim: claim) { _ in [Self.face(1, at: 100)] } == Self.certain)
        #expect(Self.doubts(claim: claim) { [Self.face(1, at: 100, match: $0 == 6 ? 0.02 : nil)] } == Self.certain)
        #expect(Self.doubts(claim: .decided(at: [])) { _ in [Self.face(1, at: 100)] } == Self.unconfirmed)
        let faint = Self.doubts(claim: claim) { [Self.face(1, at: 100, confidence: [2, 6].contains($0) ? 0.4 : 0.9)] }
        #expect(faint == ["", "", "uncertain_detection", "", "", "", "uncertain_detection", "", "", ""])
    }

    @Test("An overlap, a jump, a cut or a gap beside others may have swapped faces after a correction")
    func swapped() {
        let claim = FaceClaim.decided(at: [40_000])
        let rest = { [String](repeating: "unconfirmed", count: $0) }
        let crossing = { (match: Double?) in
            Self.doubts(claim: claim) {
                [
                    Self.face(1, at: 100, match: $0 == 8 ? match : nil), Self.face(2, at: $0 == 5 ? 190 : 300),
                ]
            }
        }
        #expect(crossing(nil) == ["", "", "", "", "", "overlap"] + rest(4))
        #expect(crossing(0.79) == ["", "", "", "", "", "overlap"] + rest(4))
        #expect(crossing(0.9) == ["", "", "", "", "", "overlap", "", "", "", ""])
        let jump = Self.doubts(claim: claim) { [Self.face(1, at: $0 < 5 ? 100 : 170)] }
        #expect(jump == ["", "", "", "", ""] + rest(5))
        let cut = Self.doubts(claim: claim, cuts: [(200_000, .hard)]) { _ in [Self.face(1, at: 100)] }
        #expect(cut == ["", "", "", "cut", "cut", "cut", "cut"] + rest(3))
        let gap = { (others: Bool, length: Int) in
            Self.doubts(claim: claim, count: 40) { sample in
                (2..<2 + length).contains(sample)
                    ? (others ? [Self.face(2, at: 400)] : []) : [Self.face(1, at: 100)]
            }
        }
        // A gap of 0.4 s, alone and beside somebody else, and one of more than a second.
        #expect(gap(false, 9)[11...].allSatisfy { $0 == "" })
        #expect(gap(true, 9)[11...].allSatisfy { $0 == "unconfirmed" })
        #expect(gap(false, 25)[27...].allSatisfy { $0 == "unconfirmed" })
    }

    @Test("The count says why faces stay hidden, and which to name")
    func reasons() {
        var count = VisibilityCount()
        count.add(visibleFaces: 1, doubts: [:])
        #expect(count.reasons == nil)
        count.add(visibleFaces: 1, doubts: [8: .cut])
        #expect(count.reasons == "hidden in doubt: 1 frame near a cut")
        count.add(visibleFaces: 0, doubts: [3: .unconfirmed, 8: .unconfirmed])
        #expect(
            count.reasons
                == "hidden in doubt: 1 frame near a cut, 1 frame in which nothing confirms who it is (person_match);"
                + " if you know the face, name it there in a same_person correction, or give --keep-face 3,8")
    }

    @Test("A face whose best sample is not certain is hidden everywhere")
    func bestSample() {
        // The report shows sample 8, after the crossing.
        let doubts = Self.doubts(claim: .ofPerson(bestMicroseconds: 320_000)) { sample in
            [Self.face(1, at: 100, match: sample == 0 ? 0.99 : nil), Self.face(2, at: sample == 5 ? 190 : 300)]
        }
        #expect(!doubts.contains(""))
    }
}
