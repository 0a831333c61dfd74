internal import Foundation
package import VidscanBase
internal import VidscanResults

/// A file of corrections: `corrections.json`.
package struct CorrectionFile: Sendable {
    /// The path as the user wrote it.
    package let path: String
    package let text: String
    /// The name of the video for which the corrections were made, and its size.
    package let video: (name: String, bytes: Int64)
    package let corrections: [Correction]
    /// The same as the file has them.
    package let list: [JSONValue]

    /// The maximum size in bytes.
    package static let maximumBytes = 4 << 20
    static let format = "vidscan corrections 1"

    /// - Throws: `VidscanError` that names the first line that is wrong.
    package init(path: String) throws(VidscanError) {
        let place = FilePath.expandingHome(path)
        let text: String?
        do throws(VidscanError) {
            text = try TextFile.read(
                folder: FilePath.folder(of: place), name: FilePath.name(of: place), limit: Self.maximumBytes)
        } catch {
            throw VidscanError(.result, error.reason, input: path, stage: .open)
        }
        guard let text else { throw VidscanError(.result, "is not valid UTF-8", input: path, stage: .open) }
        try self.init(text: text, path: path)
    }

    /// - Parameter path: For messages.
    package init(text: String, path: String) throws(VidscanError) {
        self.path = path
        self.text = text
        do throws(JSONText.Malformed) {
            let reader = CorrectionReader()
            let root = try reader.members(of: try JSONText.parse(text), "the file", ["format", "video", "corrections"])
            let format = try reader.text(root["format"], "format", of: "the file", maximum: 100)
            guard format == Self.format else {
                throw JSONText.Malformed(
                    line: root["format"]?.line ?? 1,
                    reason: "format is \(JSONText.shown(format)), but this version reads '\(Self.format)'")
            }
            video = try reader.video(root["video"])
            let nodes = try reader.list(
                root["corrections"], "corrections", of: "the file", count: 0...AppliedCorrections.maximum)
            var corrections: [Correction] = []
            for (index, node) in nodes.enumerated() {
                corrections.append(try reader.correction(node, number: index + 1))
            }
            self.corrections = corrections
            list = nodes.map(\.jsonValue)
        } catch {
            throw VidscanError(
                .result, "line \(error.line): \(Printable.line(error.reason))", input: path, stage: .open)
        }
    }
}

extension JSONNode {
    fileprivate var jsonValue: JSONValue {
        switch content {
        case .null: .null
        case .flag(let value): .flag(value)
        case .number(let value): .number(value)
        case .text(let value): .text(value)
        case .list(let values): .list(values.map(\.jsonValue))
        case .object(let members):
            .object(Dictionary(members.map { ($0.key, $0.value.jsonValue) }) { first, _ in first })
        }
    }
}

/// Turns JSON values into corrections. A key that is missing or not known, and a value that cannot be true, are errors.
private struct CorrectionReader {
    private typealias Malformed = JSONText.Malformed

    // MARK: Values

    /// Returns the members of an object, which has no other keys than these.
    func members(
        of node: JSONNode, _ what: String, _ keys: [String], optional: [String] = []
    ) throws(JSONText.Malformed) -> [String: JSONNode] {
        guard case .object(let members) = node.content else {
            throw Malformed(line: node.line, reason: "\(what) must be an object")
        }
        var found: [String: JSONNode] = [:]
        for member in members {
            guard keys.contains(member.key) || optional.contains(member.key) else {
                throw Malformed(
                    line: member.value.line,
                    reason: "\(what) has the unknown key \(JSONText.shown(member.key))"
                        + NearestName.suggestion(for: String(member.key.prefix(40)), among: keys + optional))
            }
            found[member.key] = member.value
        }
        for key in keys where found[key] == nil {
            throw Malformed(line: node.line, reason: "\(what) has no '\(key)'")
        }
        return found
    }

    func list(
        _ node: JSONNode?, _ key: String, of what: String, count: ClosedRange<Int>
    ) throws(JSONText.Malformed) -> [JSONNode] {
        guard let node, case .list(let values) = node.content else {
            throw Malformed(line: node?.line ?? 1, reason: "'\(key)' of \(what) must be a list")
        }
        guard count.contains(values.count) else {
            throw Malformed(
                line: node.line,
                reason: "'\(key)' of \(what) has \(values.count) values; it may have \(count.lowerBound) to"
                    + " \(count.upperBound)")
        }
        return values
    }

    func text(
        _ node: JSONNode?, _ key: String, of what: String, maximum: Int
    ) throws(JSONText.Malformed) -> String {
        guard let node, case .text(let text) = node.content else {
            throw Malformed(line: node?.line ?? 1, reason: "'\(key)' of \(what) must be a text")
        }
        guard text.utf8.count <= 4 * maximum, text.count <= maximum else {
            throw Malformed(
                line: node.line, reason: "'\(key)' of \(what) is longer than \(maximum) characters")
        }
        return text
    }

