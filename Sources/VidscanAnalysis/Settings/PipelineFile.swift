internal import Foundation
package import VidscanBase
internal import VidscanResults
internal import Yams

/// The settings in a pipeline file, each with its position. The file is YAML, or the `run.json` of an earlier run.
package struct PipelineFile: Sendable {
    /// The text under the file's `description` key.
    package let summary: String?
    package let settings: [ResolvedSettings.Override]

    /// - Throws: `PipelineFileError` with all problems in the file.
    package init(path: String, filters: FilterHandling) throws(PipelineFileError) {
        let text: String
        do { text = try TextFile.read(path: path, limit: Self.maximumBytes) } catch {
            throw PipelineFileError(file: path, error.reason)
        }
        try self.init(text: text, path: path, filters: filters)
    }

    /// - Parameter path: The path for messages.
    package init(text: String, path: String, filters: FilterHandling) throws(PipelineFileError) {
        var reader = PipelineReader(file: path, filters: filters)
        if let root = try Self.compose(text, path: path) { reader.read(root) }
        guard reader.problems.isEmpty else {
            throw PipelineFileError(reader.problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) })
        }
        (summary, settings) = (reader.summary, reader.settings)
    }

    /// In bytes. A pipeline is about a page of text, but the record of a run names each jump of the timestamps.
    private static let maximumBytes = 2 << 20

    private static func compose(_ text: String, path: String) throws(PipelineFileError) -> Node? {
        let problem = { (position: TextPosition?, message: String) in
            PipelineFileError(file: path, at: position, message)
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
        } catch { throw problem(nil, "is not valid YAML: \(error)") }
    }

    /// Finds the second position of a duplicate key, because the parser reports only the first one.
    private static func second(_ name: String, after first: Mark, in text: String) -> TextPosition {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = String(repeating: " ", count: max(0, first.column - 1)) + name + ":"
        let again = lines.indices.first { $0 >= first.line && lines[$0].hasPrefix(start) }
        return TextPosition(line: again.map { $0 + 1 } ?? first.line, column: first.column)
    }
}

package enum FilterHandling: Sendable {
    /// Check them, because they will run. Only the command line can allow them to access files, the network or devices.
    case run(allowsFiles: Bool)
    /// Keep them as text that never reaches libavfilter, because nothing runs them: the file is the record of a run, or
    /// only its other settings are used.
    case keep
}

/// The pipelines that come with vidscan: `pipelines/*.yaml` of its installation or of a checkout.
package enum PipelineLibrary {
    package static var names: [String] {
        let files = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The JSON Schema (draft 2020-12) of pipeline files, for editors.
    package static func schema() throws(VidscanError) -> String? {
        guard let folder else { return nil }
        return String(validating: try TextFile.bytes(path: folder + "/schema.json", limit: 1 << 20), as: UTF8.self)
    }

    private static var folder: String? {
        Installation.candidates.map(\.pipelineFolder).first {
            FileManager.default.fileExists(atPath: $0 + "/default.yaml")
        }
    }

    /// Loads a shipped pipeline by name, or any file by a path that contains a slash or ends in .yaml, .yml or .json.
    package static func load(_ nameOrPath: String, filters: FilterHandling) throws(PipelineFileError) -> PipelineFile {
        let isPath = nameOrPath.contains("/") || [".yaml", ".yml", ".json"].contains { nameOrPath.hasSuffix($0) }
        if isPath { return try PipelineFile(path: nameOrPath, filters: filters) }
        guard let folder, names.contains(nameOrPath) else {
            let known = names
            let list = known.isEmpty ? "none is installed" : "available are \(known.joined(separator: ", "))"
            let near = NearestName.suggestion(for: nameOrPath, among: known)
            throw PipelineFileError(file: nameOrPath, "there is no such pipeline; \(list)\(near)")
        }
        return try PipelineFile(path: "\(folder)/\(nameOrPath).yaml", filters: filters)
    }
}

/// An error in a pipeline file: its position, and what is allowed there.
public struct PipelineProblem: Sendable, Equatable, CustomStringConvertible {
    /// The path as the user wrote it.
    public let file: String
    /// The position of the error; `nil` for a problem with the file as a whole.
    public let position: TextPosition?
    public let message: String

    /// `nightly.yaml:4:13: 'detect.min_face' is 1.5; allowed: a number, 0 to 1`
    public var description: String {
        position.map { "\(file):\($0.line):\($0.column): \(message)" } ?? "\(file): \(message)"
    }
}

/// A position in a text. Lines and columns count from 1.
public struct TextPosition: Sendable, Equatable, Comparable {
    public let line, column: Int

    static let start = TextPosition(line: 1, column: 1)

    public static func < (a: TextPosition, b: TextPosition) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// The problems that make a pipeline unusable.
public struct PipelineFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems in the order of their positions; at least one.
    public let problems: [PipelineProblem]

    public init(_ problems: [PipelineProblem]) { self.problems = problems }

    init(file: String, at position: TextPosition? = nil, _ message: String) {
        self.init([PipelineProblem(file: file, position: position, message: message)])
    }

    /// The first problem, and the number of others.
    public var description: String {
        let first = problems.first?.description ?? "unusable"
        return problems.count < 2
            ? first : "\(first) (and \(problems.count - 1) more; 'vidscan pipelines check' lists them all)"
    }
}
