internal import VidscanBase
internal import VidscanResults

struct CorrectionFile: Sendable {
    /// The first number is 1.
    private typealias Line = (number: Int, correction: Correction)

    /// As the user wrote it.
    private let path: String
    private let lines: [Line]

    init(path: String) throws(VidscanError) {
        self.path = path
        let text = try TextFile.text(named: path, limit: 16 << 20)
        if text.drop(while: \.isWhitespace).first == "{" {
            throw .result(
                "is JSON, such as a report page saves: it corrects one result, with 'vidscan apply'; corrections of a study are"
                    + " lines of text", input: path)
        }
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(VidscanError) {
                guard let correction = try Correction(line: line) else { continue }
                lines.append((index + 1, correction))
            } catch { throw Self.failure(path, index + 1, error.reason) }
        }
        self.lines = lines
    }

    /// Applies the lines that have not been applied yet, or none if one does not fit. Returns how many it applied.
    func apply(to state: inout StudyState) throws(VidscanError) -> Int {
        var corrected = state
        // A line that stands in the file twice has been applied once.
        var done = Set(state.corrections)
        var count = 0
        for line in lines where done.insert(line.correction.text).inserted || renames(line, corrected) {
            do throws(VidscanError) { try corrected.apply(line.correction) } catch {
                throw Self.failure(path, line.number, error.reason)
            }
            count += 1
        }
        state = corrected
        return count
    }

    /// Whether the line gives a person the name that they had before another one. The last name in the file counts.
    private func renames(_ line: Line, _ state: StudyState) -> Bool {
        guard case .name(let id, let name) = line.correction, state.studyIDs.contains(id), state.name(of: id) != name
        else { return false }
        return !lines.contains { if case .name(id, _) = $0.correction { $0.number > line.number } else { false } }
    }

    private static func failure(_ path: String, _ line: Int, _ reason: String) -> VidscanError {
        VidscanError.result("line \(line): \(Printable.line(reason))", input: path)
    }
}

/// A line of a file of corrections:
///
///     merge ID ID…                    these are one person; the first number stays
///     split ID: track N…              these tracks of the person are somebody else
///     split ID: track N… of VIDEO     the same, if the person has such tracks in several videos
///     split ID: video VIDEO           all tracks of the person in this video are somebody else
///     name ID NAME                    a pseudonym
///
/// Spaces or commas separate words, double quotes enclose a text with spaces or `#`, and `#` begins a comment.
enum Correction: Sendable, Equatable {
    case merge([Int])
    /// Tracks are `face_id`s; empty for all of the person's. A video is its path or name, or that of its result.
    case split(Int, tracks: [Int], video: String?)
    case name(Int, String)

    /// Returns `nil` for a line without a correction.
    init?(line: some StringProtocol) throws(VidscanError) {
        var words = try Self.words(line)
        guard !words.isEmpty else { return nil }
        let command = words.removeFirst()
        guard !command.isQuoted else { throw .result(Self.usage(command.text)) }
        switch command.text {
        case "merge":
            let ids = try words.map { word throws(VidscanError) in try Self.id(word) }
            guard ids.count > 1, Set(ids).count == ids.count else {
                throw .result("merge needs two or more different numbers, as in 'merge 3 7'")
            }
            self = .merge(ids)
        case "split": self = try Self.split(words)
        case "name":
            guard words.count == 2 else {
                throw .result("name needs a number and one name, as in 'name 3 P07'; put a name with spaces in quotes")
            }
            guard Pseudonym.isValid(words[1].text) else {
                throw .result("a name has 1 to 100 characters and no control characters")
            }
            self = .name(try Self.id(words[0]), words[1].text)
        default: throw .result(Self.usage(command.text))
        }
    }

    private static func usage(_ word: String) -> String {
        "'\(word)' is not a correction; the corrections are merge, split and name"
            + NearestName.suggestion(for: word, among: ["merge", "split", "name"])
    }

    private static func split(_ words: [Word]) throws(VidscanError) -> Correction {
        var usage: VidscanError {
            .result("split needs a number and tracks or a video, as in 'split 4: track 12 of interview.mp4'")
        }
        guard words.count >= 3, !words[0].isQuoted else { throw usage }
        let first = words[0].text
        let id = try Self.id(Word(text: first.hasSuffix(":") ? String(first.dropLast()) : first))
        if words[1] == Word(text: "video"), words.count == 3 { return .split(id, tracks: [], video: words[2].text) }
        guard [Word(text: "track"), Word(text: "tracks")].contains(words[1]) else { throw usage }
        var rest = words.dropFirst(2)
        var video: String?
        if let place = rest.firstIndex(where: { $0 == Word(text: "of") }) {
            guard place == rest.endIndex - 2 else { throw usage }
            video = rest[place + 1].text
            rest = rest[..<place]
        }
        guard !rest.isEmpty else { throw usage }
        let tracks = try rest.map { word throws(VidscanError) in try Self.id(word, "a face_id") }
        return .split(id, tracks: Set(tracks).sorted(), video: video)
    }

    private static func id(_ word: Word, _ what: String = "a number of people.csv") throws(VidscanError) -> Int {
        guard !word.isQuoted, word.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int(word.text),
            ReadLimits.ids.contains(id)
        else { throw .result("'\(word.text)' is not \(what)") }
        return id
    }

    /// A line that means the same.
    var text: String {
        switch self {
        case .merge(let ids): "merge " + ids.map(String.init).joined(separator: " ")
        case .split(let id, let tracks, let video):
            tracks.isEmpty
                ? "split \(id): video \(Self.quoted(video ?? ""))"
                : "split \(id): track \(tracks.map(String.init).joined(separator: " "))"
                    + (video.map { " of " + Self.quoted($0) } ?? "")
        case .name(let id, let name): "name \(id) \(Self.quoted(name))"
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text != "of" && !text.contains { $0.isWhitespace || "#,\"".contains($0) }
        return isPlain ? text : "\"\(text)\""
    }

    private struct Word: Equatable {
        var text: String
        var isQuoted = false
    }

    private static func words(_ line: some StringProtocol) throws(VidscanError) -> [Word] {
        var words: [Word] = []
        var rest = line[...]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard let first = rest.first, first != "#" else { return words }
            if first == "\"" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "\"") else { throw .result("a quotation mark is not closed") }
                words.append(Word(text: String(rest[..<end]), isQuoted: true))
                rest = rest[rest.index(after: end)...]
            } else {
                let word = rest.prefix { !$0.isWhitespace && $0 != "," && $0 != "#" && $0 != "\"" }
                words.append(Word(text: String(word)))
                rest = rest[word.endIndex...]
            }
        }
    }
}
