internal import CLinux
internal import Foundation
internal import Synchronization
package import VidscanBase
package import VidscanFaces
internal import VidscanInference
internal import VidscanMedia

/// The models of a process: found and loaded once, and shared by all inputs and workers.
package final class ModelStore: Sendable {
    package struct Model: Sendable, Equatable {
        package let name, fileName: String
        /// The SHA-256 of the file with which vidscan was measured; `nil` for vidscan's own models.
        package let expectedDigest: String?
    }

    /// All files that an analysis needs: name, file and, unless it is vidscan's own, digest.
    package static let all = models(
        """
        CenterFace; centerface.weights; db8bd25f109ec8fd4ca5df182607138caa5d1b51870262192084ce4cdd74dbd0
        attention mesh; attention_mesh.json; 1cdf49f826f94c2d9849b33f1cc2e6ac4e54e1fdf31620e41294887b10761f01
        attention mesh weights; attention_mesh.weights; f8940c587bb7a9f9745ccd5fe318b9c16534cd57a42b7475e8f8d8904de06302
        face embedding; face-reidentification-retail-0095.xml; fe0330c65db1209d36a4a9d348e565da7cc1daff583573c5f3ea479d2ac765fa
        face embedding weights; face-reidentification-retail-0095.bin; 4d8cdfa9447ddd6d8b447f76c6eaaa2c9345c1ee0146b94900ee5267ffcb9307
        expressions; expressions.json
        expression weights; expressions.weights
        speaker pictures; speaker_picture.xml; 6f8089878583fcabd21caa36ebc551034dbfda7abc9696099ea9b1b442fd746e
        speaker pictures weights; speaker_picture.bin; eb94acaaa5836fca8af835d61aebb734e60ba5ec8718da5ae7da682081e3f1e2
        speaker scores; speaker_scores.xml; 34661b34d8fcb1d356e274c768af5487c6515d29c6c1fd9f5e9b05e9d14d91a6
        speaker scores weights; speaker_scores.bin; 0c2db8a9a6eda54dccd828685dd2fd80cb9a80384c7e746dc2efeac27842393a
        voice; voice.xml; 8bc9757c56f9d7c1c6f995cc59d16f728ed5a4628de44010957968137ac70800
        voice weights; voice.bin; 9ad949664c95e22704276992601eade22bc2561ad05ec40d6776ddb83a111f4f
        """)

    /// The detectors of 'vidscan verify', which no analysis needs.
    package static let verification = models(
        """
        BlazeFace, short range; face_detection_short_range.tflite; bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8
        BlazeFace, full range; face_detection_full_range_sparse.tflite; 2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1
        """)

    private static func models(_ table: String) -> [Model] {
        table.split(separator: "\n").map { line in
            let fields = line.components(separatedBy: "; ")
            return Model(name: fields[0], fileName: fields[1], expectedDigest: fields.count > 2 ? fields[2] : nil)
        }
    }

    package static func verificationFolder() throws(VidscanError) -> String {
        try folder(of: verification, "detectors", "'make install' installs them")
    }

    package let folder: String
    /// Its model is compiled in and needs no file.
    let faceShape = FaceShape()
    private let runtime = Loaded<InferenceRuntime>()
    private let detector = Loaded<FaceDetector>()
    private let mesh = Loaded<AttentionMesh>()
    private let expressions = Loaded<ExpressionModel>()
    private let modelDigests: BackgroundValue<[String: String], VidscanError>

    /// - Throws: `VidscanError` with the code `setup` if the models or the runtime are missing.
    package init() throws(VidscanError) {
        let folder = try Self.folder(
            of: Self.all, "models",
            "'make install', or 'make demo' in a checkout, installs them; VIDSCAN_HOME names another folder")
        self.folder = folder
        modelDigests = BackgroundValue(thread: "digests") { () throws(VidscanError) in
            var digests: [String: String] = [:]
            do throws(MediaError) {
                for model in Self.all {
                    digests[model.fileName] = try FileDigest.sha256(path: FilePath.joining(folder, model.fileName))
                }
            } catch { throw VidscanError(error.code == .cancelled ? .interrupted : .setup, error.reason) }
            return digests
        }
        // Few runs need the runtime, and only at their end, but a missing one is reported at the beginning.
        do { try InferenceRuntime.checkInstallation() } catch { throw VidscanError(.setup, error.reason) }
    }

    /// Keeps the store until the process exits, because freeing the models takes a tenth of a second.
    package func keepUntilExit() { Self.kept.withLock { $0.append(self) } }

    private static let kept = Mutex<[ModelStore]>([])

    /// Frees the detector and the mesh, which are loaded again when they are needed. Sessions in use keep theirs.
    func unload() {
        detector.unload()
        mesh.unload()
        vs_trim_heaps()
    }

    package var isLoaded: Bool { detector.isLoaded || mesh.isLoaded }

    func faceDetector() throws(InferenceError) -> FaceDetector {
        try detector.get { () throws(InferenceError) in try FaceDetector(path: path(of: "centerface.weights")) }
    }

    func attentionMesh() throws(InferenceError) -> AttentionMesh {
        try mesh.get { () throws(InferenceError) in
            try AttentionMesh(path: path(of: "attention_mesh.json"), weights: path(of: "attention_mesh.weights"))
        }
    }

    /// Loads the face embedding's network. It is not kept: it is needed once in a run, when the others are not.
    /// `sessions`: the number of sessions that run at the same time; others wait. Each takes time to load, and memory.
    func faceEmbedder(sessions: Int) throws(InferenceError) -> FaceEmbedder {
        try FaceEmbedder(
            runtime: startedRuntime(), path: path(of: "face-reidentification-retail-0095.xml"), concurrency: sessions)
    }

    /// As for `faceEmbedder(sessions:)`.
    func speakerDetector(sessions: Int) throws(InferenceError) -> SpeakerDetector {
        // Compiling the networks leaves several MB.
        defer { vs_trim_heaps() }
        return try SpeakerDetector(
            runtime: startedRuntime(), pictures: path(of: "speaker_picture.xml"),
            scores: path(of: "speaker_scores.xml"), concurrency: sessions)
    }

    func voiceDetector() throws(InferenceError) -> VoiceDetector {
        try VoiceDetector(runtime: startedRuntime(), path: path(of: "voice.xml"))
    }

    private func startedRuntime() throws(InferenceError) -> InferenceRuntime {
        try runtime.get { () throws(InferenceError) in try InferenceRuntime() }
    }

    private static let expressionFiles = ["expressions.json", "expressions.weights"]

    package func expressionModel() throws(VidscanError) -> ExpressionModel {
        try expressions.get { () throws(VidscanError) in
            do {
                let files = try Self.expressionFiles.map { try Data(contentsOf: URL(fileURLWithPath: path(of: $0))) }
                return try ExpressionModel(description: files[0], weights: files[1])
            } catch { throw VidscanError(.setup, "cannot load the expression model: \(error)") }
        }
    }

    /// Returns the expression model for a result that was analysed earlier. Throws if it was made with other models,
    /// because its tables would mix the numbers of both. `digests`: as of ``digests()``.
    package static func expressionModel(recordedAs digests: [String: String]) throws(VidscanError) -> ExpressionModel {
        let models = try ModelStore()
        let installed = try models.digests()
        for file in expressionFiles {
            try require(
                installed[file] == digests[file], .result,
                "was made with another \(file) than the one installed here; analyse the video again")
        }
        return try models.expressionModel()
    }

    private func path(of file: String) -> String { FilePath.joining(folder, file) }

    /// Returns the SHA-256 of each model file, by name. Computed in the background: it takes as long as a picture.
    package func digests() throws(VidscanError) -> [String: String] { try modelDigests.get() }

    package static var candidateFolders: [String] { Installation.candidates.map(\.modelFolder) }

    private static func folder(of models: [Model], _ name: String, _ advice: String) throws(VidscanError) -> String {
        let files = models.map(\.fileName)
        let folder = candidateFolders.first { folder in
            files.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0) }
        }
        if let folder { return folder }
        throw VidscanError(
            .setup,
            "cannot find the \(name) (\(files.joined(separator: ", "))) in"
                + " \(candidateFolders.joined(separator: ", ")); \(advice)")
    }
}

private final class Loaded<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    var isLoaded: Bool { value.withLock { $0 != nil } }

    func get<Failure: Error>(_ load: () throws(Failure) -> Value) throws(Failure) -> Value {
        try value.withLock { (value) throws(Failure) in
            if let value { return value }
            let new = try load()
            value = new
            return new
        }
    }

    func unload() { value.withLock { $0 = nil } }
}
