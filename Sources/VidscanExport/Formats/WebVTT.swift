internal import VidscanBase
internal import VidscanResults

/// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format").
enum WebVTT {
    /// Returns captions: a cue for each annotation, in order of time. The cue's id is the tier and the number in it; the voice
    /// is the person or face.
    static func captions(_ tiers: [Tier]) -> String {
        let cues = tiers.flatMap { tier in
            tier.annotations.enumerated().map { index, annotation in
                (id: "\(tier.name) \(index + 1)", voice: tier.speaker, annotation: annotation)
            }
        }
        var text = "WEBVTT\n"
        for cue in cues.sorted(by: { Annotation.precedes($0.annotation, $1.annotation) })
        where cue.annotation.beginMilliseconds < cue.annotation.endMilliseconds {
            // An arrow would make the id a time.
            text += "\n\(cue.id.replacing("-->", with: "->"))\n\(times(cue.annotation.begin, cue.annotation.end))\n"
            text += (cue.voice.map { "<v \(escaped($0))>" } ?? "") + escaped(cue.annotation.label) + "\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    static func times(_ begin: Int64, _ end: Int64) -> String {
        "\(ClockText.timestamp(begin)) --> \(ClockText.timestamp(end))"
    }

    /// Writes a metadata track: a cue for each sample that shows a face, with the boxes as JSON. A cue lasts until the next
    /// sample in `frames.csv`. Throws if the tables are damaged or do not fit each other.
    static func writeBoxes(
        of result: StoredResult, interval: Int64, to file: borrowing AtomicFile
    ) throws(VidscanError) {
        let frames = try TableReader(folder: result.name, name: "frames.csv")
        let (time, frame) = (try frames.column("time"), try frames.column("frame"))
        let count = try frames.column("faces")
        let faces = try FaceBoxes(folder: result.name)
        var size = ""
        if let width = result.record.video.displayWidth, let height = result.record.video.displayHeight {
            size = "\"width\":\(width),\"height\":\(height),"
        }
        var writer = ByteWriter()
        writer.write("WEBVTT\n")
        var pending: (microseconds: Int64, boxes: [[Field]], frame: Int)?
        func writePending(until end: Int64) {
            guard let (begin, boxes, number) = pending, !boxes.isEmpty, begin >= 0 else { return }
            // A sample may have the time of the one before.
            writer.write(text: "\n\(times(begin, max(end, begin + 1000)))\n{\"frame\":\(number),\(size)\"faces\":[")
            for (index, box) in boxes.enumerated() {
                if index > 0 { writer.write(",") }
                writer.writeJSON(names: FaceBoxes.names, row: box)
            }
            writer.write("]}\n")
        }
        while try frames.next() {
            let now = try frames.microseconds(time)
            guard now >= pending?.microseconds ?? now else { throw frames.problem("time goes back") }
            writePending(until: now)
            let number = try frames.count(frame)
            let boxes = try faces.take(try frames.integer(count, in: ReadLimits.facesInFrame), frame: number)
            pending = (now, boxes, number)
            if writer.count >= 1 << 15 {
                try file.write(writer.bytes)
                writer.removeAll()
            }
        }
        if let pending { writePending(until: pending.microseconds + interval) }
        try faces.finish()
        try file.write(writer.bytes)
    }
}

/// Reads the boxes of `faces.csv`, frame by frame.
private struct FaceBoxes {
    static let names = ["face_id", "person_id", "x", "y", "width", "height"]

    private let table: TableReader
    private let columns: (frame: Int, face: Int, person: Int)
    private let box: FaceColumns

    init(folder: String) throws(VidscanError) {
        table = try TableReader(folder: folder, name: "faces.csv")
        columns = (try table.column("frame"), try table.column("face_id"), try table.column("person_id"))
        box = try FaceColumns(FaceField.box, of: table)
    }

    /// Returns the boxes in the next rows. Throws if there are fewer rows, or one is of another frame.
    func take(_ count: Int, frame number: Int) throws(VidscanError) -> [[Field]] {
        var boxes: [[Field]] = []
        for _ in 0..<count {
            guard try table.next() else { throw .result("faces.csv has fewer faces than frames.csv") }
            try table.require(try table.count(columns.frame) == number, "does not match its frame in frames.csv")
            let personID = try table.optionalInteger(columns.person, in: ReadLimits.ids)
            let faceID = try table.integer(columns.face, in: ReadLimits.ids)
            let box = try box.numbers(in: table).box
            boxes.append(
                [.integer(faceID), .integer(personID)]
                    + [box.x, box.y, box.width, box.height].map { .decimal($0, decimals: 2) })
        }
        return boxes
    }

    func finish() throws(VidscanError) {
        guard try !table.next() else { throw table.problem("has no frame in frames.csv") }
    }
}
