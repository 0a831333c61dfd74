import Foundation

/// Paths that tests use.
package enum Checkout {
    /// The repository's folder.
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The folder with the built tests and the built tool.
    package static let products = (executable as NSString).deletingLastPathComponent

    /// SwiftPM's scratch folder, which keeps slowly made files from run to run.
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
