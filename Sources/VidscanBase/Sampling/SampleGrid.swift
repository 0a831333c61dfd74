/// The sampling times of a video: tick k is at k / rate seconds on the stream's clock.
///
/// Each tick selects the first frame at or after it. A frame is selected once, even if it serves several ticks.
/// Therefore a frame is selected exactly when a tick lies after the previous frame's time and at or before its own. The
/// window keeps the selected frames whose time is in `start ..< end`, so a run over a window gives exactly the rows of
/// that window in a full run.
public struct SampleGrid: Sendable, Equatable {
    /// The sampling rate.
    public enum Rate: Sendable, Hashable {
        /// Samples per second.
        case perSecond(Rational)
        case everyFrame
    }

    public let rate: Rate
    public let clock: StreamClock
    /// In microseconds on the clock; `nil` means from the first frame.
    public let start: Int64?
    /// In microseconds on the clock, exclusive; `nil` means to the last frame.
    public let end: Int64?

    public init(rate: Rate, clock: StreamClock, start: Int64? = nil, end: Int64? = nil) {
        self.rate = rate
        self.clock = clock
        self.start = start
        self.end = end
    }

    /// Returns the number of ticks at or before the frame's time. Tick 0 is at time 0, so a frame before it has served
    /// none.
    public func ticks(upTo timestamp: Int64) -> Int64 {
        guard case .perSecond(let rate) = rate else { return 0 }
        let numerator = clock.exactNumerator(timestamp)
        guard numerator >= 0 else { return 0 }
        let divisor = clock.exactDenominator * Int128(rate.denominator)
        return Int64(clamping: (numerator * Int128(rate.numerator)).flooringDivision(by: divisor)) &+ 1
    }

    /// Returns whether the exact time of a timestamp is in `start ..< end`.
    public func isInWindow(_ timestamp: Int64) -> Bool {
        if let start, !clock.isAtOrAfter(start, timestamp) { return false }
        if let end, clock.isAtOrAfter(end, timestamp) { return false }
        return true
    }
}

/// Selects samples from a decoder's output, in presentation order.
///
/// It only needs to see the frames that could be selected: frames that the plan leaves undecoded serve no tick. If the
/// frame for a tick is lost because of damage, the next decoded frame serves it.
public struct FrameSelector: Sendable {
    /// The grid. It may be replaced by one with the same rate and start on a clock with another time base.
    public var grid: SampleGrid
    private var servedTicks: Int64 = 0

    public init(grid: SampleGrid) {
        self.grid = grid
    }

    /// Records a frame when its packet is read. A tick that a frame before the window serves does not belong to the
    /// window, even if that frame is never decoded.
    public mutating func skip(_ timestamp: Int64) {
        guard let start = grid.start, !grid.clock.isAtOrAfter(start, timestamp) else { return }
        servedTicks = max(servedTicks, grid.ticks(upTo: timestamp))
    }

    /// Returns whether this frame is a sample.
    public mutating func selects(_ timestamp: Int64) -> Bool {
        guard case .perSecond = grid.rate else { return grid.isInWindow(timestamp) }
        let ticks = grid.ticks(upTo: timestamp)
        guard ticks > servedTicks else { return false }
        servedTicks = ticks
        return grid.isInWindow(timestamp)
    }
}
