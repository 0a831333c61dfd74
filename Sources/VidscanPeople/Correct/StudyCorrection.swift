internal import VidscanBase
internal import VidscanResults

/// A file of corrections of a study, in the language of those of a result, with numbers of `people.csv` for faces.
struct StudyCorrectionFile: Sendable, Decodable {
    static let format = "vidscan study corrections 1"

    private var path = ""
    private let corrections: [StudyCorrection]

    init(path: String) throws(VidscanError) {
        let text = try TextFile.text(named: path, limit: 16 << 20)
        self = try StrictMembers.decode(text, listing: "corrections", path: path)
        self.path = path
    }

    init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder)
        try members.require(format: Self.format)
        try members.allow(["format", "corrections"])
        corrections = try members.list("corrections", count: 0...AppliedCorrections.maximum)
    }

    /// Applies the corrections that are new to the study, and returns their number. If one does not fit, applies none.
    func apply(to state: inout StudyState) throws(VidscanError) -> Int {
        var (corrected, count) = (state, 0)
        // What undoes a correction may be undone by the same one again.
        var known = Dictionary(grouping: state.corrections) { $0 }.mapValues(\.count)
        for (index, correction) in corrections.enumerated() {
            try require(!Task.isCancelled, .interrupted, "interrupted")
            let times = known[correction.json, default: 0]
            guard times == 0 || renames(index, corrected) else {
                known[correction.json] = times - 1
                continue
            }
            do throws(VidscanError) { try corrected.apply(correction) } catch {
                throw .result("correction \(index + 1): \(Printable.line(error.reason))", input: path)
            }
            count += 1
        }
        do throws(VidscanError) { try corrected.requireDistinctNames() } catch {
            throw .result(Printable.line(error.reason), input: path)
        }
        state = corrected
        return count
    }

    /// Whether the correction gives a person the name that they had before another one. The last name in the file counts.
    private func renames(_ index: Int, _ state: StudyState) -> Bool {
        guard case .name(let id, let name) = corrections[index], state.studyIDs.contains(id), state.name(of: id) != name
        else { return false }
        return !corrections[(index + 1)...].contains { if case .name(id, _) = $0 { true } else { false } }
    }
}

enum StudyCorrection: Sendable, Decodable {
    /// The first number stays.
    case samePerson([Int])
    /// Assigns these tracks (`face_id`s) to a new person, or all of the person's tracks in the video if none is named. A video
    /// is given by its path or name, or by that of its result.
    case split(Int, tracks: [Int], video: String?)
    case name(Int, String)

    init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder)
        let kind = try members.correction(among: [
            .samePerson: ["people"], .split: ["person", "tracks", "video"], .name: ["person", "name"],
        ])
        switch kind {
        case .samePerson:
            let ids = try Self.ids("people", 2, members)
            guard Set(ids).count == ids.count else { throw members.problem("people", "has a number twice") }
            self = .samePerson(ids)
        case .name: self = .name(try Self.id("person", members), try members.pseudonym("name"))
        default:
            guard members.has("tracks") || members.has("video") else { throw members.problem("tracks", "is missing") }
            self = .split(
                try Self.id("person", members),
                tracks: members.has("tracks") ? Set(try Self.ids("tracks", 1, members)).sorted() : [],
                video: members.has("video") ? try members.text("video", maximum: 4096) : nil)
        }
    }

    private static func id(_ key: String, _ members: StrictMembers) throws -> Int {
        Int(try members.integer(key, in: Int64(ReadLimits.ids.lowerBound)...Int64(ReadLimits.ids.upperBound)))
    }

    private static func ids(_ key: String, _ minimum: Int, _ members: StrictMembers) throws -> [Int] {
        let ids: [Int64] = try members.list(key, count: minimum...10_000)
        guard ids.allSatisfy({ ReadLimits.ids.contains(Int($0)) }) else {
            throw members.problem(key, "must be numbers from 1 to \(ReadLimits.ids.upperBound)")
        }
        return ids.map { Int($0) }
    }

    /// As a file has it. Corrections that mean the same are equal.
    var json: JSONValue {
        func list(_ ids: [Int]) -> JSONValue { .list(ids.map { .integer($0) }) }
        var members: [String: JSONValue]
        switch self {
        case .samePerson(let ids): members = ["do": .text("same_person"), "people": list(ids)]
        case .name(let id, let name): members = ["do": .text("name"), "person": .integer(id), "name": .text(name)]
        case .split(let id, let tracks, let video):
            members = ["do": .text("split"), "person": .integer(id)]
            if !tracks.isEmpty { members["tracks"] = list(tracks) }
            members["video"] = video.map { .text($0) }
        }
        return .object(members)
    }
}
