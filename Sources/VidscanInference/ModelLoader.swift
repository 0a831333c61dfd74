internal import COpenVINO
internal import Synchronization
internal import VidscanBase

/// How a model runs.
struct ModelProperties: Hashable {
    /// The number of requests that run at the same time. Each has a stream of one thread, so that its result never
    /// depends on how many requests run at the same time.
    let streams: Int
    /// OpenVINO's name of the precision of the computation: `f32` or `bf16`.
    let precision: String

    /// OpenVINO's properties.
    var pairs: [(String, String)] {
        [
            ("NUM_STREAMS", "\(streams)"), ("INFERENCE_NUM_THREADS", "\(streams)"),
            ("INFERENCE_PRECISION_HINT", precision), ("ENABLE_CPU_PINNING", "NO"),
        ]
    }
}

/// A core that loads compiled models. It has the properties that the models get, because OpenVINO's C interface takes
/// none when it loads a model.
///
/// `@unchecked Sendable`: the handle is created once and never changed, and OpenVINO's core may be used from any thread.
final class ModelLoader: @unchecked Sendable {
    private let library: OpenVINOLibrary
    private let core: OpaquePointer

    init(_ properties: ModelProperties, library: OpenVINOLibrary) throws(InferenceError) {
        self.library = library
        core = try library.makeCore()
        for (key, value) in properties.pairs {
            let status = withUnsafePointer(to: library.functions) { vs_set_property($0, core, "CPU", key, value) }
            try library.check(status, "cannot set \(key)")
        }
    }

    deinit {
        library.functions.core_free(core)
    }

    func load(_ entry: ModelCacheEntry, name: String) throws(InferenceError) -> CompiledModel {
        var compiled: OpaquePointer?
        let blob = entry.blob
        let status = library.functions.core_import_model(
            core, blob.baseAddress?.assumingMemoryBound(to: CChar.self), blob.count, "CPU", &compiled)
        try library.check(status, "cannot load the model \(name)")
        guard let compiled else { throw InferenceError(.runtime, "cannot load the model \(name)") }
        return CompiledModel(compiled, name: name, library: library, bytes: entry.owner)
    }
}

extension InferenceRuntime {
    /// Loads a model from the cache.
    ///
    /// - Returns: `nil` if the cache does not hold it, or if OpenVINO rejects it, which should not happen; the model is
    ///   compiled then.
    func load(
        _ key: ModelCacheKey, from cache: ModelCache, _ properties: ModelProperties, name: String
    ) -> CompiledModel? {
        guard let entry = cache.read(key) else { return nil }
        do throws(InferenceError) {
            return try loader(properties).load(entry, name: name)
        } catch {
            cache.remove(key)
            return nil
        }
    }

    private func loader(_ properties: ModelProperties) throws(InferenceError) -> ModelLoader {
        try loaders.withLock { (loaders) throws(InferenceError) in
            if let loader = loaders[properties] { return loader }
            let loader = try ModelLoader(properties, library: library)
            loaders[properties] = loader
            return loader
        }
    }
}
