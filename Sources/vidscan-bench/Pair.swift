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

    /// Returns the ratio of the first command to the second in each round.
    func ratio(_ quantity: KeyPath<MeasuredProcess, Double>) -> Spread {
        Spread(zip(first, second).map { $0[keyPath: quantity] / $1[keyPath: quantity] })
    }
}
