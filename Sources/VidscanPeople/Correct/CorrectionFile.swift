internal import VidscanBase
internal import VidscanResults

struct CorrectionFile: Sendable {
    /// The first number is 1.
    private typealias Line = (number: Int, correction: Correction)

    /// As the user wrote it.
    private let path: String
    private let lines: [Line]

    private static let maximumBytes = 16 << 20

    /// Throws for the first invalid line.
    init(path: String) throws(VidscanError) {
        self.path = path
        let text = try TextFile.text(named: path, limit: Self.maximumBytes)
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
        return !lines.contains { later in
            guard case .name(id, _) = later.correction else { return false }
            return later.number > line.number
        }
    }

    private static func failure(_ path: String, _ line: Int, _ reason: String) -> VidscanError {
        VidscanError.result("line \(line): \(Printable.line(reason))", input: path)
    }
}
