internal import Glibc

/// The folders of OpenVINO, the models and the pipelines, found at run time: users of the library need no linker flag.
package struct Installation: Sendable, Equatable {
    package let libraryFolder, modelFolder, pipelineFolder: String

    private let isNamed: Bool

    /// - Parameter isCheckout: whether it is a checkout after its set-up; otherwise an installation by `make install` or
    ///   the Debian package, for example in `/usr/local`.
    private init(_ folder: String, isCheckout: Bool = false, isNamed: Bool = false) {
        self.isNamed = isNamed
        libraryFolder = folder + (isCheckout ? "/.deps/openvino/lib" : "/lib/vidscan")
        modelFolder = folder + (isCheckout ? "/.deps/models" : "/share/vidscan/models")
        pipelineFolder = folder + (isCheckout ? "/pipelines" : "/share/vidscan/pipelines")
    }

    /// The folders to search, in order: only `$VIDSCAN_HOME` if it is set; otherwise the folder whose `bin`
    /// contains the running program, the checkout in which the program was built, `/usr/local` and `/usr`.
    package static let candidates = candidates(
        home: getenv("VIDSCAN_HOME").map { String(cString: $0) }, program: program)

    /// `home`: an installation's folder or a checkout; `nil` or empty if none was named. `program`: an absolute path.
    package static func candidates(home: String?, program: String) -> [Installation] {
        if let home, !home.isEmpty { return [false, true].map { Installation(home, isCheckout: $0, isNamed: true) } }
        let parts = program.split(separator: "/")
        func ancestor(_ levels: Int) -> String { parts.dropLast(levels).map { "/" + $0 }.joined() }
        // Folders further up may belong to somebody else: next to a program in /data/ada, /data/lib is not ada's.
        var candidates: [Installation] = []
        if parts.dropLast().last == "bin" { candidates.append(Installation(ancestor(2))) }
        // CHECKOUT/.build/TRIPLE/release/PROGRAM
        if parts.dropLast(3).last?.hasPrefix(".build") == true {
            candidates.append(Installation(ancestor(4), isCheckout: true))
        }
        return candidates + ["/usr/local", "/usr"].map { Installation($0) }.filter { !candidates.contains($0) }
    }

    /// Why somebody else may have put the libraries there; `nil` if nothing speaks against loading them. Only the user,
    /// root and the owner of the program may own the library folder and the two above it, and not everybody may write
    /// to them. A folder that the user named is not checked.
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
            guard status.st_mode & S_IWOTH == 0 || folder != libraryFolder && status.st_mode & S_ISVTX != 0 else {
                return "all users may write to \(folder); 'chmod o-w' it"
            }
            folder = FilePath.folder(of: folder)
        }
        return nil
    }

    /// The absolute path of the running program.
    package static var program: String { FilePath.resolved("/proc/self/exe") }
}
