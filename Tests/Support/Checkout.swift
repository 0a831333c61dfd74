import Foundation

/// Where things lie while the tests run.
enum Checkout {
    /// The repository's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The folder that this test process was built into; the tool lies beside the tests.
    static let products = (executable as NSString).deletingLastPathComponent

    /// SwiftPM's scratch folder, where what takes long to make may stay from run to run.
    static let scratch = ((products as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent

    static let tool = products + "/vidscan"
    static let models = ((products + "/../../../.deps/models") as NSString).standardizingPath
    static let runtimeLibraries = ((products + "/../../../.deps/openvino/lib") as NSString).standardizingPath

    static let samples = root + "/samples"
    /// Twenty seconds, 640x360, 25 frames a second, two people.
    static let clip = samples + "/faces.mp4"
    static let truth = samples + "/faces.truth.csv"

    private static let executable =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
}
