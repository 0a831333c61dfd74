/// One of several parts of a video that are as long as each other.
public struct VideoSegment: Sendable, Hashable, Codable {
    /// From 0.
    public let index: Int
    public let count: Int

    /// - Returns: `nil` unless `index` is one of 0 ..< `count`.
    public init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// The part's own window. Every time of the whole window lies in just one part's: each begins where the one before
    /// ends, and the first and the last are open where the whole is.
    ///
    /// - Parameters:
    ///   - start: of what is divided, in microseconds; `nil` means from the first frame on.
    ///   - end: exclusive; `nil` means to the last frame.
    ///   - duration: that the video announces, in microseconds.
    /// - Returns: `nil` when it is not known where the whole ends.
    public func window(
        start: Int64?, end: Int64?, duration: Int64?
    ) -> (start: Int64?, end: Int64?)? {
        guard let last = [end, duration].compactMap({ $0 }).min() else { return nil }
        let first = start ?? 0
        let span = Int128(max(0, last - first))
        let border = { (number: Int) in first + Int64(span * Int128(number) / Int128(count)) }
        return (index == 0 ? start : border(index), index == count - 1 ? end : border(index + 1))
    }
}

extension VideoSegment {
    private enum CodingKeys: String, CodingKey { case index, count }

    /// - Throws: `DecodingError` for a part that there cannot be.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let (index, count) = (try values.decode(Int.self, forKey: .index), try values.decode(Int.self, forKey: .count))
        guard let segment = VideoSegment(index: index, count: count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .index, in: values, debugDescription: "there is no segment \(index) of \(count)")
        }
        self = segment
    }
}

extension VideoSegment: CustomStringConvertible {
    /// `2/7`
    public var description: String { "\(index)/\(count)" }
}
