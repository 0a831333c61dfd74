/// Two commands that were run in turn, A B A B …, so that whatever else the machine does strikes both alike.
///
/// What counts is the ratio within each round; the absolute times depend on the machine and its other users.
struct Pair {
    private(set) var first: [MeasuredProcess] = []
    private(set) var second: [MeasuredProcess] = []

    /// Runs each command once to warm up, then both in turn.
    ///
    /// - Parameters:
    ///   - rounds: at least 1.
    ///   - afterEach: is called after every run of the first command that counts.
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

    /// First over second, of each round.
    func ratio(_ quantity: KeyPath<MeasuredProcess, Double>) -> Spread {
        Spread(zip(first, second).map { $0[keyPath: quantity] / $1[keyPath: quantity] })
    }
}
