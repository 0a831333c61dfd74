/// Turns a stream's own timestamps into what a player's clock shows: seconds since the container's start.
///
/// All comparisons are exact; only `microseconds(at:)`, which is for people, rounds.
public struct StreamClock: Sendable, Equatable {
    /// Seconds per timestamp unit.
    public let timeBase: Rational
    /// The container's start on the stream's time line, in microseconds. Subtracted from every timestamp.
    public let startMicroseconds: Int64

    /// - Parameters:
    ///   - timeBase: seconds per timestamp unit; both terms at most 2³¹.
    ///   - startMicroseconds: the container's start time.
    public init(timeBase: Rational, startMicroseconds: Int64) {
        self.timeBase = timeBase
        self.startMicroseconds = startMicroseconds
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

    /// The exact time as a fraction of seconds: numerator over `timeBase.denominator` × 10⁶.
    func exactNumerator(_ timestamp: Int64) -> Int128 {
        Int128(timestamp) * Int128(timeBase.numerator) * 1_000_000
            - Int128(startMicroseconds) * Int128(timeBase.denominator)
    }

    /// Whether the frame's exact time is at or after `microseconds`.
    public func isAtOrAfter(_ microseconds: Int64, _ timestamp: Int64) -> Bool {
        exactNumerator(timestamp) >= Int128(microseconds) * Int128(timeBase.denominator)
    }

    /// The last timestamp whose time is at or before `microseconds`; where a seek has to aim.
    public func timestamp(atOrBefore microseconds: Int64) -> Int64 {
        let scaled = (Int128(microseconds) + Int128(startMicroseconds)) * Int128(timeBase.denominator)
        let quotient = scaled.flooringDivision(by: Int128(timeBase.numerator) * 1_000_000)
        return Int64(clamping: quotient)
    }
}

extension Int128 {
    /// Division that rounds towards minus infinity, as a grid needs it on both sides of zero.
    func flooringDivision(by divisor: Int128) -> Int128 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
