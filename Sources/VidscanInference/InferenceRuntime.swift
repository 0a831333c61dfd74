internal import COpenVINO
internal import Glibc
internal import VidscanBase

/// The OpenVINO runtime: reads model files and compiles them for the processor.
///
/// `@unchecked Sendable`: the handle never changes, and any thread may use OpenVINO's core.
package final class InferenceRuntime: @unchecked Sendable {
    private let library: OpenVINOLibrary
    private let core: OpaquePointer

    package init() throws(InferenceError) {
        let library = try OpenVINOLibrary.loaded.get()
        self.library = library
        core = try library.object("cannot start the inference runtime") { library.functions.core_create($0) }
    }

    deinit { library.functions.core_free(core) }

    /// Checks that the libraries are there, without loading them.
    package static func checkInstallation() throws(InferenceError) { _ = try OpenVINOLibrary.path() }

    /// For example `2026.4.1`. Loads no library, which would take memory and a tenth of a second.
    package static var installedVersion: String {
        let path = (try? OpenVINOLibrary.path()).map { FilePath.sibling(of: $0, named: "openvino.version") }
        return path.flatMap(FileSystem.text)?.split(whereSeparator: \.isNewline).first.map(String.init) ?? version
    }

    /// OpenVINO's build number, for example `2026.4.1-22982-…`.
    package static var version: String {
        guard let functions = try? OpenVINOLibrary.loaded.get().functions else { return "unknown" }
        var version = ov_version_t()
        guard functions.get_openvino_version(&version) == 0 else { return "unknown" }
        defer { functions.version_free(&version) }
        return version.buildNumber.map { String(cString: $0) } ?? "unknown"
    }

    /// The capabilities of the CPU plugin: `FP32`, `INT8`, `BF16`, ….
    package func capabilities() throws(InferenceError) -> [String] {
        var value: UnsafeMutablePointer<CChar>?
        try library.check(
            library.functions.core_get_property(core, "CPU", "OPTIMIZATION_CAPABILITIES", &value),
            "cannot read the capabilities of the processor")
        guard let value else { return [] }
        defer { library.functions.free(value) }
        return String(cString: value).split(separator: " ").map(String.init)
    }

    /// Compiles a model, which then computes with 32-bit floats.
    ///
    /// - Parameters:
    ///   - path: A TensorFlow Lite file, or the `.xml` of an IR pair.
    ///   - concurrency: The number of requests that run at the same time; others wait. Each runs on one thread, so that
    ///     its result does not depend on the others, and takes memory for the values between the layers.
    package func compile(path: String, concurrency: Int) throws(InferenceError) -> CompiledModel {
        let name = FilePath.name(of: path)
        let model = try library.object("cannot read the model \(name)") {
            library.functions.core_read_model(core, path, nil, $0)
        }
        defer { library.functions.model_free(model) }
        let compiled = try library.object("cannot compile the model \(name)") {
            vs_compile_openvino(library.functions, core, model, CInt(concurrency), $0)
        }
        return CompiledModel(compiled, name: name, library: library)
    }
}

/// `@unchecked Sendable`: the handle never changes, and OpenVINO may create requests on any thread.
package final class CompiledModel: @unchecked Sendable {
    let name: String
    fileprivate let library: OpenVINOLibrary
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer, name: String, library: OpenVINOLibrary) {
        (self.library, self.handle, self.name) = (library, handle, name)
    }

    deinit { library.functions.compiled_model_free(handle) }

    /// The request has its own tensors and keeps the model alive.
    package func makeRequest() throws(InferenceError) -> InferenceRequest {
        let request = try library.object("cannot make a request of \(name)") {
            library.functions.compiled_model_create_infer_request(handle, $0)
        }
        return InferenceRequest(request, model: self)
    }
}

/// Runs a model on the calling thread, one run at a time.
package final class InferenceRequest {
    private let handle: OpaquePointer
    private let model: CompiledModel
    private var library: OpenVINOLibrary { model.library }

    init(_ handle: OpaquePointer, model: CompiledModel) { (self.handle, self.model) = (handle, model) }

    deinit { library.functions.infer_request_free(handle) }

    /// The memory of an input, to be filled before `run`.
    package func input<Value>(_ index: Int = 0) throws(InferenceError) -> UnsafeMutableBufferPointer<Value> {
        let tensor = try library.object("\(model.name) has no input \(index)") {
            library.functions.infer_request_get_input_tensor_by_index(handle, index, $0)
        }
        return try memory(of: tensor)
    }

    /// The memory of an output, valid until the next `run`.
    package func output<Value>(_ index: Int) throws(InferenceError) -> UnsafeBufferPointer<Value> {
        let tensor = try library.object("\(model.name) has no output \(index)") {
            library.functions.infer_request_get_output_tensor_by_index(handle, index, $0)
        }
        return UnsafeBufferPointer(try memory(of: tensor))
    }

    /// Blocks until a stream is free and then until the outputs are ready.
    package func run() throws(InferenceError) {
        try library.check(library.functions.infer_request_infer(handle), "\(model.name) failed")
    }

    private func memory<Value>(of tensor: OpaquePointer) throws(InferenceError) -> UnsafeMutableBufferPointer<Value> {
        // The request owns the memory; the tensor handle only refers to it.
        defer { library.functions.tensor_free(tensor) }
        var data: UnsafeMutableRawPointer?
        var count = 0
        try library.check(library.functions.tensor_data(tensor, &data), "a tensor of \(model.name) has no memory")
        try library.check(
            library.functions.tensor_get_byte_size(tensor, &count), "a tensor of \(model.name) has no size")
        return UnsafeMutableRawBufferPointer(start: data, count: count).assumingMemoryBound(to: Value.self)
    }
}

/// OpenVINO's functions, loaded when first needed and kept for the life of the process.
///
/// `@unchecked Sendable`: the pointers never change, and any thread may call OpenVINO's functions.
final class OpenVINOLibrary: @unchecked Sendable {
    /// Without the version; an installation has only one.
    static let fileName = "libopenvino_c.so"

    let functions: vs_openvino

    private init(_ functions: vs_openvino) { self.functions = functions }

    static let loaded = Result { () throws(InferenceError) in
        var functions = vs_openvino()
        if let reason = vs_load_openvino(try path(), &functions) {
            throw InferenceError("cannot load OpenVINO: \(String(cString: reason))")
        }
        return OpenVINOLibrary(functions)
    }

    /// Throws if the library is not installed, or if somebody else may have put it there.
    static func path() throws(InferenceError) -> String {
        let places = Installation.candidates
        guard let place = places.first(where: { access($0.libraryFolder + "/" + fileName, R_OK) == 0 }) else {
            throw InferenceError(
                "cannot find OpenVINO's library \(fileName) in \(places.map(\.libraryFolder).joined(separator: ", "))")
        }
        let path = place.libraryFolder + "/" + fileName
        if let objection = place.objection { throw InferenceError("\(path) is not loaded: \(objection)") }
        return path
    }

    func object(
        _ what: String, _ make: (UnsafeMutablePointer<OpaquePointer?>) -> CInt
    ) throws(InferenceError) -> OpaquePointer {
        var object: OpaquePointer?
        try check(make(&object), what)
        guard let object else { throw InferenceError(what) }
        return object
    }

    /// OpenVINO's own message follows `what`.
    func check(_ status: CInt, _ what: String) throws(InferenceError) {
        guard status != 0 else { return }
        let words = functions.get_last_err_msg().map { String(cString: $0) } ?? ""
        throw InferenceError(what + (words.split(separator: "\n").last { !$0.isEmpty }.map { ": \($0)" } ?? ""))
    }
}
