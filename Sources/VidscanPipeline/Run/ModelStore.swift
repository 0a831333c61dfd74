internal import Foundation
internal import Synchronization
internal import VidscanCore
public import VidscanInference
internal import VidscanMedia

/// The models of a process: found once, loaded once, shared by all inputs and workers.
public final class ModelStore: Sendable {
    /// A model file that vidscan needs.
    public struct Model: Sendable, Equatable {
        public let name: String
        public let fileName: String
        /// SHA-256 of the file that vidscan was built and measured with.
        public let expectedDigest: String
    }

    public static let detector = Model(
        name: "CenterFace", fileName: "centerface.onnx",
        expectedDigest: "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc")

    /// The folder that holds the model files.
    public let folder: String
    private let runtime: InferenceRuntime
    private let concurrency: Int
    private let precision: InferencePrecision
    private let detectors = Mutex<[PictureSize: FaceDetector]>([:])

    /// - Throws: `PipelineError` with the code `setup` when the models or the runtime are not there.
    public init(concurrency: Int, precision: InferencePrecision) throws(PipelineError) {
        self.concurrency = concurrency
        self.precision = precision
        guard let folder = Self.findFolder() else {
            throw PipelineError(
                .setup,
                "the model \(Self.detector.fileName) is in none of \(Self.candidateFolders.joined(separator: ", "));"
                    + " 'make demo' in a checkout, or 'make install', puts it there")
        }
        self.folder = folder
        do {
            runtime = try InferenceRuntime()
        } catch {
            throw PipelineError(.setup, error.reason)
        }
    }

    /// The detector for an input size, compiled at its first use.
    func detector(inputSize: PictureSize) throws(InferenceError) -> FaceDetector {
        let result: Result<FaceDetector, InferenceError> = detectors.withLock { detectors in
            if let detector = detectors[inputSize] { return .success(detector) }
            return Result { () throws(InferenceError) in
                let detector = try FaceDetector(
                    runtime: runtime, path: folder + "/" + Self.detector.fileName, inputSize: inputSize,
                    concurrency: concurrency, precision: precision)
                detectors[inputSize] = detector
                return detector
            }
        }
        return try result.get()
    }

    /// Name and SHA-256 of each model file.
    public func digests() throws(PipelineError) -> [(name: String, sha256: String)] {
        do {
            return [(Self.detector.fileName, try FileDigest.sha256(path: folder + "/" + Self.detector.fileName))]
        } catch {
            throw PipelineError(.setup, error.reason)
        }
    }

    /// Where the models may lie: beside an installed binary, or in a checkout's `.deps`.
    public static var candidateFolders: [String] {
        let binary = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "vidscan"
        let folder = (binary as NSString).deletingLastPathComponent
        return ["/../share/vidscan/models", "/../../../.deps/models"].map {
            ((folder + $0) as NSString).standardizingPath
        }
    }

    public static func findFolder() -> String? {
        candidateFolders.first { FileManager.default.fileExists(atPath: $0 + "/" + detector.fileName) }
    }
}
