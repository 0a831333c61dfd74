package import VidscanBase
package import VidscanResults

/// A file of corrections: `corrections.json`.
package struct CorrectionFile: Sendable, Decodable {
    /// As the user wrote it.
    package private(set) var path = ""
    package private(set) var text = ""
    /// The name of the video for which the corrections were made, and its size.
    package let video: (name: String, bytes: Int64)
    package let corrections: [Correction]
    let kinds: [AppliedCorrections.Kind]
    /// The corrections as the file has them.
    package let list: [JSONValue]

    package static let maximumBytes = 4 << 20
    static let format = "vidscan corrections 1"

    /// Throws an error that names the first correction that is wrong.
    package init(path: String) throws(VidscanError) {
        try self.init(text: try TextFile.text(named: path, limit: Self.maximumBytes), path: path)
    }

    /// `path` is for messages.
    package init(text: String, path: String) throws(VidscanError) {
        self = try StrictMembers.decode(text, listing: "corrections", path: path)
        (self.path, self.text) = (path, text)
    }

    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder, ["format", "video", "corrections"])
        video = try members.video(format: Self.format)
        corrections = try members.list("corrections", count: 0...AppliedCorrections.maximum)
        list = try members.decode("corrections")
        kinds = (try members.decode("corrections") as [[String: JSONValue]]).compactMap { members in
            if case .text(let name)? = members["do"] { AppliedCorrections.Kind(rawValue: name) } else { nil }
        }
    }
}

/// One correction of the tables of a result. Times are in microseconds on the clock of the tables. A face at a moment names
/// a track, so that the correction holds after another analysis too.
package enum Correction: Sendable, Equatable, Decodable {
    case samePerson([FaceReference])
    case differentPeople(FaceReference, FaceReference)
    /// From this time on, the track shows somebody else.
    case split(FaceReference, at: Int64)
    case name(FaceReference, String)
    case notAFace(FaceReference)
    case exclude(ClosedRange<Int64>)
    case note(at: Int64, String, FaceReference?)

    private static let maximumFaces = 1000, maximumNote = 4000

    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder)
        let kind = try members.correction(among: [
            .samePerson: ["faces"], .differentPeople: ["faces"], .split: ["face", "time"], .name: ["face", "name"],
            .notAFace: ["face"], .exclude: ["from", "to"], .note: ["time", "text", "face"],
        ])
        switch kind {
        case .samePerson: self = .samePerson(try members.list("faces", count: 2...Self.maximumFaces))
        case .differentPeople:
            let faces: [FaceReference] = try members.list("faces", count: 2...2)
            self = .differentPeople(faces[0], faces[1])
        case .split: self = .split(try members.decode("face"), at: try members.microseconds("time"))
        case .name: self = .name(try members.decode("face"), try members.pseudonym("name"))
        case .notAFace: self = .notAFace(try members.decode("face"))
        case .exclude:
            let (from, to) = (try members.microseconds("from"), try members.microseconds("to"))
            guard from <= to else { throw members.problem("to", "is before 'from'") }
            self = .exclude(from...to)
        case .note:
            self = .note(
                at: try members.microseconds("time"), try members.text("text", maximum: Self.maximumNote),
                members.has("face") ? try members.decode("face") : nil)
        }
    }

    var namesFaces: Bool {
        switch self {
        case .samePerson, .differentPeople, .split, .name, .notAFace: true
        case .note(_, _, let face): face != nil
        case .exclude: false
        }
    }
}
