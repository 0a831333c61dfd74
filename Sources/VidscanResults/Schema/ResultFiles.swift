/// The files of a result that an analysis writes and that corrections change.
package enum ResultFiles {
    /// The record first, then the tables.
    package static let corrected =
        [
            ResultFolder.Kind.result.record, "faces.csv", "frames.csv", "tracks.csv", "events.csv", "faces.json",
            "faces.jsonl", LandmarkFile.name, blendshapes, OpenFaceTable.file, PyFeatTable.file, EmbeddingFile.name,
        ]

    package static let blendshapes = "blendshapes.csv"

    /// The folder in a corrected result that has these files as the analysis wrote them.
    package static let originals = "original"
    /// The corrections, in the folder of the originals, and in a result that replaced a corrected one.
    package static let corrections = "corrections.json"
}
