internal import Foundation
internal import VidscanBase
package import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// What the person in a photograph looks like. It is analysed like any picture, in a private folder that is removed.
package enum FacePhoto {
    /// - Throws: `VidscanError` that names the photograph if it does not show exactly one face, well enough.
    package static func embedding(of path: String, models: ModelStore) async throws -> FaceEmbedding {
        let folder = try WorkingItem.temporaryFolder(in: FileManager.default.temporaryDirectory.path)
        defer { folder.remove() }
        var settings = Settings(workers: 1)
        settings.measure.metrics = []
        settings.track.keepsEmbeddings = true
        let counts = try await Analysis(settings: settings, models: models, observer: Silent()).run(
            input: path, resultPath: folder.path + "/result", replaces: false
        ).counts
        try require(counts.sampledFrames == 1, .result, "is a video, not a photograph", input: path)
        try require(counts.personIds > 0, .result, "shows no face", input: path)
        try require(
            counts.personIds == 1, .result, "shows \(counts.personIds) faces; cut out the one that is meant",
            input: path)
        guard let row = try EmbeddingReader(folder: folder.path + "/result").next() else {
            throw VidscanError.result(
                "does not show the face well enough: it is small, dark, turned away or cut off", input: path)
        }
        return row.embedding
    }

    private struct Silent: RunObserver {
        func opened(_ input: String, info: VideoInfo) {}
        func progressed(_ progress: RunProgress) {}
        func warned(_ input: String, message: String) {}
    }
}
