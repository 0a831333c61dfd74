/// Converts a stream's timestamps to the time that a player shows: seconds since the container's start. All comparisons
/// are exact; only `microseconds(at:)`, which is for people, rounds.
package struct StreamClock: Sendable, Equatable {
    /// Seconds per timestamp unit.
    package let timeBase: Rational
    /// The container's start, rounded as FFmpeg's tools print it. Subtracted from every time that people read.
    package let startMicroseconds: Int64
    /// The exact start in seconds. Comparisons count from here, so that a frame at the start is at exactly 0.
    package let start: Rational

    /// - Parameters:
    ///   - timeBase: Numerator and denominator at most 2³¹.
    ///   - start: In seconds, denominator at most 2³¹; `nil` if `startMicroseconds` is exact.
    package init(timeBase: Rational, startMicroseconds: Int64, start: Rational? = nil) {
        (self.timeBase, self.startMicroseconds) = (timeBase, startMicroseconds)
        self.start = start ?? Rational(microseconds: startMicroseconds)
    }

    package func withTimeBase(_ timeBase: Rational) -> StreamClock {
        StreamClock(timeBase: timeBase, startMicroseconds: startMicroseconds, start: start)
    }

    /// Finds what libavformat's start of a container was rounded from: the start of the clock's own stream if it rounds to
    /// `microseconds`, so that its first frame is at 0; otherwise the earliest of the others that does; or else `microseconds`.
    package static func exactStart(
        microseconds: Int64, own: TimestampInBase?, others: [TimestampInBase] = []
    ) -> Rational {
        let isReported = { (start: TimestampInBase) in start.roundedMicroseconds == microseconds }
        let exact = own.flatMap { isReported($0) ? $0 : nil } ?? others.filter(isReported).min { $0.isBefore($1) }
        return exact?.seconds ?? Rational(microseconds: microseconds)
    }

    /// Whether a timestamp is safe for arithmetic (also a difference), and a real position: within 2³³ seconds (272 years).
    package func isPlausible(_ timestamp: Int64) -> Bool {
        let limit = Int128(timeBase.denominator) << 33
        return Int128(timestamp).magnitude * Int128(timeBase.numerator).magnitude <= limit.magnitude
            && timestamp.magnitude <= 1 << 61
    }

    /// Returns the time in microseconds, rounded as FFmpeg's tools print it: the product in double precision, correctly
    /// rounded to six decimals. A row's time equals ffprobe's to the last digit.
    package func microseconds(at timestamp: Int64) -> Int64 {
        let seconds = Double(timestamp) * (Double(timeBase.numerator) / Double(timeBase.denominator))
        let nearest = (seconds * 1e6).rounded(.toNearestOrEven)
        // The product may have been rounded onto a tie. The fused product shows on which side of it the exact one lies.
        let remainder = (-nearest).addingProduct(seconds, 1e6)
        var correction: Double = remainder > 0.5 ? 1 : remainder < -0.5 ? -1 : 0
        if abs(remainder) == 0.5 {
            // The remainder itself may have been rounded onto the tie.
            let side = (-(nearest + remainder)).addingProduct(seconds, 1e6)
            if remainder > 0, side > 0 { correction = 1 }
            if remainder < 0, side < 0 { correction = -1 }
        }
        return (Int64(exactly: nearest + correction) ?? 0) - startMicroseconds
    }

    /// The exact time in seconds is this numerator over `exactDenominator`.
    func exactNumerator(_ timestamp: Int64) -> Int128 {
        Int128(timestamp) * Int128(timeBase.numerator) * Int128(start.denominator)
            - Int128(start.numerator) * Int128(timeBase.denominator)
    }

    var exactDenominator: Int128 { Int128(timeBase.denominator) * Int128(start.denominator) }

    /// Whether the exact time of a timestamp is at or after `microseconds`.
    package func isAtOrAfter(_ microseconds: Int64, _ timestamp: Int64) -> Bool {
        exactNumerator(timestamp) * 1_000_000 >= Int128(microseconds) * exactDenominator
    }

    /// Returns the last timestamp at or before `microseconds`: the target of a seek.
    package func timestamp(atOrBefore microseconds: Int64) -> Int64 {
        let seconds = Int128(microseconds) * Int128(start.denominator) + Int128(start.numerator) * 1_000_000
        let quotient = (seconds * Int128(timeBase.denominator)).flooringDivision(
            by: Int128(start.denominator) * Int128(timeBase.numerator) * 1_000_000)
        return Int64(clamping: quotient)
    }
}

package struct TimestampInBase: Sendable, Equatable {
    package let timestamp: Int64
    package let timeBase: Rational

    package init(_ timestamp: Int64, _ timeBase: Rational) { (self.timestamp, self.timeBase) = (timestamp, timeBase) }

    /// Rounded as libavutil rounds: to nearest, halves away from zero.
    package var roundedMicroseconds: Int64 {
        let scaled = Int128(timestamp) * Int128(timeBase.numerator) * 2_000_000
        let half = Int128(timeBase.denominator)
        let doubled = Int128((scaled.magnitude + half.magnitude) / (2 * half.magnitude))
        return Int64(clamping: scaled < 0 ? -doubled : doubled)
    }

    /// Rounds to the nearest unit.
    package func rescaled(to other: Rational) -> Int64 {
        let numerator = Int128(timestamp) * Int128(timeBase.numerator) * Int128(other.denominator)
        let denominator = Int128(timeBase.denominator) * Int128(max(1, other.numerator))
        return Int64(clamping: (2 * numerator + denominator).flooringDivision(by: 2 * denominator))
    }

    /// `nil` if the time does not fit a fraction.
    var seconds: Rational? {
        let (product, overflow) = timestamp.multipliedReportingOverflow(by: timeBase.numerator)
        return overflow ? nil : Rational(product, timeBase.denominator)
    }

    func isBefore(_ other: TimestampInBase) -> Bool {
        Int128(timestamp) * Int128(timeBase.numerator) * Int128(other.timeBase.denominator)
            < Int128(other.timestamp) * Int128(other.timeBase.numerator) * Int128(timeBase.denominator)
    }
}

extension BinaryInteger {
    /// Rounds towards minus infinity, as a grid needs on both sides of zero.
    func flooringDivision(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
