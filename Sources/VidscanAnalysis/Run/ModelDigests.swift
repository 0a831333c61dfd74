internal import VidscanBase
internal import VidscanMedia

/// The SHA-256 of each model file, which every result records. They are computed in the background, because that takes as
/// long as anything else in the analysis of a picture, and kept for the next process.
enum ModelDigests {
    /// Returns the digests by file name.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder with the models.
    ///   - cache: The digests of earlier processes; `nil` computes all.
    static func compute(folder: String, cache: DigestCache?) throws(VidscanError) -> [String: String] {
        var digests: [String: String] = [:]
        defer { cache?.save() }
        for model in ModelStore.all {
            let path = FilePath.absolute(FilePath.joining(folder, model.fileName))
            do {
                let compute = { () throws(MediaError) in try FileDigest.sha256(path: path) }
                digests[model.fileName] = if let cache { try cache.digest(of: path, compute) } else { try compute() }
            } catch {
                throw VidscanError(.setup, error.reason)
            }
        }
        return digests
    }
}
