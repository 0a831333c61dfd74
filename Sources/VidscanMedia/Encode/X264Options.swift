package import VidscanBase

/// The options of x264 that decide how many frames it keeps in memory. They depend on the size of the frames alone, except
/// for the number of threads.
package struct X264Options: Equatable, Sendable {
    /// The number of frames that x264 looks ahead to distribute the bits.
    ///
    /// Its default, 40, takes 270 MB at 1920 × 1080 and over a gigabyte at 3840 × 2160. With 10 frames, the files of six
    /// clips were 4 to 12 % smaller and their structural similarity to the source 0.0003 to 0.003 lower; with 5, 10 to
    /// 23 % and 0.001 to 0.006.
    package let lookahead: Int

    /// Whether a thread of its own looks ahead. It keeps four more frames, and makes the same decisions.
    package let looksAheadOnThread: Bool

    package init(size: PictureSize) {
        // x264 takes 3.3 bytes a pixel, as measured: the picture, a small one for the search of motion, and costs.
        let bytes = 3.3 * Double(size.width) * Double(size.height)
        lookahead = Int(min(max(Self.lookaheadBytes / bytes, Double(Self.minimumLookahead)), 40))
        looksAheadOnThread = lookahead > Self.minimumLookahead
    }

    private static let lookaheadBytes = 75e6
    private static let minimumLookahead = 5

    /// x264 keeps several frames for each thread, 86 MB at 3840 × 2160. Its default is three threads for two processors; but
    /// another thread decodes and edits the frames, and keeps no more than these busy.
    static let maximumThreads: Int32 = 8
}
