/// Who is seen at the same time as whom in one video. They are different people.
struct SimultaneousPeople: Sendable {
    /// Pairs of indices in the list of people, the lower one first.
    let pairs: Set<Pair>

    struct Pair: Hashable, Sendable {
        let first: Int
        let second: Int

        init(_ one: Int, _ other: Int) {
            (first, second) = (min(one, other), max(one, other))
        }
    }

    /// - Parameter people: All people of the video.
    init(_ people: ArraySlice<VideoPerson>, of video: StudyVideo) {
        var appearances: [(range: ClosedRange<Int64>, person: Int)] = []
        for (index, person) in zip(people.indices, people) {
            for faceID in person.faceIDs {
                appearances += (video.track(faceID)?.appearances ?? []).map { ($0, index) }
            }
        }
        appearances.sort { ($0.range.lowerBound, $0.person) < ($1.range.lowerBound, $1.person) }
        var pairs: Set<Pair> = []
        var visible: [(range: ClosedRange<Int64>, person: Int)] = []
        for appearance in appearances {
            visible.removeAll { $0.range.upperBound < appearance.range.lowerBound }
            for other in visible where other.person != appearance.person {
                pairs.insert(Pair(other.person, appearance.person))
            }
            visible.append(appearance)
        }
        self.pairs = pairs
    }

    func contains(_ one: Int, _ other: Int) -> Bool { pairs.contains(Pair(one, other)) }
}
