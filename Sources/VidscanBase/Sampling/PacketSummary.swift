/// The properties of a compressed packet that the sampling plan needs.
public struct PacketSummary: Sendable, Equatable {
    /// The presentation timestamp, in the stream's time base.
    public var presentation: Int64?
    /// The decoding timestamp. No later packet is presented before it.
    public var decoding: Int64?
    /// Whether decoding can start at this packet: every frame presented at or after it is then exact.
    public var isRandomAccessPoint: Bool
    /// Whether no other packet refers to this one, so that it need not reach the decoder.
    public var isDisposable: Bool
    /// Whether the container hides this frame (an edit list). It is decoded because others refer to it, but is never
    /// shown or counted.
    public var isHidden: Bool
    public var byteCount: Int

    public init(
        presentation: Int64?, decoding: Int64?, isRandomAccessPoint: Bool = false, isDisposable: Bool = false,
        isHidden: Bool = false, byteCount: Int = 0
    ) {
        self.presentation = presentation
        self.decoding = decoding
        self.isRandomAccessPoint = isRandomAccessPoint
        self.isDisposable = isDisposable
        self.isHidden = isHidden
        self.byteCount = byteCount
    }
}
