internal import Synchronization
package import VidscanMedia
package import VidscanResults

/// Records a run's warnings and progress, and calls a test's closure at every progress.
package final class Recorder: RunObserver {
    private struct State: Sendable {
        var warnings: [String] = []
        var progress: [RunProgress] = []
    }

    private let state = Mutex(State())
    private let onProgress: @Sendable (RunProgress) -> Void

    package init(onProgress: @escaping @Sendable (RunProgress) -> Void = { _ in }) {
        self.onProgress = onProgress
    }

    package var warnings: [String] { state.withLock { $0.warnings } }
    package var progress: [RunProgress] { state.withLock { $0.progress } }

    package func opened(_ input: String, info: VideoInfo) {}

    package func progressed(_ progress: RunProgress) {
        state.withLock { $0.progress.append(progress) }
        onProgress(progress)
    }

    package func warned(_ input: String, message: String) {
        state.withLock { $0.warnings.append(message) }
    }
}

/// A cache that tests share. The first access makes a value.
package final class MutexDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])

    package func value(for key: Key, make: () throws -> Value) throws -> Value {
        let result: Result<Value, any Error> = values.withLock { values in
            if let value = values[key] { return .success(value) }
            return Result {
                let value = try make()
                values[key] = value
                return value
            }
        }
        return try result.get()
    }
}
