internal import VidscanBase
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
        let reader = try FrameRecordReader(folder: folder, name: ResultFiles.record)
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
