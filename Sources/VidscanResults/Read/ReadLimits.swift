/// The ranges of numbers read back from disk: wider than what a run writes, too narrow for arithmetic to overflow.
package enum ReadLimits {
    package static let ids = 1...Int(Int32.max)
    /// Of frames, packets, samples and bytes, also indices.
    package static let counts: ClosedRange<Int64> = 0...1 << 50
    /// In pixels, inside or outside the frame.
    package static let coordinates = -1e7...1e7
    /// Widths, heights and distances in pixels.
    package static let extents = 0...1e7
    /// Of a frame, in pixels.
    package static let sides = 1...1_000_000
    /// On a stream's clock: up to 272 years before or after 0.
    package static let microseconds: ClosedRange<Int64> = -(1_000_000 << 33)...1_000_000 << 33
    /// Differences of two times on a stream's own timeline.
    package static let jumps: ClosedRange<Int64> = 2 * microseconds.lowerBound...2 * microseconds.upperBound
    package static let seconds = -8_589_934_592.0...8_589_934_592.0
    package static let durations = 0...8_589_934_592.0
    package static let sharpness = 0...1e9
    /// Colours outside the nominal range may give a luma slightly outside 0 to 100.
    package static let luma = -1.0...101.0
    /// Matching the faces of two frames takes time that grows with the cube of their number.
    package static let facesInFrame = 0...1024
    /// A report page with more rows of `tracks.csv` would be useless.
    package static let tracks = 100_000
    /// Rows of `events.csv`.
    package static let events = 2_000_000
    /// In the window around one moment.
    package static let samplesAtOnce = 100_000
    /// Bytes in a row of a table.
    package static let line = 1 << 16
    /// Bytes in `run.json` or `part.json`.
    package static let record = 16 << 20
    /// Bytes: an hour of twenty visible faces takes 16 MB.
    package static let hidingRecord = 256 << 20
    /// Five samples of each track.
    package static let embeddings = 5 * tracks
    /// Coordinates; the norm is about 1.3.
    package static let embedding: ClosedRange<Float> = -16...16
    package static let weight: ClosedRange<Float> = 0...1e9
}
