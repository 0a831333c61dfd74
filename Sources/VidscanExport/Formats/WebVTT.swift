internal import VidscanBase
internal import VidscanResults

/// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format").
enum WebVTT {
    /// Returns captions: a cue for each annotation, in order of time. The cue's id is the tier and the number in it; the voice
    /// is the person or face.
    static func captions(_ tiers: [Tier]) -> String {
        let cues = tiers.flatMap { tier in
            tier.annotations.enumerated().map { index, annotation in
                (id: "\(tier.name) \(index + 1)", voice: tier.speaker.map(voice), annotation: annotation)
            }
        }
        var text = "WEBVTT\n"
        for cue in cues.sorted(by: { Annotation.precedes($0.annotation, $1.annotation) })
        where cue.annotation.beginMilliseconds < cue.annotation.endMilliseconds {
            // An arrow would make the id a time.
            text +=
                "\n\(cue.id.replacing(scalars: "-->", with: "→"))\n\(times(cue.annotation.begin, cue.annotation.end))\n"
            text += (cue.voice.map { "<v \(escaped($0))>" } ?? "") + escaped(cue.annotation.label) + "\n"
        }
        return text
    }

    /// `person_1` as people read it: Person 1.
    private static func voice(_ speaker: String) -> String {
        speaker.wholeMatch(of: /(person|face)_([0-9]+)/).map { "\($0.1 == "person" ? "Person" : "Face") \($0.2)" }
            ?? speaker
    }

    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].reduce(text) { $0.replacing(scalars: $1.0, with: $1.1) }
    }

    static func times(_ begin: Int64, _ end: Int64) -> String {
        "\(ClockText.timestamp(begin)) --> \(ClockText.timestamp(end))"
    }

    /// Writes a metadata track: a cue for each sample that shows a face, with the boxes as JSON. A cue lasts until the next
    /// sample in `frames.csv`, at most until the end. Throws if the tables are damaged or do not fit each other.
    static func writeBoxes(
        of result: StoredResult, interval: Int64, end: Int64, to file: borrowing AtomicFile
    ) throws(VidscanError) {
        let frames = try TableReader(folder: result.name, name: "frames.csv")
        let (time, frame) = (try frames.column("time"), try frames.column("frame"))
        let count = try frames.column("faces")
        let faces = try TableReader(folder: result.name, name: "faces.csv")
        let (frameOfFace, id) = (try faces.column("frame"), try faces.column("face_id"))
        let (person, sides) = (try faces.column("person_id"), try FaceColumns(FaceField.box, of: faces))
        func nextBox(frame number: Int) throws(VidscanError) -> [Field] {
            guard try faces.next() else { throw .result("faces.csv has fewer faces than frames.csv") }
            try faces.require(try faces.count(frameOfFace) == number, "does not match its frame in frames.csv")
            let personID = try faces.optionalInteger(person, in: ReadLimits.ids)
            let faceID = try faces.integer(id, in: ReadLimits.ids)
            let box = try sides.numbers(in: faces).box
            return [.integer(faceID), .integer(personID)]
                + [box.x, box.y, box.width, box.height].map { .decimal($0, decimals: 2) }
        }
        var size = ""
        if let width = result.record.video.displayWidth, let height = result.record.video.displayHeight {
            size = "\"width\":\(width),\"height\":\(height),"
        }
        var writer = ByteWriter()
        writer.write("WEBVTT\n")
        var pending: (microseconds: Int64, boxes: [[Field]], frame: Int)?
        let left = (result.record.corrections?.excluded ?? []).map { Int64(($0.from * 1e6).rounded()) }
        func writePending(until next: Int64) {
            guard let (begin, boxes, number) = pending, !boxes.isEmpty, begin >= 0 else { return }
            let end = left.filter { begin..<next ~= $0 }.min() ?? next
            // A sample may have the time of the one before.
            writer.write(text: "\n\(times(begin, max(end, begin + 1000)))\n{\"frame\":\(number),\(size)\"faces\":[")
            for (index, box) in boxes.enumerated() {
                if index > 0 { writer.write(",") }
                writer.writeJSON(names: ["face_id", "person_id", "x", "y", "width", "height"], row: box)
            }
            writer.write("]}\n")
        }
        while try frames.next() {
            let now = try frames.microseconds(time)
            guard now >= pending?.microseconds ?? now else { throw frames.problem("time goes back") }
            writePending(until: now)
            let number = try frames.count(frame)
            let rows = try frames.integer(count, in: ReadLimits.facesInFrame)
            pending = (now, try (0..<rows).map { _ throws(VidscanError) in try nextBox(frame: number) }, number)
            if writer.count >= 1 << 15 {
                try file.write(writer.bytes)
                writer.removeAll()
            }
        }
        if let pending { writePending(until: min(pending.microseconds + interval, end)) }
        try faces.require(try !faces.next(), "has no frame in frames.csv")
        try file.write(writer.bytes)
    }
}
