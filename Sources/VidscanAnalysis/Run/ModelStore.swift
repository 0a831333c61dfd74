internal import CLinux
internal import Foundation
internal import Synchronization
public import VidscanBase
package import VidscanFaces
public import VidscanInference
internal import VidscanMedia

/// The models of a process: found and loaded once, and shared by all inputs and workers.
public final class ModelStore: Sendable {
    /// A model file that vidscan needs.
    public struct Model: Sendable, Equatable {
        public let name: String
        public let fileName: String
        /// The SHA-256 of the file with which vidscan was measured; `nil` for vidscan's own models.
        public let expectedDigest: String?
    }

    public static let detector = Model(
        name: "CenterFace", fileName: "centerface.weights",
        expectedDigest: "f41fb7dbdc834b526359b7304cd8d60b33455d125e155680cdd7c50f12937cb8")

    public static let attentionMesh = Model(
        name: "attention mesh", fileName: "attention_mesh.json",
        expectedDigest: "1cdf49f826f94c2d9849b33f1cc2e6ac4e54e1fdf31620e41294887b10761f01")
    public static let attentionMeshWeights = Model(
        name: "attention mesh weights", fileName: "attention_mesh.weights",
        expectedDigest: "f8940c587bb7a9f9745ccd5fe318b9c16534cd57a42b7475e8f8d8904de06302")

    public static let faceEmbedding = Model(
        name: "face embedding", fileName: "face_embedding.xml",
        expectedDigest: "797b541dc8d1827095136ba0e5ed3b50fd12be1841ea7ad2cb7daad7211b100f")
    public static let faceEmbeddingWeights = Model(
        name: "face embedding weights", fileName: "face_embedding.bin",
        expectedDigest: "9ffcf7737de5655d2c61f05a1ed3fc11e65c05f25f95f1cb0e24112016a56365")

    public static let expressions = Model(
        name: "expressions", fileName: "expressions.json", expectedDigest: nil)
    public static let expressionWeights = Model(
        name: "expression weights", fileName: "expressions.weights", expectedDigest: nil)

    /// All files that an analysis needs.
    public static let all = [
        detector, attentionMesh, attentionMeshWeights, faceEmbedding, faceEmbeddingWeights, expressions,
        expressionWeights,
    ]

    /// The detectors of 'vidscan verify', which no analysis needs.
    public static let verification = [
        Model(
            name: "BlazeFace, short range", fileName: "face_detection_short_range.tflite",
            expectedDigest: "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8"),
        Model(
            name: "BlazeFace, full range", fileName: "face_detection_full_range_sparse.tflite",
            expectedDigest: "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1"),
    ]

    /// Returns the folder with the detectors of 'vidscan verify'.
    ///
    /// - Throws: `VidscanError` with the code `setup` if there is none.
    public static func verificationFolder() throws(VidscanError) -> String {
        guard let folder = findFolder(of: verification) else {
            let files = verification.map(\.fileName).joined(separator: ", ")
            throw VidscanError(
                .setup,
                "cannot find the detectors (\(files)) in \(candidateFolders.joined(separator: ", ")); 'make install'"
                    + " installs them")
        }
        return folder
    }

    /// The folder that holds the model files.
    public let folder: String
    /// Its model is compiled in and needs no file.
    let faceShape = FaceShape()
    private let precision: InferencePrecision
    private let runtime = Mutex<InferenceRuntime?>(nil)
    private let detector = Mutex<FaceDetector?>(nil)
    private let mesh = Mutex<AttentionMesh?>(nil)
    private let expressions = Mutex<ExpressionModel?>(nil)
    private let modelDigests: BackgroundValue<[String: String], VidscanError>

    /// - Throws: `VidscanError` with the code `setup` if the models or the runtime are missing.
    public init(precision: InferencePrecision) throws(VidscanError) {
        self.precision = precision
        guard let folder = Self.findFolder() else {
            let files = Self.all.map(\.fileName).joined(separator: ", ")
            throw VidscanError(
                .setup,
                "cannot find the models (\(files)) in \(Self.candidateFolders.joined(separator: ", "));"
                    + " 'make install', or 'make demo' in a checkout, installs them; VIDSCAN_HOME names another folder")
        }
        self.folder = folder
        let cache = ModelCache.ofProcess().cache
        modelDigests = BackgroundValue(thread: "digests") { () throws(VidscanError) in
            try ModelDigests.compute(folder: folder, cache: cache.map { DigestCache($0.folder) })
        }
        // Few runs need the runtime, and those at their end; that it is missing is said at the beginning.
        do {
            try InferenceRuntime.checkInstallation()
        } catch {
            throw VidscanError(.setup, error.reason)
        }
    }

