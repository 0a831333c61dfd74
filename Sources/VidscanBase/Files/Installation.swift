internal import Glibc

/// A place of the files that vidscan needs at run time: OpenVINO's libraries, the models and the shipped pipelines.
///
/// They are found when the program runs, never by a linker flag, so a program that uses vidscan as a library needs no
/// build setting.
public struct Installation: Sendable, Equatable {
    /// The folder of OpenVINO's libraries.
    public let libraryFolder: String
    public let modelFolder: String
    public let pipelineFolder: String

    /// A folder into which `make install` or the Debian package has put vidscan, such as `/usr/local`.
    private init(prefix: String) {
        libraryFolder = prefix + "/lib/vidscan"
        modelFolder = prefix + "/share/vidscan/models"
        pipelineFolder = prefix + "/share/vidscan/pipelines"
    }

    /// A checkout after its set-up.
    private init(checkout: String) {
        libraryFolder = checkout + "/.deps/openvino/lib"
        modelFolder = checkout + "/.deps/models"
        pipelineFolder = checkout + "/pipelines"
    }

    /// The places to search, the first one first: only `$VIDSCAN_HOME` if it is set; otherwise the folder that contains
    /// the running program's `bin`, the checkout in which the program was built, `/usr/local` and `/usr`.
    public static let candidates = candidates(
        home: getenv("VIDSCAN_HOME").map { String(cString: $0) }, program: program)

    /// - Parameters:
    ///   - home: An installation's folder, or a checkout; `nil` or empty if none was named.
    ///   - program: The absolute path of the running program.
    package static func candidates(home: String?, program: String) -> [Installation] {
        if let home, !home.isEmpty { return [Installation(prefix: home), Installation(checkout: home)] }
        func ancestor(_ levels: Int) -> String {
            program.split(separator: "/").dropLast(levels).map { "/" + $0 }.joined()
        }
        var candidates = [Installation(prefix: ancestor(2))]
        // An installed program must not load code from a folder above its own, which may belong to somebody else.
        if program.split(separator: "/").dropLast().contains(where: { $0.hasPrefix(".build") }) {
            // CHECKOUT/.build/TRIPLE/release/PROGRAM
            candidates.append(Installation(checkout: ancestor(4)))
        }
        for prefix in ["/usr/local", "/usr"] where !candidates.contains(Installation(prefix: prefix)) {
            candidates.append(Installation(prefix: prefix))
        }
        return candidates
    }

    private static var program: String {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            let count = buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }
}
