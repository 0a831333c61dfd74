internal import Foundation

/// Files of a result that can identify the people in a video even if their faces are hidden.
package enum IdentifyingFiles {
    /// Files with measurements or images of faces.
    private static let ofFaces = [
        "faces.csv", "faces.json", "faces.jsonl", "tracks.csv", "events.csv", "landmarks.npy", "blendshapes.csv",
        "overlay.mp4", "overlay.mov", "overlay.mkv", "report.html",
    ]

    /// - Parameters:
    ///   - folder: The folder of the result.
    ///   - expected: Files that do not exist yet but will.
    /// - Returns: One sentence.
    package static func notice(in folder: String, expected: Set<String> = []) -> String {
        let present = ofFaces.filter {
            expected.contains($0) || FileManager.default.fileExists(atPath: folder + "/" + $0)
        }
        let faces = present.isEmpty ? "" : "\(present.joined(separator: ", ")) still describe the people in it, and "
        return "pass on only the anonymized video: beside it, \(faces)run.json has the path of the"
            + " original"
    }
}
