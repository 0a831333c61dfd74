/// Stretches of a state that holds at points of a regular clock.
package struct StateStretches: Sendable, Equatable {
    /// An unknown state is taken to be the last known one for this time at most, as while the eyes blink.
    package static let heldSeconds = 0.3
    /// An interruption of at most this does not end a stretch, and a shorter stretch does not count.
    package static let shortestSeconds = 0.3

    package let ranges: [Range<Int>]
    /// Whether each point lies in a stretch; `nil` where that is unknown, which ends a stretch.
    package let states: [Bool?]

    /// `interval`: the seconds from one point to the next, more than 0.
    package init(of states: [Bool?], interval: Double) {
        let bridged = Self.points(in: Self.shortestSeconds, interval: interval)
        let shortest = Int((Self.shortestSeconds / interval - Self.tolerance).rounded(.up))
        var found: [Range<Int>] = []
        var start = 0
        while let first = states[start...].firstIndex(of: true) {
            let end = states[first...].firstIndex { $0 != true } ?? states.count
            var begin = first
            if let last = found.last, first - last.upperBound <= bridged, !states[last.upperBound..<first].contains(nil)
            {
                begin = found.removeLast().lowerBound
            }
            found.append(begin..<end)
            start = end
        }
        ranges = found.filter { $0.count >= shortest }
        var joined = states.map { $0 == nil ? nil : false }
        for range in ranges { for point in range { joined[point] = true } }
        self.states = joined
    }

    /// Replaces an unknown state by the last known one, for `heldSeconds` at most.
    package static func held<State>(_ states: [State?], interval: Double) -> [State?] {
        let limit = points(in: heldSeconds, interval: interval)
        var (last, age): (State?, Int) = (nil, 0)
        return states.map { state in
            (last, age) = state == nil ? (age < limit ? last : nil, age + 1) : (state, 0)
            return last
        }
    }

    private static func points(in seconds: Double, interval: Double) -> Int { Int(seconds / interval + tolerance) }

    /// Of a number of points, so that 0.3 s are three intervals of 0.1 s.
    private static let tolerance = 1e-6
}

/// Who speaks when two people talk, as Heldner and Edlund (2010, "Pauses, gaps and overlaps in conversations", Journal
/// of Phonetics 38) classify it: by what lies between one of them speaking alone and the next.
package struct TurnTaking: Sendable {
    /// From this score on, of 0…100, a person speaks.
    package static let threshold = 50.0

    /// Lengths in points of the clock.
    package private(set) var turns: (first: [Int], second: [Int]) = ([], [])
    /// Silence between the end of one person's turn and the beginning of the other's.
    package private(set) var gaps: [Int] = []
    /// Both speak, and then the one who began later goes on alone, having interrupted the other.
    package private(set) var interruptions: (byFirst: [Int], bySecond: [Int]) = ([], [])
    /// Both speak, and then the one who spoke before goes on alone.
    package private(set) var overlapsWithin: [Int] = []
    /// The points at which it is known whether each of them speaks.
    package let known: Int

    private enum Speaker: Equatable { case none, first, second, both }

    /// Whether each person speaks at each point of one clock.
    package init(_ first: [Bool?], _ second: [Bool?], interval: Double) {
        let held = [first, second].map { StateStretches.held($0, interval: interval) }
        let joint = zip(held[0], held[1]).map { a, b in a != nil && b != nil }
        known = joint.count(where: \.self)
        let a = StateStretches(of: zip(held[0], joint).map { $1 ? $0 : nil }, interval: interval)
        let b = StateStretches(of: zip(held[1], joint).map { $1 ? $0 : nil }, interval: interval)
        turns = (a.ranges.map(\.count), b.ranges.map(\.count))
        var runs: [(speaker: Speaker?, length: Int)] = []
        for (a, b) in zip(a.states, b.states) {
            var speaker: Speaker?
            if let a, let b { speaker = a ? (b ? .both : .first) : (b ? .second : Speaker.none) }
            if runs.last.map({ $0.speaker != speaker }) ?? true { runs.append((speaker, 0)) }
            runs[runs.count - 1].length += 1
        }
        for index in runs.indices.dropFirst().dropLast() {
            let (before, after) = (runs[index - 1].speaker, runs[index + 1].speaker)
            guard before == .first || before == .second, after == .first || after == .second else { continue }
            switch (runs[index].speaker, before == after) {
            case (Speaker.none?, false): gaps.append(runs[index].length)
            case (.both?, true): overlapsWithin.append(runs[index].length)
            case (.both?, false) where after == .first: interruptions.byFirst.append(runs[index].length)
            case (.both?, false): interruptions.bySecond.append(runs[index].length)
            default: break
            }
        }
    }
}
