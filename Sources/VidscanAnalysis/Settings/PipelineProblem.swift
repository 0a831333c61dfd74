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
    public let line: Int
    public let column: Int

    public static func < (a: TextPosition, b: TextPosition) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// The problems that make a pipeline unusable.
public struct PipelineFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems in the order of their positions; at least one.
    public let problems: [PipelineProblem]

    public init(_ problems: [PipelineProblem]) {
        self.problems = problems
    }

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
