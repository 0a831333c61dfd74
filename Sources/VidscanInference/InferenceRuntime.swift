internal import COpenVINO
internal import Glibc
internal import Synchronization
internal import VidscanBase

/// The numeric precision of a model's computation.
public enum InferencePrecision: String, Sendable, CaseIterable {
    /// 32-bit floats: the same results on all machines of the same kind.
    case exact
    /// bfloat16 where the processor supports it, otherwise as `exact`: faster, with small differences between machines.
    case fast
}

/// The OpenVINO runtime: reads model files and compiles them for the processor.
///
/// `@unchecked Sendable`: the handle is created once and never changed, OpenVINO's core may be used from any thread, and
/// `loaders` has a lock.
public final class InferenceRuntime: @unchecked Sendable {
    let library: OpenVINOLibrary
    private let core: OpaquePointer
    private let cache: ModelCache?
    /// The cores that load compiled models from the cache.
    let loaders = Mutex<[ModelProperties: ModelLoader]>([:])

    /// - Parameter cache: Where compiled models are kept; `nil` compiles them every time.
    /// - Throws: `InferenceError` if the runtime's libraries do not load.
    public init(cache: ModelCache? = nil) throws(InferenceError) {
        library = try OpenVINOLibrary.loaded()
        core = try library.makeCore()
        self.cache = cache
    }

    deinit {
        library.functions.core_free(core)
    }

    /// Checks that the runtime's libraries are there, without loading them.
    ///
    /// - Throws: `InferenceError` if they are not.
    public static func checkInstallation() throws(InferenceError) {
        _ = try OpenVINOLibrary.path()
    }

    /// The version of the installed OpenVINO, for example `2026.4.1`. No library is loaded, which would take memory and a
    /// tenth of a second.
    public static var installedVersion: String {
        let path = (try? OpenVINOLibrary.path()).map { FilePath.sibling(of: $0, named: "openvino.version") }
        let text = path.flatMap { AlignedBytes(path: $0) }.map { String(decoding: $0.bytes, as: UTF8.self) }
        return text?.split(whereSeparator: \.isNewline).first.map(String.init) ?? version
    }

    /// OpenVINO's build number, for example `2026.4.1-22982-…`.
    public static var version: String {
        guard let functions = try? OpenVINOLibrary.loaded().functions else { return "unknown" }
        var version = ov_version_t()
        guard functions.get_openvino_version(&version) == 0 else { return "unknown" }
        defer { functions.version_free(&version) }
        return version.buildNumber.map { String(cString: $0) } ?? "unknown"
    }

    /// Returns the capabilities of the CPU plugin: `FP32`, `INT8`, `BF16`, ….
    public func capabilities() throws(InferenceError) -> [String] {
        var value: UnsafeMutablePointer<CChar>?
        try library.check(
            library.functions.core_get_property(core, "CPU", "OPTIMIZATION_CAPABILITIES", &value),
            "cannot ask for CPU capabilities")
        guard let value else { return [] }
        defer { library.functions.free(value) }
        return String(cString: value).split(separator: " ").map(String.init)
    }

    /// Compiles a model for the processor, or loads it from the cache. Both give the same results.
    ///
    /// - Parameters:
    ///   - path: The path of an ONNX file, or of the `.xml` of an IR pair.
    ///   - inputShape: The shape of the only input; `nil` keeps the shape in the file.
    ///   - concurrency: The number of requests that run at the same time, each on one thread; others wait. Each takes
    ///     memory for the values between the layers.
    ///   - precision: The precision of the computation.
    /// - Throws: `InferenceError` that names the file.
    public func compile(
        path: String, inputShape: [Int]? = nil, concurrency: Int, precision: InferencePrecision
    ) throws(InferenceError) -> CompiledModel {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let usesBFloat16 = precision == .fast ? try capabilities().contains("BF16") : false
        let properties = ModelProperties(streams: concurrency, precision: usesBFloat16 ? "bf16" : "f32")
        guard let cache,
            let key = ModelCacheKey(path: path, inputShape: inputShape, precision: properties.precision)
        else { return try compile(path: path, name: name, inputShape: inputShape, properties) }
        if let model = load(key, from: cache, properties, name: name) { return model }
        let model = try compile(path: path, name: name, inputShape: inputShape, properties)
        if let file = MemoryFile(), model.export(to: file), let content = file.content {
            cache.write(content.bytes, for: key)
        }
        return model
    }

    private func compile(
        path: String, name: String, inputShape: [Int]?, _ properties: ModelProperties
    ) throws(InferenceError) -> CompiledModel {
        var model: OpaquePointer?
        try library.check(library.functions.core_read_model(core, path, nil, &model), "cannot read the model \(name)")
        defer { library.functions.model_free(model) }
        if let inputShape { try reshape(model, to: inputShape, name: name) }
        let pairs = properties.pairs
        var compiled: OpaquePointer?
        let status = withProperties(pairs) {
            library.functions.core_compile_model_props(core, model, "CPU", pairs.count, $0, &compiled)
        }
        try library.check(status, "cannot compile the model \(name)")
        guard let compiled else { throw InferenceError(.runtime, "cannot compile the model \(name)") }
        return CompiledModel(compiled, name: name, library: library)
    }