    /// Keeps the store until the process exits. Freeing the models takes a tenth of a second, which is lost if the
    /// process ends anyway.
    public func keepUntilExit() {
        Self.kept.withLock { $0.append(self) }
    }

    private static let kept = Mutex<[ModelStore]>([])

    /// Gives back the memory of the detector and the mesh, which are loaded again when they are needed. Sessions that are
    /// in use keep theirs.
    func unload() {
        detector.withLock { $0 = nil }
        mesh.withLock { $0 = nil }
        vs_trim_heaps()
    }

    /// Whether the detector or the mesh is in memory.
    package var isLoaded: Bool { detector.withLock { $0 != nil } || mesh.withLock { $0 != nil } }

    /// Returns the detector, which is read at first use.
    func faceDetector() throws(InferenceError) -> FaceDetector {
        let path = folder + "/" + Self.detector.fileName
        let result: Result<FaceDetector, InferenceError> = detector.withLock { detector in
            if let detector { return .success(detector) }
            return Result { () throws(InferenceError) in
                let new = try FaceDetector(path: path)
                detector = new
                return new
            }
        }
        return try result.get()
    }

    /// Returns the attention mesh, which is read at first use.
    func attentionMesh() throws(InferenceError) -> AttentionMesh {
        let result: Result<AttentionMesh, InferenceError> = mesh.withLock { mesh in
            if let mesh { return .success(mesh) }
            return Result { () throws(InferenceError) in
                let new = try AttentionMesh(
                    path: folder + "/" + Self.attentionMesh.fileName,
                    weights: folder + "/" + Self.attentionMeshWeights.fileName)
                mesh = new
                return new
            }
        }
        return try result.get()
    }

    /// Loads the face embedding's network. It is not kept: it is needed once in a run, when the others are not.
    ///
    /// - Parameter sessions: The number of sessions that run at the same time; others wait. Each takes time to load, and
    ///   memory.
    func faceEmbedder(sessions: Int) throws(InferenceError) -> FaceEmbedder {
        try FaceEmbedder(
            runtime: inferenceRuntime(),
            path: folder + "/" + Self.faceEmbedding.fileName, concurrency: sessions,
            precision: precision)
    }

    /// Returns the runtime, whose libraries are loaded at first use.
    private func inferenceRuntime() throws(InferenceError) -> InferenceRuntime {
        let result: Result<InferenceRuntime, InferenceError> = runtime.withLock { runtime in
            if let runtime { return .success(runtime) }
            return Result { () throws(InferenceError) in
                let new = try InferenceRuntime(cache: ModelCache.ofProcess().cache)
                runtime = new
                return new
            }
        }
        return try result.get()
    }

    /// Returns the expression model, which is read at first use.
    package func expressionModel() throws(VidscanError) -> ExpressionModel {
        let result: Result<ExpressionModel, VidscanError> = expressions.withLock { expressions in
            if let expressions { return .success(expressions) }
            do {
                let files = try [Self.expressions, Self.expressionWeights].map {
                    try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0.fileName))
                }
                let model = try ExpressionModel(description: files[0], weights: files[1])
                expressions = model
                return .success(model)
            } catch {
                return .failure(VidscanError(.setup, "cannot load the expression model: \(error)"))
            }
        }
        return try result.get()
    }

    /// Returns the SHA-256 of each model file, by file name.
    public func digests() throws(VidscanError) -> [String: String] { try modelDigests.get() }

    /// The folders that may hold the models.
    public static var candidateFolders: [String] { Installation.candidates.map(\.modelFolder) }

    public static func findFolder() -> String? { findFolder(of: all) }

    private static func findFolder(of models: [Model]) -> String? {
        candidateFolders.first { folder in
            models.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0.fileName) }
        }
    }
}
