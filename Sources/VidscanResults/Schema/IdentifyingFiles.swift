internal import Glibc
internal import VidscanBase
internal import VidscanMedia

/// Files of a result that can identify the people in a video even if their faces are hidden: all except those that are known
/// to say nothing about them, so that none is forgotten.
package enum IdentifyingFiles {
    /// Videos and pictures with hidden faces, their records, and the times of the samples. `run.json` is named for another
    /// reason.
    private static let harmless = Set(
        (VideoContainer.allCases.map(\.rawValue) + PictureFormat.allCases.map(\.rawValue))
            .flatMap { ["anonymized." + $0, "anonymized.\($0).json"] }
            + ["anonymized.json", "frames.csv", ResultFolder.Kind.result.record])

    /// Files with which the people can be recognised in other videos.
    private static let ofPeople = [EmbeddingFile.name, "\(ResultFiles.originals)/\(EmbeddingFile.name)"]

    private static let maximumNames = 20

    /// The beginning of every notice.
    package static let advice = "pass on only the anonymized video or picture"

    /// - Parameters:
    ///   - folder: The folder of the result.
    ///   - expected: Files that do not exist yet but will.
    ///   - keepsTables: Whether the files that exist will stay.
    ///   - isInverted: Whether everything but the faces is hidden.
    /// - Returns: One sentence.
    package static func notice(
        in folder: String, expected: [String] = [], keepsTables: Bool = true, isInverted: Bool = false
    ) -> String {
        if isInverted { return "only what surrounds the faces is hidden: the faces are visible" }
        let present = keepsTables ? (try? FileSystem.names(in: folder)) ?? [] : []
        let names = Set(present.map { String(decoding: $0, as: UTF8.self) } + expected)
        let ofFaces = names.subtracting(harmless).subtracting(ofPeople).filter { !$0.hasPrefix(".") }.sorted()
        let ofPeople = ofPeople.filter { keepsTables && access("\(folder)/\($0)", F_OK) == 0 }
        var files = ""
        if !ofFaces.isEmpty {
            let more = ofFaces.count > maximumNames ? " and \(ofFaces.count - maximumNames) more" : ""
            let list = ofFaces.prefix(maximumNames).map(Printable.line).joined(separator: ", ")
            files += "\(list)\(more) may still describe or show the people in it, "
        }
        if !ofPeople.isEmpty {
            files += "\(ofPeople.joined(separator: ", ")) has the biometric data by which they can be recognised, "
        }
        return "\(advice): beside it, \(files.isEmpty ? "" : files + "and ")run.json has the path of the original"
    }
}
