internal import Synchronization
internal import VidscanBase
internal import VidscanMedia

/// The SHA-256 of each model file, which every result records. They are computed once in a process, in the background,
/// because that takes longer than to analyse a picture.
final class ModelDigests: Sendable {
    private let folder: String
    private let known = Mutex<Result<[String: String], VidscanError>?>(nil)

    init(folder: String) {
        self.folder = folder
    }

    func computeInBackground() {
        let thread = ThreadExecutor(name: "digests")
        Task(executorPreference: thread) {
            _ = try? self.values()
            thread.shutDown()
        }
    }

    /// Returns the digests by file name. Waits if they are being computed.
    func values() throws(VidscanError) -> [String: String] {
        let result = known.withLock { known in
            let result = known ?? compute()
            known = result
            return result
        }
        return try result.get()
    }

    private func compute() -> Result<[String: String], VidscanError> {
        var digests: [String: String] = [:]
        for model in ModelStore.all {
            do {
                digests[model.fileName] = try FileDigest.sha256(path: folder + "/" + model.fileName)
            } catch {
                return .failure(VidscanError(.setup, error.reason))
            }
        }
        return .success(digests)
    }
}
