internal import VidscanMedia

/// The files of a result that an analysis writes and corrections change.
package enum ResultFiles {
    package static let corrected = [
        ResultFolder.Kind.result.record, record, "faces.csv", "frames.csv", "tracks.csv", "events.csv", "faces.json",
        "faces.jsonl", LandmarkFile.name, blendshapes, ForeignTable.openFace.file, ForeignTable.pyFeat.file,
        EmbeddingFile.name,
    ]

    /// What was measured and who was found, from which the tables follow.
    package static let record = "faces.record"
    package static let blendshapes = "blendshapes.csv"

    /// Of videos and pictures that are made from a result.
    static let mediaEndings = VideoContainer.allCases.map(\.rawValue) + PictureFormat.allCases.map(\.rawValue)

    /// The folder in a corrected result that keeps these files as the analysis wrote them.
    package static let originals = "original"
    /// In the folder of the originals, and in a result that replaced a corrected one.
    package static let corrections = "corrections.json"
}
