internal import Foundation
internal import VidscanBase

/// The pipelines that come with vidscan: `pipelines/*.yaml` of its installation or of a checkout.
public enum PipelineLibrary {
    /// The names of the pipelines, in alphabetical order.
    public static var names: [String] {
        guard let folder else { return [] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }

    public static var folder: String? {
        Installation.candidates.map(\.pipelineFolder).first {
            FileManager.default.fileExists(atPath: $0 + "/default.yaml")
        }
    }

    /// Loads a shipped pipeline by name, or any file by a path that contains a slash or ends in .yaml, .yml or .json.
    ///
    /// - Throws: `PipelineFileError`.
    public static func load(_ nameOrPath: String, allowsFileFilters: Bool) throws(PipelineFileError) -> PipelineFile {
        try load(nameOrPath, filters: .run(allowsFiles: allowsFileFilters))
    }

    /// - Throws: `PipelineFileError`.
    public static func load(_ nameOrPath: String, filters: FilterHandling) throws(PipelineFileError) -> PipelineFile {
        let isPath = nameOrPath.contains("/") || [".yaml", ".yml", ".json"].contains { nameOrPath.hasSuffix($0) }
        if isPath { return try PipelineFile(path: nameOrPath, filters: filters) }
        guard let folder, names.contains(nameOrPath) else {
            let known = names
            let list = known.isEmpty ? "none is installed" : "available are \(known.joined(separator: ", "))"
            throw PipelineFileError([
                PipelineProblem(
                    file: nameOrPath, position: nil,
                    message:
                        "there is no such pipeline; \(list)\(NearestName.suggestion(for: nameOrPath, among: known))"
                )
            ])
        }
        return try PipelineFile(path: "\(folder)/\(nameOrPath).yaml", filters: filters)
    }
}
