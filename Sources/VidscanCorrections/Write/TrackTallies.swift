internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Counts the samples of the parts whose samples are not all of those of a track of the analysis.
final class TrackTallies {
    private let tracks: CorrectedTracks
    private let frameSize: PictureSize
    /// The parts that are counted.
    let changed: Set<Int>
    /// The face_ids of the analysis of these parts.
    private let originals: Set<Int>
    private var columns: FaceColumns?
    private var clock: SampleClock
    private var seconds = 0.0
    private var frame: (microseconds: Int64, index: Int64) = (0, 0)
    private var samplesLeft: [Int: Int] = [:]
    private var open: [Int: Tally] = [:]
    /// The rows of the parts, with the numbers of the analysis.
    private(set) var rows: [Int: TrackRow] = [:]
    /// The seconds in which an eye is measured, by the face_id of the analysis.
    private(set) var measuredEyes: [Int: Double] = [:]

    private struct Tally {
        var track: TrackTally
        var eyeSeconds = 0.0
    }

    /// - Parameter frameSize: The size of the frames, in pixels of the tables.
    init(_ tracks: CorrectedTracks, frameSize: PictureSize) {
        self.tracks = tracks
        self.frameSize = frameSize
        for part in tracks.parts.indices {
            let count = tracks.rows(ofPart: part).count
            if count > 0, count != tracks.samples.rowsOfFace[tracks.parts[part].original]?.count {
                samplesLeft[part] = count
            }
        }
        changed = Set(samplesLeft.keys)
        originals = Set(changed.map { tracks.parts[$0].original })
        clock = SampleClock(interval: tracks.samples.interval / 1e6)
    }

    /// - Parameter table: `faces.csv`.
    func prepare(_ table: TableReader) throws(VidscanError) {
        // Otherwise no row is counted.
        if !changed.isEmpty { columns = try FaceColumns(FaceField.all, of: table) }
    }

    func begin(_ frame: CorrectedFrame) {
        seconds = clock.seconds(at: frame.microseconds)
        self.frame = (frame.microseconds, frame.index)
    }

    /// Counts the current row of `faces.csv`.
    ///
    /// - Parameters:
    ///   - original: The face_id that the analysis gave.
    ///   - part: The part to which it belongs, unless it is left out.
    func add(_ table: TableReader, original: Int, part: Int?) throws(VidscanError) {
        guard originals.contains(original), let columns else { return }
        let numbers = try columns.numbers(in: table)
        let hasEye = numbers[.metric(.leftEyeOpenness)] != nil || numbers[.metric(.rightEyeOpenness)] != nil
        if hasEye { measuredEyes[original, default: 0] += seconds }
        guard let part, changed.contains(part) else { return }
        var tally =
            open.removeValue(forKey: part)
            ?? Tally(track: TrackTally(microseconds: frame.microseconds, frame: frame.index))
        tally.track.add(
            microseconds: frame.microseconds, frame: frame.index, seconds: seconds,
            weight: FaceProminence.of(numbers, in: frameSize), box: numbers.box
        ) { numbers[$0] }
        if hasEye { tally.eyeSeconds += seconds }
        let left = (samplesLeft[part] ?? 1) - 1
        samplesLeft[part] = left
        guard left == 0 else {
            open[part] = tally
            return
        }
        // What the table of tracks says is added later.
        rows[part] = tally.track.row(
            faceID: tracks.parts[part].faceID, personID: tracks.parts[part].personID, personConfidence: nil,
            appearances: 0, blinks: TrackRow.Blinks(seconds: tally.eyeSeconds)
        ) { _ in nil }
    }
}