    private func number(
        _ node: JSONNode?, _ key: String, of what: String, in range: ClosedRange<Double>
    ) throws(JSONText.Malformed) -> Double {
        guard let node, case .number(let value) = node.content else {
            throw Malformed(line: node?.line ?? 1, reason: "'\(key)' of \(what) must be a number")
        }
        guard range.contains(value) else {
            throw Malformed(
                line: node.line,
                reason: "'\(key)' of \(what) must be from \(NumberText.plain(range.lowerBound)) to"
                    + " \(NumberText.plain(range.upperBound))")
        }
        return value
    }

    private func microseconds(_ node: JSONNode?, _ key: String, of what: String) throws(JSONText.Malformed) -> Int64 {
        Int64((try number(node, key, of: what, in: ReadLimits.seconds) * 1e6).rounded())
    }

    // MARK: The format

    func video(_ node: JSONNode?) throws(JSONText.Malformed) -> (name: String, bytes: Int64) {
        guard let node else { throw Malformed(line: 1, reason: "the file has no 'video'") }
        let video = try members(of: node, "'video'", ["name", "bytes"])
        let name = try text(video["name"], "name", of: "'video'", maximum: 1024)
        let limits = Double(ReadLimits.counts.lowerBound)...Double(ReadLimits.counts.upperBound)
        let bytes = try number(video["bytes"], "bytes", of: "'video'", in: limits)
        guard let whole = Int64(exactly: bytes) else {
            throw Malformed(line: node.line, reason: "'bytes' of 'video' must be a whole number")
        }
        return (name, whole)
    }

    private func face(_ node: JSONNode?, of what: String) throws(JSONText.Malformed) -> FaceReference {
        guard let node else { throw Malformed(line: 1, reason: "\(what) has no 'face'") }
        let face = try members(of: node, "a face of \(what)", ["time", "box"])
        let sides = try list(face["box"], "box", of: "a face of \(what)", count: 4...4)
        var numbers: [Double] = []
        for (index, side) in sides.enumerated() {
            // The extents of a box are more than nothing.
            let range = index < 2 ? ReadLimits.coordinates : 1e-3...ReadLimits.extents.upperBound
            let name = ["x", "y", "width", "height"][index]
            numbers.append(try number(side, name, of: "a box of \(what)", in: range))
        }
        return FaceReference(
            microseconds: try microseconds(face["time"], "time", of: "a face of \(what)"),
            box: Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }

    func correction(_ node: JSONNode, number: Int) throws(JSONText.Malformed) -> Correction {
        let what = "correction \(number)"
        guard case .object(let all) = node.content else {
            throw Malformed(line: node.line, reason: "\(what) must be an object")
        }
        let name = try text(all.first { $0.key == "do" }?.value ?? node, "do", of: what, maximum: 100)
        guard let kind = Correction.Kind(rawValue: name) else {
            let known = Correction.Kind.allCases.map(\.rawValue)
            throw Malformed(
                line: node.line,
                reason: "\(what): \(JSONText.shown(name)) is not a correction; the corrections are"
                    + " \(known.joined(separator: ", "))\(NearestName.suggestion(for: name, among: known))")
        }
        func members(_ keys: String..., optional: [String] = []) throws(JSONText.Malformed) -> [String: JSONNode] {
            try self.members(of: node, what, ["do"] + keys, optional: optional)
        }
        switch kind {
        case .samePerson:
            var faces: [FaceReference] = []
            for face in try list(try members("faces")["faces"], "faces", of: what, count: 2...Self.maximumFaces) {
                faces.append(try self.face(face, of: what))
            }
            return .samePerson(faces)
        case .split:
            let own = try members("face", "time")
            return .split(
                try face(own["face"], of: what), at: try microseconds(own["time"], "time", of: what))
        case .name:
            let own = try members("face", "name")
            let name = try text(own["name"], "name", of: what, maximum: 100)
            guard Pseudonym.isValid(name) else {
                throw Malformed(
                    line: node.line,
                    reason: "\(what): a name has 1 to 100 characters, no control characters and no quotation marks")
            }
            return .name(try face(own["face"], of: what), name)
        case .notAFace: return .notAFace(try face(try members("face")["face"], of: what))
        case .exclude:
            let own = try members("from", "to")
            let from = try microseconds(own["from"], "from", of: what)
            let to = try microseconds(own["to"], "to", of: what)
            guard from <= to else { throw Malformed(line: node.line, reason: "\(what): 'to' is before 'from'") }
            return .exclude(from...to)
        case .note:
            let own = try members("time", "text", optional: ["face"])
            var face: FaceReference?
            if let named = own["face"] { face = try self.face(named, of: what) }
            return .note(
                at: try microseconds(own["time"], "time", of: what),
                try text(own["text"], "text", of: what, maximum: Self.maximumNote), face)
        }
    }

    private static let maximumFaces = 1000
    /// Characters in a note.
    private static let maximumNote = 4000
}
