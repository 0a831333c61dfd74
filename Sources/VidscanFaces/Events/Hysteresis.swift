/// Detects when a value enters a state above one threshold and leaves it below another one. A change counts only if the
/// value does not return beyond the other threshold for a minimum time.
public struct Hysteresis: Sendable {
    /// A change of the state; times are in microseconds.
    public enum Change: Sendable, Equatable {
        case entered(at: Int64)
        case left(entered: Int64, at: Int64)
    }

    private let entersAbove: Double
    private let leavesBelow: Double
    private let holdMicroseconds: Int64
    /// The time at which the state was entered; `nil` outside it.
    public private(set) var enteredAt: Int64?
    private var turningSince: Int64?

    /// - Parameters:
    ///   - entersAbove: The threshold above which the state is entered.
    ///   - leavesBelow: The threshold below which the state is left, at most `entersAbove`.
    ///   - holdSeconds: The minimum time after crossing a threshold without returning beyond the other one.
    public init(entersAbove: Double, leavesBelow: Double, holdSeconds: Double = 0) {
        self.entersAbove = entersAbove
        self.leavesBelow = leavesBelow
        holdMicroseconds = Int64((holdSeconds * 1e6).rounded())
    }

    /// Adds the value at a time, which is not before that of the previous call.
    ///
    /// - Returns: The change that the value completes, if any, with the time at which its threshold was crossed.
    public mutating func update(_ value: Double, at microseconds: Int64) -> Change? {
        let isTurning = enteredAt == nil ? value > entersAbove : value < leavesBelow
        let isBack = enteredAt == nil ? value < leavesBelow : value > entersAbove
        if isBack { turningSince = nil }
        // Between the thresholds, a change that has begun continues.
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
}
