internal import COpenVINO
internal import Glibc
internal import VidscanBase

/// OpenVINO's functions, loaded when they are first needed and kept for the life of the process.
///
/// `@unchecked Sendable`: the pointers never change, and OpenVINO's functions may be called from any thread.
final class OpenVINOLibrary: @unchecked Sendable {
    /// Without the version, of which an installation has one.
    static let fileName = "libopenvino_c.so"

    let functions: vs_openvino

    private init(_ functions: vs_openvino) {
        self.functions = functions
    }

    /// Returns the library.
    ///
    /// - Throws: `InferenceError` if it is not installed or does not load.
    static func loaded() throws(InferenceError) -> OpenVINOLibrary { try result.get() }

    private static let result: Result<OpenVINOLibrary, InferenceError> = {
        Result { () throws(InferenceError) in
            var functions = vs_openvino()
            if let reason = vs_load_openvino(try path(), &functions) {
                throw InferenceError(.runtime, "OpenVINO does not load: \(String(cString: reason))")
            }
            return OpenVINOLibrary(functions)
        }
    }()

    /// Returns the path of the library.
    ///
    /// - Throws: `InferenceError` if it is not installed, or if somebody else may have put it there.
    static func path() throws(InferenceError) -> String {
        let places = Installation.candidates
        guard let place = places.first(where: { access($0.libraryFolder + "/" + fileName, R_OK) == 0 }) else {
            throw InferenceError(
                .runtime,
                "OpenVINO's library \(fileName) is in none of \(places.map(\.libraryFolder).joined(separator: ", "))")
        }
        let path = place.libraryFolder + "/" + fileName
        if let objection = place.objection { throw InferenceError(.runtime, "\(path) is not loaded: \(objection)") }
        return path
    }

    /// Makes a core, which the caller frees.
    func makeCore() throws(InferenceError) -> OpaquePointer {
        var core: OpaquePointer?
        try check(functions.core_create(&core), "the inference runtime does not start")
        guard let core else { throw InferenceError(.runtime, "the inference runtime does not start") }
        return core
    }

    /// - Parameter what: The message for a failure, which OpenVINO's own message follows.
    /// - Throws: `InferenceError` if the status of a call is not that of success.
    func check(_ status: CInt, _ what: String) throws(InferenceError) {
        guard status != 0 else { return }
        let words = functions.get_last_err_msg().map { String(cString: $0) } ?? ""
        let line = words.split(separator: "\n").last { !$0.isEmpty }.map { ": \($0)" } ?? ""
        throw InferenceError(.runtime, what + line)
    }
}
