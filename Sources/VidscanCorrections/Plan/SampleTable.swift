internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The samples of a result and the boxes in them, as the analysis wrote them.
struct SampleTable {
    struct Frame {
        let microseconds: Int64
        /// As in the tables.
        let index: Int64
        /// The position of its first row.
        let firstRow: Int
    }

    /// A row of `faces.csv`.
    struct Row {
        let frame: Int32
        let faceID: Int32
        private let x, y, width, height: Float

        init(frame: Int, faceID: Int, box: Rectangle) {
            self.frame = Int32(frame)
            self.faceID = Int32(faceID)
            (x, y, width, height) = (Float(box.x), Float(box.y), Float(box.width), Float(box.height))
        }

        var box: Rectangle {
            Rectangle(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
        }
    }

    private(set) var frames: [Frame] = []
    private(set) var rows: [Row] = []
    /// The positions of the rows of each face, by face_id.
    private(set) var rowsOfFace: [Int: [Int32]] = [:]
    /// By face_id.
    private(set) var people: [Int: Int] = [:]

    /// Reads the tables of a result.
    ///
    /// - Throws: `VidscanError` if they contradict each other.
    init(folder: String) throws(VidscanError) {
        try readRows(folder)
        try readPeople(folder)
    }

    private mutating func readRows(_ folder: String) throws(VidscanError) {
        let frameTable = try TableReader(folder: folder, name: "frames.csv")
        let faceTable = try TableReader(folder: folder, name: "faces.csv")
        let (time, index, count) = (
            try frameTable.column("time"), try frameTable.column("frame"), try frameTable.column("faces")
        )
        let (faceTime, faceFrame, faceID) = (
            try faceTable.column("time"), try faceTable.column("frame"), try faceTable.column("face_id")
        )
        let box = try FaceColumns(FaceField.box, of: faceTable)
        while try frameTable.next() {
            let microseconds = try frameTable.microseconds(time)
            guard microseconds >= frames.last?.microseconds ?? microseconds else {
                throw frameTable.problem("time goes back")
            }
            guard frames.count < Int(Int32.max), rows.count < Int(Int32.max) - ReadLimits.facesInFrame.upperBound
            else { throw frameTable.problem("is one of too many samples") }
            let number = frames.count
            let frame = Frame(
                microseconds: microseconds, index: Int64(try frameTable.count(index)), firstRow: rows.count)
            frames.append(frame)
            var last = 0
            for _ in 0..<(try frameTable.integer(count, in: ReadLimits.facesInFrame)) {
                guard try faceTable.next() else {
                    throw frameTable.problem("has more faces than there are in faces.csv")
                }
                guard try faceTable.microseconds(faceTime) == microseconds,
                    try faceTable.count(faceFrame) == Int(frame.index)
                else { throw faceTable.problem("is not of the frame of line \(frameTable.line) in frames.csv") }
                let id = try faceTable.integer(faceID, in: ReadLimits.ids)
                guard id > last else { throw faceTable.problem("face_id \(id) is not in order") }
                last = id
                rowsOfFace[id, default: []].append(Int32(rows.count))
                rows.append(Row(frame: number, faceID: id, box: try box.numbers(in: faceTable).box))
            }
        }
        guard try !faceTable.next() else { throw faceTable.problem("belongs to no frame in frames.csv") }
    }

    private mutating func readPeople(_ folder: String) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (face, person) = (try table.column("face_id"), try table.column("person_id"))
        while try table.next() {
            let id = try table.integer(face, in: ReadLimits.ids)
            guard people.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) tracks")
            }
            guard rowsOfFace[id] != nil else { throw table.problem("face_id \(id) is not in faces.csv") }
            guard let owner = try table.optionalInteger(person, in: ReadLimits.ids) else {
                throw VidscanError(
                    .result, "tracks.csv has a blank person_id: an early version wrote it; analyse the video again",
                    stage: .open)
            }
            guard people.updateValue(owner, forKey: id) == nil else {
                throw table.problem("face_id \(id) appears twice")
            }
        }
        guard let missing = rowsOfFace.keys.filter({ people[$0] == nil }).min() else { return }
        throw VidscanError(
            .result, "face_id \(missing) of faces.csv is not in tracks.csv; analyse the video again", stage: .open)
    }

    /// The mean time between samples, in microseconds; 0 if there is only one.
    var interval: Double {
        guard let first = frames.first, let last = frames.last, frames.count > 1 else { return 0 }
        return Double(last.microseconds - first.microseconds) / Double(frames.count - 1)
    }

    func microseconds(ofRow row: Int) -> Int64 { frames[Int(rows[row].frame)].microseconds }

    /// The rows of a frame.
    func rows(ofFrame frame: Int) -> Range<Int> {
        frames[frame].firstRow..<(frame + 1 < frames.count ? frames[frame + 1].firstRow : rows.count)
    }

    /// Returns the position of the first frame at a time or after it.
    func firstFrame(from microseconds: Int64) -> Int {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].microseconds < microseconds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The frames in a range of time.
    func frames(in range: ClosedRange<Int64>) -> Range<Int> {
        let first = firstFrame(from: range.lowerBound)
        return first..<max(first, firstFrame(from: range.upperBound + 1))
    }
}
