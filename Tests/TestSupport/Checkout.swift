import Foundation

/// Where things lie while the tests run.
package enum Checkout {
    /// The repository's folder.
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The folder that this test process was built into; the tool lies beside the tests.
    package static let products = (executable as NSString).deletingLastPathComponent

    /// SwiftPM's scratch folder, where what takes long to make may stay from run to run.
    package static let scratch = ((products as NSString).deletingLastPathComponent as NSString)
        .deletingLastPathComponent

    package static let tool = products + "/vidscan"
    package static let models = ((products + "/../../../.deps/models") as NSString).standardizingPath
    package static let runtimeLibraries = ((products + "/../../../.deps/openvino/lib") as NSString).standardizingPath

    package static let samples = root + "/samples"
    /// Twenty seconds, 640x360, 25 frames a second, two people.
    package static let clip = samples + "/faces.mp4"
    package static let truth = samples + "/faces.truth.csv"

    private static let executable =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
}
