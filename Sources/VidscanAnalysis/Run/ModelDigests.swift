internal import VidscanBase
internal import VidscanMedia

/// The SHA-256 of each model file, which every result records. They are computed once in a process, in the background,
/// because that takes a tenth of the time in which a picture is analysed.
enum ModelDigests {
    /// Returns the digests by file name.
    static func compute(folder: String) throws(VidscanError) -> [String: String] {
        var digests: [String: String] = [:]
        for model in ModelStore.all {
            do {
                digests[model.fileName] = try FileDigest.sha256(path: folder + "/" + model.fileName)
            } catch {
                throw VidscanError(.setup, error.reason)
            }
        }
        return digests
    }
}
