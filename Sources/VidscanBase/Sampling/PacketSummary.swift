/// What the sampling plan needs to know of a compressed packet.
public struct PacketSummary: Sendable, Equatable {
    /// Presentation timestamp, in the stream's time base.
    public var presentation: Int64?
    /// Decoding timestamp; no later packet is presented before it.
    public var decoding: Int64?
    /// Decoding can begin here as if nothing came before: every frame presented at or after this one is then exact.
    public var isRandomAccessPoint: Bool
    /// No other packet refers to this one, so it need not reach the decoder.
    public var isDisposable: Bool
    /// The container hides this frame (an edit list): it is decoded for others' sake, never shown and never counted.
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
