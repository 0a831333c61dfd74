/// Formats positions and durations for people.
public enum TimeText {
    /// Returns seconds with three decimals: `12.480`.
    public static func seconds(_ microseconds: Int64) -> String {
        var writer = ByteWriter(reservingCapacity: 24)
        writer.write(Double(microseconds) / 1e6, decimals: 3)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns hours, minutes and seconds: `1:02:05`, `2:05`.
    public static func clock(_ microseconds: Int64) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        let padded = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
        let minutes = seconds / 60
        return minutes < 60
            ? "\(minutes):\(padded(seconds % 60))"
            : "\(minutes / 60):\(padded(minutes % 60)):\(padded(seconds % 60))"
    }
}
