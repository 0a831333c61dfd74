internal import VidscanBase
internal import VidscanMedia

/// Successive samples that one worker analyses: those after an anchor, up to and including the next one.
struct SampleRun: Sendable {
    /// In time order; the last one is the anchor.
    let frames: [SampledFrame]
    /// The anchor before the first sample, which another worker may still be analysing; `nil` if nothing connects the
    /// first sample to an earlier one.
    let previous: AnchorExchange?
    /// Receives the faces of the run's own anchor.
    let anchor = AnchorExchange()

    /// The size of the frames.
    var byteCount: Int { frames.reduce(0) { $0 + $1.byteCount } }
}

/// Passes the faces of an anchor from the run that ends with it to the run after it.
struct AnchorExchange: Sendable {
    private let channel = Channel<KnownFrame>()

    /// Publishes the faces. Called once.
    func publish(_ frame: KnownFrame) {
        channel.send(frame)
    }

    /// Waits for the faces. Called once.
    ///
    /// - Throws: `CancellationError` if the run is cancelled, for example because the other worker has failed.
    func receive() async throws -> KnownFrame {
        guard let frame = try await channel.receive() else { throw CancellationError() }
        return frame
    }
}
