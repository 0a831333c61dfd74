internal import COpenVINO
internal import Glibc
internal import VidscanBase

/// OpenVINO's functions, loaded when first needed and kept for the life of the process.
///
/// `@unchecked Sendable`: the pointers never change, and any thread may call OpenVINO's functions.
final class OpenVINOLibrary: @unchecked Sendable {
    /// Without the version; an installation has only one.
    static let fileName = "libopenvino_c.so"

    let functions: vs_openvino

    private init(_ functions: vs_openvino) { self.functions = functions }

    static func loaded() throws(InferenceError) -> OpenVINOLibrary { try result.get() }

    private static let result = Result { () throws(InferenceError) in
        var functions = vs_openvino()
        if let reason = vs_load_openvino(try path(), &functions) {
            throw InferenceError(.runtime, "cannot load OpenVINO: \(String(cString: reason))")
        }
        return OpenVINOLibrary(functions)
    }

    /// Throws if the library is not installed, or if somebody else may have put it there.
    static func path() throws(InferenceError) -> String {
        let places = Installation.candidates
        guard let place = places.first(where: { access($0.libraryFolder + "/" + fileName, R_OK) == 0 }) else {
            throw InferenceError(
                .runtime,
                "cannot find OpenVINO's library \(fileName) in \(places.map(\.libraryFolder).joined(separator: ", "))")
        }
        let path = place.libraryFolder + "/" + fileName
        if let objection = place.objection { throw InferenceError(.runtime, "\(path) is not loaded: \(objection)") }
        return path
    }

    func object(
        _ what: String, _ make: (UnsafeMutablePointer<OpaquePointer?>) -> CInt
    ) throws(InferenceError) -> OpaquePointer {
        var object: OpaquePointer?
        try check(make(&object), what)
        guard let object else { throw InferenceError(.runtime, what) }
        return object
    }

    /// OpenVINO's own message follows `what`.
    func check(_ status: CInt, _ what: String) throws(InferenceError) {
        guard status != 0 else { return }
        let words = functions.get_last_err_msg().map { String(cString: $0) } ?? ""
        let line = words.split(separator: "\n").last { !$0.isEmpty }.map { ": \($0)" } ?? ""
        throw InferenceError(.runtime, what + line)
    }
}
