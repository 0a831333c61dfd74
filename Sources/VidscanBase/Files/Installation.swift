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

    /// Whether the user named the folder.
    private let isNamed: Bool

    /// A folder into which `make install` or the Debian package has put vidscan, such as `/usr/local`.
    private init(prefix: String, isNamed: Bool = false) {
        self.isNamed = isNamed
        libraryFolder = prefix + "/lib/vidscan"
        modelFolder = prefix + "/share/vidscan/models"
        pipelineFolder = prefix + "/share/vidscan/pipelines"
    }

    /// A checkout after its set-up.
    private init(checkout: String, isNamed: Bool = false) {
        self.isNamed = isNamed
        libraryFolder = checkout + "/.deps/openvino/lib"
        modelFolder = checkout + "/.deps/models"
        pipelineFolder = checkout + "/pipelines"
    }

    /// The places to search, the first one first: only `$VIDSCAN_HOME` if it is set; otherwise the folder whose `bin`
    /// contains the running program, the checkout in which the program was built, `/usr/local` and `/usr`.
    public static let candidates = candidates(
        home: getenv("VIDSCAN_HOME").map { String(cString: $0) }, program: program)

    /// - Parameters:
    ///   - home: An installation's folder, or a checkout; `nil` or empty if none was named.
    ///   - program: The absolute path of the running program.
    package static func candidates(home: String?, program: String) -> [Installation] {
        if let home, !home.isEmpty {
            return [Installation(prefix: home, isNamed: true), Installation(checkout: home, isNamed: true)]
        }
        let parts = program.split(separator: "/")
        func ancestor(_ levels: Int) -> String { parts.dropLast(levels).map { "/" + $0 }.joined() }
        // A program must not load code from any other folder above its own, which may belong to somebody else: next to a
        // copy in /data/ada, /data/lib is not ada's.
        var candidates: [Installation] = []
        if parts.dropLast().last == "bin" { candidates.append(Installation(prefix: ancestor(2))) }
        // CHECKOUT/.build/TRIPLE/release/PROGRAM
        if parts.dropLast(3).last?.hasPrefix(".build") == true {
            candidates.append(Installation(checkout: ancestor(4)))
        }
        for prefix in ["/usr/local", "/usr"] where !candidates.contains(Installation(prefix: prefix)) {
            candidates.append(Installation(prefix: prefix))
        }
        return candidates
    }

    /// Says why the libraries may be somebody else's; `nil` if nothing speaks against loading them.
    ///
    /// Only the user, root and the owner of the program may own the library folder and the two above it, and not everybody
    /// may write to them, because each of them could put other code there. A folder that the user named is not checked.
    package var objection: String? {
        guard !isNamed else { return nil }
        var owners = [0, geteuid()]
        var status = stat()
        if stat("/proc/self/exe", &status) == 0 { owners.append(status.st_uid) }
        var folder = libraryFolder
        for _ in 0..<3 {
            guard stat(folder, &status) == 0 else { return "cannot examine \(folder): \(SystemError.current)" }
            guard owners.contains(status.st_uid) else {
                return "\(folder) belongs to another user; if you trust them, name the installation with VIDSCAN_HOME"
            }
            // In a sticky folder such as /tmp, nobody can replace what belongs to somebody else.
            let isProtected = folder != libraryFolder && status.st_mode & S_ISVTX != 0
            guard status.st_mode & S_IWOTH == 0 || isProtected else {
                return "all users may write to \(folder); 'chmod o-w' it"
            }
            folder = FilePath.folder(of: folder)
        }
        return nil
    }

    private static var program: String {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            let count = buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }
}
