/// Detects when a value enters a state above one threshold and leaves it below another one. A change counts only if the
/// value does not return beyond the other threshold for a minimum time.
struct Hysteresis: Sendable {
    /// A change of the state, with the samples that crossed the thresholds.
    enum Change: Sendable, Equatable {
        case entered(at: MeasuredSample)
        case left(entered: MeasuredSample, at: MeasuredSample)
    }

    private let entersAbove: Double
    private let leavesBelow: Double
    private let holdMicroseconds: Int64
    /// The sample in which the state was entered; `nil` outside it.
    private(set) var entered: MeasuredSample?
    private var turning: MeasuredSample?

    /// - Parameters:
    ///   - entersAbove: The threshold above which the state is entered.
    ///   - leavesBelow: The threshold below which the state is left, at most `entersAbove`.
    ///   - holdSeconds: The minimum time after crossing a threshold without returning beyond the other one.
    init(entersAbove: Double, leavesBelow: Double, holdSeconds: Double = 0) {
        self.entersAbove = entersAbove
        self.leavesBelow = leavesBelow
        holdMicroseconds = Int64((holdSeconds * 1e6).rounded())
    }

    /// Adds a sample, which is not before that of the previous call.
    ///
    /// - Parameter margin: By how much the sample must exceed the threshold to enter the state.
    /// - Returns: The change that the sample completes, if any.
    mutating func update(_ sample: MeasuredSample, margin: Double = 0) -> Change? {
        let isTurning = entered == nil ? sample.value > entersAbove + margin : sample.value < leavesBelow
        let isBack = entered == nil ? sample.value < leavesBelow : sample.value > entersAbove
        if isBack { turning = nil }
        // Between the thresholds, a change that has begun continues.
        guard isTurning || turning != nil else { return nil }
        let crossing = turning ?? sample
        turning = crossing
        guard sample.microseconds - crossing.microseconds >= holdMicroseconds else { return nil }
        turning = nil
        if let entered {
            self.entered = nil
            return .left(entered: entered, at: crossing)
        }
        entered = crossing
        return .entered(at: crossing)
    }

    /// Forgets all samples.
    mutating func reset() {
        entered = nil
        turning = nil
    }
}
