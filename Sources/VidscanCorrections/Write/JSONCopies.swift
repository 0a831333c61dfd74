internal import VidscanBase
internal import VidscanResults

/// The text of a face in `faces.json` and `faces.jsonl`, as `ResultWriter` writes it: the names in a fixed order, and no
/// space between values.
struct JSONFace {
    private var bytes: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The place of a value; `nil` if there is no such name. The names that corrections change come before all texts.
    private func place(of name: String) -> Range<Int>? {
        let pattern = Array("\"\(name)\":".utf8)
        guard let start = bytes.firstRange(of: pattern)?.upperBound,
            let end = bytes[start...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") })
        else { return nil }
        return start..<end
    }

    var faceID: Int? {
        place(of: "face_id").flatMap { Int(String(decoding: bytes[$0], as: UTF8.self)) }
    }

    /// Returns the text with the numbers of a corrected face.
    func text(as face: CorrectedFrame.Face) -> [UInt8] {
        var changed = self
        if face.isSplitOff {
            changed.set("face_id", "\(face.faceID)")
            changed.set("person_match", "null")
        }
        if let person = face.newPersonID { changed.set("person_id", "\(person)") }
        return changed.bytes
    }

    private mutating func set(_ name: String, _ value: String) {
        if let place = place(of: name) { bytes.replaceSubrange(place, with: value.utf8) }
    }
}

/// Copies `faces.jsonl`: one object for each row of `faces.csv`.
final class JSONLinesCopy: FrameFileCopy {
    private let lines: LineReader
    private let output: OutputFile

    init(from source: String, to folder: String) throws(VidscanError) {
        lines = try LineReader(folder: source, name: "faces.jsonl")
        output = try OutputFile(path: "\(folder)/\(lines.name)")
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        var objects: [JSONFace] = []
        for original in frame.originals {
            guard let line = try lines.next() else { throw lines.problem("ends before faces.csv") }
            let object = JSONFace(lines.buffer[line])
            guard object.faceID == original else { throw lines.problem("does not fit faces.csv") }
            objects.append(object)
        }
        for face in frame.faces {
            output.buffer.write(slice: objects[face.offset].text(as: face)[...])
            output.buffer.write("\n")
        }
        try output.drain()
    }

    func finish() throws(VidscanError) {
        guard try lines.next() == nil else { throw lines.problem("has more rows than faces.csv") }
        try output.finish()
    }
}

/// Copies `faces.json`: a line for each sampled frame, with its faces.
final class JSONDocumentCopy: FrameFileCopy {
    /// The maximum length of a frame's line in bytes.
    private static let maximumLine = 1 << 24
    private static let opening = Array(",\"faces\":[".utf8)

    private let lines: LineReader
    private let output: OutputFile
    private var hasFrame = false

    init(from source: String, to folder: String) throws(VidscanError) {
        lines = try LineReader(folder: source, name: "faces.json", limit: Self.maximumLine)
        output = try OutputFile(path: "\(folder)/\(lines.name)")
        guard let line = try lines.next() else { throw lines.problem("is empty") }
        output.buffer.write(slice: lines.buffer[line])
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        guard let line = try lines.next() else { throw lines.problem("ends before frames.csv") }
        let text = lines.buffer[line]
        guard let start = text.firstRange(of: Self.opening), let objects = Self.objects(text[start.upperBound...]),
            objects.count == frame.originals.count
        else { throw lines.problem("does not fit faces.csv") }
        let faces = objects.map(JSONFace.init)
        guard faces.map(\.faceID) == frame.originals else { throw lines.problem("does not fit faces.csv") }
        guard !frame.isExcluded else { return }
        output.buffer.write(text: hasFrame ? ",\n" : "\n")
        hasFrame = true
        output.buffer.write(slice: text[..<start.upperBound])
        for (position, face) in frame.faces.enumerated() {
            if position > 0 { output.buffer.write(",") }
            output.buffer.write(slice: faces[face.offset].text(as: face)[...])
        }
        output.buffer.write("]}")
        try output.drain()
    }

    func finish() throws(VidscanError) {
        guard let line = try lines.next() else { throw lines.problem("ends too early") }
        output.buffer.write("\n")
        output.buffer.write(slice: lines.buffer[line])
        output.buffer.write("\n")
        guard try lines.next() == nil else { throw lines.problem("has more frames than frames.csv") }
        try output.finish()
    }

    /// Divides the objects of a list, which ends at the closing bracket.
    ///
    /// - Returns: `nil` if brackets or quotation marks are not closed.
    private static func objects(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var objects: [ArraySlice<UInt8>] = []
        var (depth, start, isText, isEscaped) = (0, text.startIndex, false, false)
        for (index, byte) in zip(text.indices, text) {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"):
                if depth == 0 { start = index }
                depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { return nil }
                if depth == 0 { objects.append(text[start...index]) }
            case UInt8(ascii: "]"): if depth == 0 { return objects }
            default: break
            }
        }
        return nil
    }
}