    private func reshape(_ model: OpaquePointer?, to shape: [Int], name: String) throws(InferenceError) {
        var partial = ov_partial_shape_t()
        var dimensions = shape.map { ov_dimension_t(min: Int64($0), max: Int64($0)) }
        try library.check(
            library.functions.partial_shape_create(Int64(shape.count), &dimensions, &partial),
            "cannot make a shape for \(name)")
        defer { library.functions.partial_shape_free(&partial) }
        try library.check(
            library.functions.model_reshape_single_input(model, partial),
            "cannot give the model \(name) the shape \(shape)")
    }

    /// Calls `body` with C structures for name-value pairs, which are valid only during the call.
    private func withProperties<Result>(
        _ pairs: [(String, String)], _ body: (UnsafePointer<ov_property_t>) -> Result
    ) -> Result {
        let strings = pairs.flatMap { [strdup($0.0), strdup($0.1)] }
        defer { for string in strings { free(string) } }
        let properties = pairs.indices.map { ov_property_t(key: strings[2 * $0], value: strings[2 * $0 + 1]) }
        return properties.withUnsafeBufferPointer { buffer in
            // The list of properties is never empty here.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}

/// A compiled model, which makes requests.
///
/// `@unchecked Sendable`: the handle is immutable, and OpenVINO allows requests to be created on any thread.
public final class CompiledModel: @unchecked Sendable {
    let name: String
    fileprivate let library: OpenVINOLibrary
    private let handle: OpaquePointer
    /// The bytes from which the model was loaded, which OpenVINO keeps using as its weights.
    private let bytes: AlignedBytes?

    init(
        _ handle: OpaquePointer, name: String, library: OpenVINOLibrary, bytes: AlignedBytes? = nil
    ) {
        self.library = library
        self.handle = handle
        self.name = name
        self.bytes = bytes
    }

    deinit {
        library.functions.compiled_model_free(handle)
    }

    /// Writes the model in OpenVINO's own form.
    ///
    /// - Returns: Whether OpenVINO reports success; it overlooks a full disk.
    fileprivate func export(to file: MemoryFile) -> Bool {
        library.functions.compiled_model_export_model(handle, file.writingPath) == 0
    }

    /// Makes a request with its own input and output tensors. The request keeps the model alive.
    public func makeRequest() throws(InferenceError) -> InferenceRequest {
        var request: OpaquePointer?
        try library.check(
            library.functions.compiled_model_create_infer_request(handle, &request), "cannot make a request of \(name)")
        guard let request else { throw InferenceError(.runtime, "cannot make a request of \(name)") }
        return InferenceRequest(request, model: self)
    }
}

/// A request, which runs a model on the calling thread, one run at a time.
public final class InferenceRequest {
    private let handle: OpaquePointer
    private let model: CompiledModel
    private var library: OpenVINOLibrary { model.library }

    init(_ handle: OpaquePointer, model: CompiledModel) {
        self.handle = handle
        self.model = model
    }

    deinit {
        library.functions.infer_request_free(handle)
    }

    /// Returns the memory of the only input, which the caller fills before `run`.
    public func input() throws(InferenceError) -> UnsafeMutableBufferPointer<Float> {
        var tensor: OpaquePointer?
        try library.check(
            library.functions.infer_request_get_input_tensor_by_index(handle, 0, &tensor), "no input in \(model.name)")
        return try memory(of: tensor)
    }

    /// Returns the memory of an output, which is valid until the next `run`.
    public func output(_ index: Int) throws(InferenceError) -> UnsafeBufferPointer<Float> {
        var tensor: OpaquePointer?
        try library.check(
            library.functions.infer_request_get_output_tensor_by_index(handle, index, &tensor),
            "no output \(index) in \(model.name)")
        return UnsafeBufferPointer(try memory(of: tensor))
    }

    /// Runs the model on the input. Blocks until a stream is free and then until the outputs are ready.
    public func run() throws(InferenceError) {
        try library.check(library.functions.infer_request_infer(handle), "\(model.name) failed")
    }

    private func memory(of tensor: OpaquePointer?) throws(InferenceError) -> UnsafeMutableBufferPointer<Float> {
        // The request owns the memory; the tensor handle only refers to it.
        defer { library.functions.tensor_free(tensor) }
        var data: UnsafeMutableRawPointer?
        var count = 0
        try library.check(library.functions.tensor_data(tensor, &data), "no memory behind a tensor of \(model.name)")
        try library.check(library.functions.tensor_get_size(tensor, &count), "no size of a tensor of \(model.name)")
        return UnsafeMutableBufferPointer(start: data?.assumingMemoryBound(to: Float.self), count: count)
    }
}
