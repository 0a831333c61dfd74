internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The samples of a result and the faces in them, as the analysis found them.
struct SampleTable {
    struct Frame {
        let microseconds: Int64
        let firstRow: Int
    }

    struct Row {
        let frame: Int32
        /// The number of its track, from 1.
        let track: Int32
        let box: Rectangle
    }

    let outcome: TrackingOutcome
    let options: OutputOptions
    private(set) var frames: [Frame] = []
    /// In the order of the record.
    private(set) var rows: [Row] = []
    private(set) var rowsOfFace: [Int: [Int32]] = [:]
    /// By face_id.
    let people: [Int: Int]

    /// Reads the record of a result. Throws if it has a value that no run writes.
    init(folder: String) throws(VidscanError) {
        let reader = try FrameRecordReader(path: "\(folder)/\(ResultFiles.record)")
        guard let outcome = reader.header.outcome, let options = reader.header.options else {
            throw .result("\(ResultFiles.record) is not that of a finished result; analyse the video again")
        }
        (self.outcome, self.options) = (outcome, options)
        people = Dictionary(outcome.tracks.map { ($0.faceID, $0.personID) }) { first, _ in first }
        while let frame = try reader.next() {
            guard frames.count < Int(Int32.max), rows.count < Int(Int32.max) - frame.faces.count else {
                throw .result("\(ResultFiles.record) has too many samples")
            }
            frames.append(Frame(microseconds: frame.microseconds, firstRow: rows.count))
            for face in frame.faces {
                rowsOfFace[outcome.tracks[face.track - 1].faceID, default: []].append(Int32(rows.count))
                rows.append(Row(frame: Int32(frames.count - 1), track: Int32(face.track), box: face.box))
            }
        }
    }

    func faceID(ofRow row: Int) -> Int { outcome.tracks[Int(rows[row].track) - 1].faceID }
    func microseconds(ofRow row: Int) -> Int64 { frames[Int(rows[row].frame)].microseconds }

    func rows(ofFrame frame: Int) -> Range<Int> {
        frames[frame].firstRow..<(frame + 1 < frames.count ? frames[frame + 1].firstRow : rows.count)
    }

    func frames(in range: ClosedRange<Int64>) -> Range<Int> {
        let first = frames.partitionIndex { $0.microseconds >= range.lowerBound }
        return first..<max(first, frames.partitionIndex { $0.microseconds > range.upperBound })
    }
}

/// The tracks and shots that the corrections leave, as the output pass takes them.
struct CorrectedOutcome {
    let outcome: TrackingOutcome
    /// The number of the track of each row, from 1; 0 for a row that is left out.
    let trackOfRow: [Int32]
    /// Whether each track has another face_id than in the analysis.
    let isSplitOff: [Bool]
    /// The last sample of each track that ends because of a correction.
    private let cutSamples: [Int?]

    /// A track of the analysis ends where it is split, and where samples are left out.
    private struct Segment {
        let original: Int32
        var track: TrackingOutcome.Track
        let isSplitOff: Bool
        var lastFrame: Int
    }

    init(_ tracks: CorrectedTracks) {
        let (samples, isExcluded) = (tracks.samples, tracks.isExcluded)
        // The number of samples that are left out before each one.
        var excludedBefore = [0]
        for isExcluded in isExcluded {
            excludedBefore.append(excludedBefore[excludedBefore.count - 1] + (isExcluded ? 1 : 0))
        }
        var segments: [Segment] = []
        var segmentOfPart: [Int: Int] = [:]
        var segmentOfRow = [Int](repeating: -1, count: samples.rows.count)
        for (row, own) in samples.rows.enumerated() {
            guard let part = tracks.part(ofRow: row) else { continue }
            let frame = Int(own.frame)
            let sample = frame - excludedBefore[frame]
            let (old, new) = (samples.outcome.tracks[Int(own.track) - 1], tracks.parts[part])
            let open: Int? = segmentOfPart[part].flatMap { open in
                let isSameTrack = segments[open].original == own.track
                return isSameTrack && excludedBefore[segments[open].lastFrame] == excludedBefore[frame] ? open : nil
            }
            let index = open ?? segments.count
            if index == segments.count {
                segments.append(
                    Segment(
                        original: own.track,
                        track: TrackingOutcome.Track(
                            faceID: new.faceID, personID: new.personID,
                            personConfidence: new.isDecided ? 1 : old.personConfidence, firstSample: sample,
                            lastSample: sample, samples: 0, ending: .corrected),
                        isSplitOff: new.faceID != new.original, lastFrame: frame))
                segmentOfPart[part] = index
            }
            segments[index].lastFrame = frame
            segments[index].track.lastSample = sample
            segments[index].track.samples += 1
            segments[index].track.ending = frame == old.lastSample ? old.ending : .corrected
            segmentOfRow[row] = index
        }
        var gaps: [Int: Int64] = [:]
        for frame in isExcluded.indices.dropFirst() where isExcluded[frame - 1] && !isExcluded[frame] {
            gaps[frame - excludedBefore[frame]] = samples.frames[frame - 1].microseconds
        }
        let order = segments.indices.sorted {
            (segments[$0].original, segments[$0].track.firstSample) < (
                segments[$1].original, segments[$1].track.firstSample
            )
        }
        var numbers = [Int32](repeating: 0, count: segments.count)
        for (number, index) in order.enumerated() { numbers[index] = Int32(number + 1) }
        trackOfRow = segmentOfRow.map { $0 < 0 ? 0 : numbers[$0] }
        isSplitOff = order.map { segments[$0].isSplitOff }
        cutSamples = order.map { segments[$0].track.ending == .corrected ? segments[$0].lastFrame : nil }
        outcome = TrackingOutcome(
            tracks: order.map { segments[$0].track }, changes: Self.changes(samples, isExcluded, excludedBefore),
            sampleCount: isExcluded.count { !$0 }, interval: samples.outcome.interval, timesBeforeGaps: gaps)
    }

    /// Returns the shot changes that are left. Those in a range that is left out are at the first sample after it, once.
    private static func changes(_ samples: SampleTable, _ isExcluded: [Bool], _ excludedBefore: [Int]) -> [ShotChange] {
        var kept: [Int: ShotChange] = [:]
        for change in samples.outcome.changes {
            guard let frame = isExcluded[change.sample...].firstIndex(of: false) else { continue }
            let sample = frame - excludedBefore[frame]
            guard sample > 0 else { continue }
            kept[sample] = ShotChange(
                kind: change.kind, sample: sample,
                seconds: frame == change.sample ? change.seconds : Double(samples.frames[frame].microseconds) / 1e6)
        }
        return kept.values.sorted { $0.sample < $1.sample }
    }

    func frames(of folder: String, isLeftOut: [Bool]) -> TrackedFrames {
        TrackedFrames(folder: folder, name: ResultFiles.record) {
            [trackOfRow, isSplitOff, cutSamples] frame, position in
            for index in frame.faces.indices {
                let track = Int(trackOfRow[position.face + index])
                frame.faces[index].track = track
                // The match compares the sample with those of the other part.
                if track > 0, isSplitOff[track - 1] { frame.faces[index].personMatch = nil }
                // Later speech belongs to the excluded time, or to the other part.
                if track > 0, cutSamples[track - 1] == position.frame {
                    frame.faces[index].speech = Array(frame.faces[index].speech.prefix(1))
                }
            }
            return !isLeftOut[position.frame]
        }
    }
}
