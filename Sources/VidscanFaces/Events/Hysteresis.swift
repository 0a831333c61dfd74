/// Tells when a value that changes over time enters a state and leaves it: beyond one threshold, back over another, and not
/// to the first again for a least time.
public struct Hysteresis: Sendable {
    public enum Change: Sendable, Equatable {
        case entered(at: Int64)
        case left(entered: Int64, at: Int64)
    }

    private let entersAbove: Double
    private let leavesBelow: Double
    private let holdMicroseconds: Int64
    /// When the present state began, if it is entered.
    public private(set) var enteredAt: Int64?
    private var turningSince: Int64?

    /// - Parameters:
    ///   - leavesBelow: at most `entersAbove`.
    ///   - holdSeconds: for which a value must stay beyond a threshold.
    public init(entersAbove: Double, leavesBelow: Double, holdSeconds: Double = 0) {
        self.entersAbove = entersAbove
        self.leavesBelow = leavesBelow
        holdMicroseconds = Int64((holdSeconds * 1e6).rounded())
    }

    /// - Returns: a change that the value brings about, dated back to when its threshold was crossed.
    public mutating func update(_ value: Double, at microseconds: Int64) -> Change? {
        let isTurning = enteredAt == nil ? value > entersAbove : value < leavesBelow
        let isBack = enteredAt == nil ? value < leavesBelow : value > entersAbove
        if isBack { turningSince = nil }
        // Between the thresholds, what has begun goes on.
        guard isTurning || turningSince != nil else { return nil }
        let since = turningSince ?? microseconds
        turningSince = since
        guard microseconds - since >= holdMicroseconds else { return nil }
        turningSince = nil
        if let entered = enteredAt {
            enteredAt = nil
            return .left(entered: entered, at: since)
        }
        enteredAt = since
        return .entered(at: since)
    }

    /// Forgets a state that cannot be followed further.
    public mutating func reset() {
        enteredAt = nil
        turningSince = nil
    }
}
