internal import Foundation

/// Files of a result that can identify the people in a video even if their faces are hidden.
package enum IdentifyingFiles {
    /// Files with measurements or images of faces.
    private static let ofFaces = [
        "faces.csv", "faces.json", "faces.jsonl", "tracks.csv", "events.csv", "landmarks.npy", "blendshapes.csv",
        OpenFaceTable.file, PyFeatTable.file,
        "overlay.mp4", "overlay.mov", "overlay.mkv", "overlay.jpg", "overlay.png", "inverted.mp4", "inverted.mov",
        "inverted.mkv", "inverted.jpg", "inverted.png", "proxy.mp4", "report.html",
        "\(ResultFiles.originals)/faces.csv",
    ]

    /// Files with which the people can be recognised in other videos.
    private static let ofPeople = [EmbeddingFile.name, "\(ResultFiles.originals)/\(EmbeddingFile.name)"]

    /// The beginning of every notice.
    package static let advice = "pass on only the anonymized video or picture"

    /// - Parameters:
    ///   - folder: The folder of the result.
    ///   - expected: Files that do not exist yet but will.
    ///   - keepsTables: Whether the files that exist will stay.
    ///   - isInverted: Whether everything but the faces is hidden.
    /// - Returns: One sentence.
    package static func notice(
        in folder: String, expected: Set<String> = [], keepsTables: Bool = true, isInverted: Bool = false
    ) -> String {
        if isInverted { return "only what surrounds the faces is hidden: the faces are visible" }
        func list(_ names: [String], _ what: String) -> String {
            let present = names.filter {
                expected.contains($0)
                    || keepsTables && FileManager.default.fileExists(atPath: folder + "/" + $0)
            }
            return present.isEmpty ? "" : "\(present.joined(separator: ", ")) \(what), "
        }
        let files =
            list(ofFaces, "still describe the people in it")
            + list(ofPeople, "has the biometric data by which they can be recognised")
        return
            "\(advice): beside it, \(files.isEmpty ? "" : files + "and ")run.json has the path of the original"
    }
}
