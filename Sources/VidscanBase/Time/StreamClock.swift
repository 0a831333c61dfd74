/// Turns a stream's own timestamps into what a player's clock shows: seconds since the container's start.
///
/// All comparisons are exact; only `microseconds(at:)`, which is for people, rounds.
public struct StreamClock: Sendable, Equatable {
    /// Seconds per timestamp unit.
    public let timeBase: Rational
    /// The container's start on the stream's time line in microseconds, rounded as FFmpeg's tools print it. It is
    /// subtracted from every time that people read.
    public let startMicroseconds: Int64
    /// The same start in seconds, exactly. All comparisons count from here: a frame at the start lies at 0 and not a
    /// fraction of a microsecond before it.
    public let start: Rational

    /// - Parameters:
    ///   - timeBase: seconds per timestamp unit; both terms at most 2³¹.
    ///   - startMicroseconds: the container's start time.
    ///   - start: what that was rounded from, in seconds, with a denominator of at most 2³¹; `nil` if it is exact.
    public init(timeBase: Rational, startMicroseconds: Int64, start: Rational? = nil) {
        self.timeBase = timeBase
        self.startMicroseconds = startMicroseconds
        self.start = start ?? Rational(microseconds: startMicroseconds)
    }

    /// The same clock for timestamps in other units.
    public func withTimeBase(_ timeBase: Rational) -> StreamClock {
        StreamClock(timeBase: timeBase, startMicroseconds: startMicroseconds, start: start)
    }

    /// What a container's start was rounded from.
    ///
    /// - Parameters:
    ///   - microseconds: the start as libavformat gives it: the earliest of its streams' starts, each rounded.
    ///   - own: the start of the stream that the clock is for.
    ///   - others: the starts of the container's other streams.
    /// - Returns: the stream's own start if that may be it, so that its first frame lies at 0; else the earliest of the
    ///   others that may be it; else the microseconds themselves.
    public static func exactStart(
        microseconds: Int64, own: TimestampInBase?, others: [TimestampInBase] = []
    ) -> Rational {
        let mayBeIt = { (start: TimestampInBase) in start.roundedMicroseconds == microseconds }
        let candidates = own.map { mayBeIt($0) ? [$0] : others.filter(mayBeIt) } ?? others.filter(mayBeIt)
        return candidates.min { $0.isBefore($1) }?.seconds ?? Rational(microseconds: microseconds)
    }

    /// Whether arithmetic on the timestamp is safe and it can mean a real position: within 2³³ seconds (272 years).
    public func isPlausible(_ timestamp: Int64) -> Bool {
        let limit = Int128(timeBase.denominator) << 33
        return Int128(timestamp).magnitude * Int128(timeBase.numerator).magnitude <= limit.magnitude
    }

    /// The time of a timestamp in microseconds, rounded as FFmpeg's tools print it: the product in double precision,
    /// correctly rounded to six decimals. So a row's time equals ffprobe's to the last digit.
    public func microseconds(at timestamp: Int64) -> Int64 {
        let seconds = Double(timestamp) * (Double(timeBase.numerator) / Double(timeBase.denominator))
        let nearest = (seconds * 1e6).rounded(.toNearestOrEven)
        // The fused product tells on which side of a tie `seconds` really lies; the plain product above may have
        // rounded onto it.
        let remainder = (-nearest).addingProduct(seconds, 1e6)
        var correction: Double = remainder > 0.5 ? 1 : remainder < -0.5 ? -1 : 0
        if abs(remainder) == 0.5 {
            // The remainder itself may have rounded onto the tie.
            let side = (-(nearest + remainder)).addingProduct(seconds, 1e6)
            if remainder > 0, side > 0 { correction = 1 }
            if remainder < 0, side < 0 { correction = -1 }
        }
        return (Int64(exactly: nearest + correction) ?? 0) - startMicroseconds
    }

    /// The exact time as a fraction of seconds: numerator over `exactDenominator`.
    func exactNumerator(_ timestamp: Int64) -> Int128 {
        Int128(timestamp) * Int128(timeBase.numerator) * Int128(start.denominator)
            - Int128(start.numerator) * Int128(timeBase.denominator)
    }

    var exactDenominator: Int128 { Int128(timeBase.denominator) * Int128(start.denominator) }

    /// Whether the frame's exact time is at or after `microseconds`.
    public func isAtOrAfter(_ microseconds: Int64, _ timestamp: Int64) -> Bool {
        exactNumerator(timestamp) * 1_000_000 >= Int128(microseconds) * exactDenominator
    }

    /// The last timestamp whose time is at or before `microseconds`; where a seek has to aim.
    public func timestamp(atOrBefore microseconds: Int64) -> Int64 {
        let seconds = Int128(microseconds) * Int128(start.denominator) + Int128(start.numerator) * 1_000_000
        let quotient = (seconds * Int128(timeBase.denominator)).flooringDivision(
            by: Int128(start.denominator) * Int128(timeBase.numerator) * 1_000_000)
        return Int64(clamping: quotient)
    }
}

/// A timestamp with the time base that it counts in.
public struct TimestampInBase: Sendable, Equatable {
    public let timestamp: Int64
    public let timeBase: Rational

    public init(_ timestamp: Int64, _ timeBase: Rational) {
        self.timestamp = timestamp
        self.timeBase = timeBase
    }

    /// As libavutil rescales: to the nearest microsecond, halves away from zero.
    public var roundedMicroseconds: Int64 {
        let scaled = Int128(timestamp) * Int128(timeBase.numerator) * 2_000_000
        let half = Int128(timeBase.denominator)
        let doubled = Int128((scaled.magnitude + half.magnitude) / (2 * half.magnitude))
        return Int64(clamping: scaled < 0 ? -doubled : doubled)
    }

    /// The same time in other units, to the nearest one.
    public func rescaled(to other: Rational) -> Int64 {
        let numerator = Int128(timestamp) * Int128(timeBase.numerator) * Int128(other.denominator)
        let denominator = Int128(timeBase.denominator) * Int128(max(1, other.numerator))
        return Int64(clamping: (2 * numerator + denominator).flooringDivision(by: 2 * denominator))
    }

    /// In seconds; `nil` where that does not fit a fraction.
    var seconds: Rational? {
        let (product, overflow) = timestamp.multipliedReportingOverflow(by: timeBase.numerator)
        return overflow ? nil : Rational(product, timeBase.denominator)
    }

    func isBefore(_ other: TimestampInBase) -> Bool {
        Int128(timestamp) * Int128(timeBase.numerator) * Int128(other.timeBase.denominator)
            < Int128(other.timestamp) * Int128(other.timeBase.numerator) * Int128(timeBase.denominator)
    }
}

extension Int128 {
    /// Division that rounds towards minus infinity, as a grid needs it on both sides of zero.
    func flooringDivision(by divisor: Int128) -> Int128 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
