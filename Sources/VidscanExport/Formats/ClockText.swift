/// Times as the formats write them. Microseconds are rounded to the nearest millisecond.
enum ClockText {
    static func milliseconds(_ microseconds: Int64) -> Int64 { (microseconds + 500) / 1000 }

    /// Returns seconds with three decimals: `12.480`.
    static func seconds(_ microseconds: Int64) -> String {
        let milliseconds = milliseconds(microseconds)
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, 3))"
    }

    /// Returns a timestamp of WebVTT: `00:00:12.480`.
    static func timestamp(_ microseconds: Int64) -> String {
        let seconds = milliseconds(microseconds) / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(clock).\(padded(milliseconds(microseconds) % 1000, 3))"
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
