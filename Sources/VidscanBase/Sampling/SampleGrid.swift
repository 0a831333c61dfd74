/// The times at which a video is looked at: tick k lies at k / rate on the stream's clock.
///
/// A tick takes the first frame whose time is at or after it; a frame is taken once, however many ticks it serves. So a
/// frame is taken just when a tick lies after its predecessor's time and at or before its own. The window keeps those of
/// the taken frames whose time is in `start ..< end`: a run over a window gives exactly those rows of a whole run.
public struct SampleGrid: Sendable, Equatable {
    public enum Rate: Sendable, Hashable {
        /// Samples a second.
        case perSecond(Rational)
        case everyFrame
    }

    public let rate: Rate
    public let clock: StreamClock
    /// Microseconds on the clock; `nil` means from the first frame on.
    public let start: Int64?
    /// Microseconds on the clock, exclusive; `nil` means to the last frame.
    public let end: Int64?

    public init(rate: Rate, clock: StreamClock, start: Int64? = nil, end: Int64? = nil) {
        self.rate = rate
        self.clock = clock
        self.start = start
        self.end = end
    }

    /// The number of ticks at or before the frame's time: tick 0 lies at time 0, so a frame before it has served none.
    public func ticks(upTo timestamp: Int64) -> Int64 {
        guard case .perSecond(let rate) = rate else { return 0 }
        let numerator = clock.exactNumerator(timestamp)
        guard numerator >= 0 else { return 0 }
        let divisor = clock.exactDenominator * Int128(rate.denominator)
        return Int64(clamping: (numerator * Int128(rate.numerator)).flooringDivision(by: divisor)) &+ 1
    }

    public func isInWindow(_ timestamp: Int64) -> Bool {
        if let start, !clock.isAtOrAfter(start, timestamp) { return false }
        if let end, clock.isAtOrAfter(end, timestamp) { return false }
        return true
    }
}

/// Takes frames off a decoder's output, in presentation order.
///
/// It needs to see just the frames that could be taken: those that the plan left undecoded serve no tick. When damage
/// swallows the frame that a tick was meant for, the next one that comes serves it.
public struct FrameSelector: Sendable {
    /// May be replaced by one of the same rate and start on a clock with another time base.
    public var grid: SampleGrid
    private var servedTicks: Int64 = 0

    public init(grid: SampleGrid) {
        self.grid = grid
    }

    /// Notes a frame as its packet is read. Ticks that one before the window serves are not the window's, though it may
    /// never be decoded.
    public mutating func note(_ timestamp: Int64) {
        guard let start = grid.start, !grid.clock.isAtOrAfter(start, timestamp) else { return }
        servedTicks = max(servedTicks, grid.ticks(upTo: timestamp))
    }

    /// Whether this frame is a sample.
    public mutating func takes(_ timestamp: Int64) -> Bool {
        guard case .perSecond = grid.rate else { return grid.isInWindow(timestamp) }
        let ticks = grid.ticks(upTo: timestamp)
        guard ticks > servedTicks else { return false }
        servedTicks = ticks
        return grid.isInWindow(timestamp)
    }
}
