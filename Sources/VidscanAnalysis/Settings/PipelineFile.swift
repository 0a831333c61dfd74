internal import VidscanBase
internal import VidscanResults
internal import Yams

/// The settings in a pipeline file, each with its position. The file is YAML, or the `run.json` of an earlier run,
/// whose `pipeline` object is read.
public struct PipelineFile: Sendable {
    public struct Entry: Sendable {
        public let setting: Setting
        public let value: SettingValue
        public let position: TextPosition
    }

    /// The path as the user wrote it.
    public let path: String
    /// The text under the file's `description` key.
    public let summary: String?
    public let settings: [Entry]

    /// - Parameter allowsFileFilters: Whether filters may access files, the network or devices. The file itself cannot
    ///   allow this.
    /// - Throws: `PipelineFileError` with all problems in the file.
    public init(path: String, allowsFileFilters: Bool) throws(PipelineFileError) {
        try self.init(path: path, filters: .run(allowsFiles: allowsFileFilters))
    }

    /// - Throws: `PipelineFileError` with all problems in the file.
    public init(path: String, filters: FilterHandling) throws(PipelineFileError) {
        let text: String?
        do {
            text = try TextFile.read(path: path, limit: Self.maximumBytes)
        } catch {
            throw PipelineFileError([PipelineProblem(file: path, position: nil, message: error.reason)])
        }
        guard let text else {
            throw PipelineFileError([PipelineProblem(file: path, position: nil, message: "is not valid UTF-8")])
        }
        try self.init(text: text, path: path, filters: filters)
    }

    /// - Parameter path: The path for messages.
    public init(text: String, path: String, allowsFileFilters: Bool) throws(PipelineFileError) {
        try self.init(text: text, path: path, filters: .run(allowsFiles: allowsFileFilters))
    }

    /// - Parameter path: The path for messages.
    public init(text: String, path: String, filters: FilterHandling) throws(PipelineFileError) {
        var reader = PipelineReader(file: path, filters: filters)
        if let root = try Self.compose(text, path: path) { reader.read(root) }
        guard reader.problems.isEmpty else {
            throw PipelineFileError(
                reader.problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) })
        }
        self.path = path
        summary = reader.summary
        settings = reader.settings
    }

    // MARK: YAML

    /// In bytes. A pipeline is about a page of text.
    private static let maximumBytes = 256 << 10

    private static func compose(_ text: String, path: String) throws(PipelineFileError) -> Node? {
        let problem = { (position: TextPosition?, message: String) in
            PipelineFileError([PipelineProblem(file: path, position: position, message: message)])
        }
        if let violation = YAMLLimits.violation(in: text) { throw problem(violation.position, violation.message) }
        do {
            return try Yams.compose(yaml: text, .default, .default, .utf8)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let reason, let mark, _), .parser(_, let reason, let mark, _),
                .composer(_, let reason, let mark, _):
                throw problem(TextPosition(line: mark.line, column: mark.column), "is not valid YAML: \(reason)")
            case .duplicatedKeysInMapping(let names, let context):
                let name = names.first ?? ""
                throw problem(second(name, after: context.mark, in: text), "duplicate key '\(name)'")
            default: throw problem(nil, "is not valid YAML")
            }
        } catch {
            throw problem(nil, "is not valid YAML: \(error)")
        }
    }

    /// Finds the second position of a duplicate key, because the parser reports only the first one.
    private static func second(_ name: String, after first: Mark, in text: String) -> TextPosition {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = String(repeating: " ", count: max(0, first.column - 1)) + name + ":"
        let again = lines.indices.first { $0 >= first.line && lines[$0].hasPrefix(start) }
        return TextPosition(line: again.map { $0 + 1 } ?? first.line, column: first.column)
    }
}

extension TextPosition {
    static let start = TextPosition(line: 1, column: 1)
}
