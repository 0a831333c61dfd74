/// One of `count` nearly equal segments of a video. Each border lies between two chunks of `AnchorSchedule`, so the
/// segments give the same results as the whole video.
package struct VideoSegment: Sendable, Hashable, Codable, CustomStringConvertible {
    /// From 0.
    package let index: Int
    package let count: Int

    /// Returns `nil` unless `index` is in 0 ..< `count`.
    package init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// Returns the segment's part of a window, in microseconds; `nil` if the window's end is unknown. A start of `nil`
    /// is the first frame, an (exclusive) end of `nil` the last one, and the duration is the container's. Segments
    /// neither overlap nor leave gaps. The first and last ones are open where the window is.
    package func window(start: Int64?, end: Int64?, duration: Int64?) -> (start: Int64?, end: Int64?)? {
        guard let last = [end, duration].compactMap({ $0 }).min() else { return nil }
        let first = start ?? 0
        let span = Int128(max(0, last - first))
        let border = { (number: Int) in
            let border = AnchorSchedule.nearestBorder(to: first + Int64(span * Int128(number) / Int128(count)))
            return min(max(border, first), max(first, last))
        }
        return (index == 0 ? start : border(index), index == count - 1 ? end : border(index + 1))
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let (index, count) = (try values.decode(Int.self, forKey: .index), try values.decode(Int.self, forKey: .count))
        guard let segment = VideoSegment(index: index, count: count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .index, in: values, debugDescription: "there is no segment \(index) of \(count)")
        }
        self = segment
    }

    /// For example `2/7`.
    package var description: String { "\(index)/\(count)" }
}
