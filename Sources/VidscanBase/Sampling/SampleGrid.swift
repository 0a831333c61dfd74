/// The sampling times of a video: tick k is at k / rate seconds on the stream's clock.
///
/// Each tick selects the first frame at or after it, and each frame is selected once: when a tick lies after the
/// previous frame's time and at or before its own. The window keeps selected frames in `start ..< end`, so a run over a
/// window gives exactly the rows of that window in a full run.
public struct SampleGrid: Sendable, Equatable {
    public enum Rate: Sendable, Hashable {
        /// Samples per second.
        case perSecond(Rational)
        case everyFrame
    }

    package let rate: Rate
    package let clock: StreamClock
    /// In microseconds on the clock; `nil` means from the first frame.
    package let start: Int64?
    /// In microseconds on the clock, exclusive; `nil` means to the last frame.
    package let end: Int64?

    package init(rate: Rate, clock: StreamClock, start: Int64? = nil, end: Int64? = nil) {
        (self.rate, self.clock, self.start, self.end) = (rate, clock, start, end)
    }

    /// Returns the number of ticks at or before a timestamp. Tick 0 is at time 0; before it there are none.
    package func ticks(upTo timestamp: Int64) -> Int64 {
        guard case .perSecond(let rate) = rate else { return 0 }
        let numerator = clock.exactNumerator(timestamp)
        guard numerator >= 0 else { return 0 }
        let divisor = clock.exactDenominator * Int128(rate.denominator)
        return Int64(clamping: (numerator * Int128(rate.numerator)).flooringDivision(by: divisor)) &+ 1
    }

    /// Whether the exact time is in `start ..< end`.
    package func isInWindow(_ timestamp: Int64) -> Bool {
        if let start, !clock.isAtOrAfter(start, timestamp) { return false }
        return end.map { !clock.isAtOrAfter($0, timestamp) } ?? true
    }
}

/// Selects samples from a decoder's output, in presentation order. Frames that the plan leaves undecoded serve no tick,
/// so it need not see them. If damage loses the frame for a tick, the next decoded frame serves it.
package struct FrameSelector: Sendable {
    /// Can be replaced by a grid with the same rate and start on a clock with another time base.
    package var grid: SampleGrid
    private var servedTicks: Int64 = 0

    package init(grid: SampleGrid) { self.grid = grid }

    /// Call it for each packet read: a frame before the window serves its tick even if it is never decoded.
    package mutating func skip(_ timestamp: Int64) {
        guard let start = grid.start, !grid.clock.isAtOrAfter(start, timestamp) else { return }
        servedTicks = max(servedTicks, grid.ticks(upTo: timestamp))
    }

    package mutating func selects(_ timestamp: Int64) -> Bool {
        guard case .perSecond = grid.rate else { return grid.isInWindow(timestamp) }
        let ticks = grid.ticks(upTo: timestamp)
        guard ticks > servedTicks else { return false }
        servedTicks = ticks
        return grid.isInWindow(timestamp)
    }
}

extension SampleGrid.Rate: LosslessStringConvertible, Comparable, Decodable {
    private static let everyFrameText = "every-frame"

    /// - Parameter description: `every-frame`, or a positive number such as `7.5` or `30000/1001`.
    public init?(_ description: String) {
        if description == Self.everyFrameText {
            self = .everyFrame
        } else {
            guard let rate = DecimalNumber.rational(description), rate.numerator > 0 else { return nil }
            self = .perSecond(rate)
        }
    }

    public var description: String {
        switch self {
        case .everyFrame: Self.everyFrameText
        case .perSecond(let rate): rate.description
        }
    }

    /// A greater rate selects more frames, and `everyFrame` is the greatest.
    public static func < (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.everyFrame, _): false
        case (.perSecond, .everyFrame): true
        case (.perSecond(let a), .perSecond(let b)):
            Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
        }
    }

    public init(from decoder: any Decoder) throws {
        self = try decoder.value(Self.init) { "'\($0)' is not a number of samples per second" }
    }
}
