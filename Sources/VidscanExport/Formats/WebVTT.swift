internal import VidscanBase
internal import VidscanResults

/// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format").
enum WebVTT {
    /// Returns captions: a cue for each annotation, in order of time. The cue's id is the tier and the number in it; the voice
    /// is the person or face.
    static func captions(_ tiers: [Tier]) -> String {
        let cues = tiers.flatMap { tier in
            tier.annotations.enumerated().map { index, annotation in
                (id: "\(tier.name) \(index + 1)", voice: tier.subject.name, annotation: annotation)
            }
        }
        var text = "WEBVTT\n"
        for cue in cues.sorted(by: { Annotation.precedes($0.annotation, $1.annotation) })
        where cue.annotation.beginMilliseconds < cue.annotation.endMilliseconds {
            text += "\n\(cue.id)\n\(times(cue.annotation.begin, cue.annotation.end))\n"
            text += (cue.voice.map { "<v \($0)>" } ?? "") + cue.annotation.label + "\n"
        }
        return text
    }

    static func times(_ begin: Int64, _ end: Int64) -> String {
        "\(ClockText.timestamp(begin)) --> \(ClockText.timestamp(end))"
    }
}

/// A metadata track: a cue for each sample that shows a face, with the boxes as JSON.
struct BoxTrack: ~Copyable {
    private let folder: String
    private let samples: ResultSamples
    /// The size of the frame in pixels, if the result has it.
    private let size: (width: Int, height: Int)?
    private var writer = ByteWriter(reservingCapacity: 1 << 16)

    init(folder: String, samples: ResultSamples, record: RunRecord) {
        self.folder = folder
        self.samples = samples
        size = record.video.displayWidth.flatMap { width in record.video.displayHeight.map { (width, $0) } }
    }

    /// Writes the track. A cue lasts until the next sample, of which `frames.csv` has all.
    ///
    /// - Throws: `VidscanError` if the tables are damaged or do not fit each other.
    mutating func write(to file: borrowing AtomicFile) throws(VidscanError) {
        let frames = try TableReader(folder: folder, name: "frames.csv")
        let faces = try FaceBoxes(folder: folder)
        let (time, frame, count) = (
            try frames.column("time"), try frames.column("frame"), try frames.column("faces")
        )
        writer.write("WEBVTT\n")
        var pending: (microseconds: Int64, boxes: [[Field]], frame: Int)?
        while try frames.next() {
            let now = try frames.microseconds(time)
            guard now >= pending?.microseconds ?? now else { throw frames.problem("time goes back") }
            if let pending { writeCue(pending.frame, pending.boxes, from: pending.microseconds, to: now) }
            let number = try frames.count(frame)
            let boxes = try faces.take(
                try frames.integer(count, in: ReadLimits.facesInFrame), frame: number)
            pending = (now, boxes, number)
            try drain(to: file, minimum: 1 << 15)
        }
        if let pending {
            writeCue(
                pending.frame, pending.boxes, from: pending.microseconds, to: pending.microseconds + samples.interval)
        }
        try faces.finish()
        try drain(to: file, minimum: 1)
    }

    private mutating func drain(to file: borrowing AtomicFile, minimum: Int) throws(VidscanError) {
        guard writer.count >= minimum else { return }
        try file.write(writer.bytes)
        writer.removeAll()
    }

    private mutating func writeCue(_ frame: Int, _ boxes: [[Field]], from begin: Int64, to end: Int64) {
        guard !boxes.isEmpty, begin >= 0 else { return }
        // A sample may have the time of the one before.
        writer.write(text: "\n" + WebVTT.times(begin, max(end, begin + 1000)) + "\n{\"frame\":\(frame),")
        if let size { writer.write(text: "\"width\":\(size.width),\"height\":\(size.height),") }
        writer.write("\"faces\":[")
        for (index, box) in boxes.enumerated() {
            if index > 0 { writer.write(",") }
            writer.writeJSON(names: FaceBoxes.names, row: box)
        }
        writer.write("]}\n")
    }
}

/// Reads the boxes of `faces.csv`, frame by frame.
private final class FaceBoxes {
    static let names = ["face_id", "person_id", "x", "y", "width", "height"]

    private let table: TableReader
    private let frame: Int
    private let face: Int
    private let person: Int
    private let box: [Int]

    init(folder: String) throws(VidscanError) {
        table = try TableReader(folder: folder, name: "faces.csv")
        (frame, face, person) = (
            try table.column("frame"), try table.column("face_id"), try table.column("person_id")
        )
        var columns: [Int] = []
        for name in ["x", "y", "width", "height"] { columns.append(try table.column(name)) }
        box = columns
    }

    /// Returns the boxes in the next rows.
    ///
    /// - Throws: `VidscanError` if there are fewer rows, or one is of another frame.
    func take(_ count: Int, frame number: Int) throws(VidscanError) -> [[Field]] {
        var boxes: [[Field]] = []
        for _ in 0..<count {
            guard try table.next() else {
                throw VidscanError(.result, "faces.csv has fewer faces than frames.csv", stage: .open)
            }
            guard try table.count(frame) == number else {
                throw table.problem("is of another frame than in frames.csv")
            }
            let personID = try table.optionalInteger(person, in: ReadLimits.ids)
            var fields: [Field] = [
                .integer(Int64(try table.integer(face, in: ReadLimits.ids))),
                personID.map { .integer(Int64($0)) } ?? .missing,
            ]
            for column in box {
                fields.append(.decimal(try table.number(column, in: ReadLimits.coordinates), decimals: 2))
            }
            boxes.append(fields)
        }
        return boxes
    }

    /// - Throws: `VidscanError` if a row is left.
    func finish() throws(VidscanError) {
        guard try !table.next() else { throw table.problem("belongs to no frame in frames.csv") }
    }
}
