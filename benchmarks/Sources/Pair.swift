/// The runs of two commands in turn, A B A B …, so that other load on the machine affects both equally.
///
/// Only the ratio within each round is meaningful. The absolute times depend on the machine and on its other load.
struct Pair {
    private(set) var first: [MeasuredProcess] = []
    private(set) var second: [MeasuredProcess] = []

    /// Runs each command once to warm up, then both in turn.
    ///
    /// - Parameters:
    ///   - a: The first command.
    ///   - b: The second command.
    ///   - rounds: The number of rounds, at least 1.
    ///   - afterEach: A closure that is called after every measured run of the first command.
    init(
        _ a: [String], against b: [String], rounds: Int, afterEach: () throws -> Void = {}
    ) throws {
        _ = try MeasuredProcess(a)
        _ = try MeasuredProcess(b)
        for _ in 0..<rounds {
            first.append(try MeasuredProcess(a))
            try afterEach()
            second.append(try MeasuredProcess(b))
        }
    }

    /// Returns the spread of the ratios of the first command to the second over the rounds.
    func ratio(_ quantity: KeyPath<MeasuredProcess, Double>) -> Spread {
        Spread(ratios(quantity))
    }

    /// Returns the ratio of the first command to the second, round by round.
    func ratios(_ quantity: KeyPath<MeasuredProcess, Double>) -> [Double] {
        zip(first, second).map { $0[keyPath: quantity] / $1[keyPath: quantity] }
    }
}
