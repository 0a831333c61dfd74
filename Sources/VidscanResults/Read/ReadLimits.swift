internal import VidscanBase

/// What numbers may be that are read back from a disk: more than any run writes, and small enough that no arithmetic on
/// them can fail.
package enum ReadLimits {
    /// Of faces and people.
    package static let ids = 1...Int(Int32.max)
    /// Of frames, packets, samples, bytes.
    package static let counts: ClosedRange<Int64> = 0...1 << 50
    /// Pixels, wherever a point may lie.
    package static let coordinates = -1e7...1e7
    /// Pixels of a width, a height or a distance.
    package static let extents = 0...1e7
    /// Pixels of a picture's side.
    package static let sides = 1...1_000_000
    /// 272 years to either side, as far as a stream's clock goes.
    package static let microseconds: ClosedRange<Int64> = -(1_000_000 << 33)...1_000_000 << 33
    /// Between two times on a stream's own time line.
    package static let jumps: ClosedRange<Int64> = 2 * microseconds.lowerBound...2 * microseconds.upperBound
    package static let seconds = -8_589_934_592.0...8_589_934_592.0
    package static let durations = 0...8_589_934_592.0
    package static let sharpness = 0...1e9
    /// Pairing faces of two frames takes the cube of their number.
    package static let facesInFrame = 0...1024
    /// Rows of `tracks.csv`: a page with more of them is no use to anyone.
    package static let tracks = 100_000
    /// Rows of `events.csv`.
    package static let events = 2_000_000
    /// Samples around a moment.
    package static let samplesAtOnce = 100_000
    /// Bytes of a table's row.
    package static let line = 1 << 16
    /// Bytes of `run.json` and its like.
    package static let record = 16 << 20
}

/// A piece of a damaged file, fit for a message: short, and nothing in it but what can be read.
enum Excerpt {
    package static func of(_ bytes: some Collection<UInt8>) -> String {
        let shown = bytes.prefix(24).map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "?" }
        return "'" + String(shown) + (bytes.count > shown.count ? "…'" : "'")
    }
}
