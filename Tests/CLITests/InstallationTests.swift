import Foundation
import Glibc
import Testing
import TestSupport
import VidscanMedia

@Suite("An installed vidscan works away from its checkout")
struct InstallationTests {
    /// A copy of the tool laid out as `make install` does, with these models.
    private func install(into folder: TemporaryFolder, models: [String]) throws -> String {
        // Deep enough that no checkout's models are found from here.
        let prefix = folder.path + "/a/b/c"
        for part in ["bin", "lib", "share/vidscan/models"] {
            try FileManager.default.createDirectory(atPath: prefix + "/" + part, withIntermediateDirectories: true)
        }
        // Another process copies it. A child of another test could inherit a file that this process has open for writing,
        // and then the copy could not be run.
        let copied = try ChildProcess.run(["cp", Checkout.tool, prefix + "/bin/vidscan"])
        try #require(copied.status == 0, "\(copied.errors)")
        try FileManager.default.createSymbolicLink(
            atPath: prefix + "/lib/vidscan", withDestinationPath: Checkout.runtimeLibraries)
        for model in models {
            try FileManager.default.createSymbolicLink(
                atPath: prefix + "/share/vidscan/models/" + model, withDestinationPath: Checkout.models + "/" + model)
        }
        try FileManager.default.createSymbolicLink(
            atPath: prefix + "/share/vidscan/pipelines", withDestinationPath: Checkout.root + "/pipelines")
        return prefix
    }

    private func allModels() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: Checkout.models) }

    @Test("The doctor finds no problem in a checkout")
    func healthy() throws {
        let outcome = try ChildProcess.run([Checkout.tool, "doctor"])
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count >= 5)
        for line in lines { #expect(line.hasPrefix("ok      ")) }
        for word in ["FFmpeg: ", "OpenVINO: ", "CenterFace: ", "processor: ", "sha256 "] {
            #expect(outcome.output.contains(word))
        }
    }

    @Test("Without /proc, every command says so and ends with status 2")
    func withoutProc() throws {
        let folder = try TemporaryFolder()
        let hiding = "unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh "
        guard try Tool.shell(hiding + "true", in: folder).status == 0 else { try skip(missing: .mount) }
        for command in ["verify movie.mp4", "analyze movie.mp4", "--version"] {
            let outcome = try Tool.shell(hiding + "\"$0\" " + command, in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.output == "")
            #expect(outcome.errors == "vidscan: error: /proc is not mounted; mount it: mount -t proc proc /proc\n")
        }
    }

    @Test("An installed vidscan finds its models and pipelines")
    func relocated() throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: try allModels())
        let doctor = try ChildProcess.run([prefix + "/bin/vidscan", "doctor"])
        #expect(doctor.status == 0)
        #expect(doctor.output.contains(prefix + "/share/vidscan/models/centerface.weights"))
        #expect(try ChildProcess.run([prefix + "/bin/vidscan", "pipelines", "check", "fast"]).output == "fast: ok\n")
        let analysis = try ChildProcess.run(
            [prefix + "/bin/vidscan", "analyze", try Variants.path("still.png"), "--pipeline", "fast"], in: folder.path)
        #expect(analysis.status == 0, "\(analysis.errors)")
    }

    @Test("The documentation is installed with everything that its pages and the messages name")
    func documentation() throws {
        let folder = try TemporaryFolder()
        let documents = folder.path + "/share/doc/vidscan"
        for _ in 1...2 {
            let installed = try ChildProcess.run([Checkout.root + "/scripts/install_docs", documents])
            try #require(installed.status == 0, "\(installed.errors)")
        }
        let samples = try ["samples/nightly/", "samples/cluster/"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/" + folder).map { folder + $0 }
        }
        #expect(samples.contains("samples/cluster/submit.sh"))
        for file in ["README.md", "docs/formats.md", "docs/log.schema.json"] + samples {
            #expect(
                FileManager.default.contentsEqual(atPath: documents + "/" + file, andPath: Checkout.root + "/" + file),
                "\(file)")
        }
        #expect(FileManager.default.isExecutableFile(atPath: documents + "/samples/nightly/vidscan-nightly"))
        // Every page and picture that a page names.
        var links = 0
        for page in folder.entries where page.hasSuffix(".md") {
            let directory = (folder.path + "/" + page as NSString).deletingLastPathComponent
            for link in try folder.text(page).matches(of: #/\]\(([^)#:]+)(?:#[^)]*)?\)|src(?:set)?="([^"]+)"/#) {
                let name = String(link.1 ?? link.2 ?? "")
                // scripts/install copies these.
                if ["LICENSE", "NOTICE"].contains(name) { continue }
                #expect(FileManager.default.fileExists(atPath: directory + "/" + name), "\(page) names \(name)")
                links += 1
            }
        }
        #expect(links > 20)
        for named in try ChildProcess.run([Checkout.tool, "schema"]).output.matches(of: #/docs\/[a-z.-]+\.(md|json)/#) {
            #expect(FileManager.default.fileExists(atPath: documents + "/" + String(named.0)))
        }
        #expect(try ChildProcess.run([Checkout.root + "/scripts/install_docs"]).status == 2)
    }

    @Test("Without its models, vidscan says what is missing and what to do")
    func noModels() throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: [])
        // Without this, another vidscan that is installed on the machine would be found.
        let alone = ["env", "VIDSCAN_HOME=" + prefix]
        let doctor = try ChildProcess.run(alone + [prefix + "/bin/vidscan", "doctor"])
        #expect(doctor.status == 2)
        #expect(doctor.output.contains("PROBLEM CenterFace: not found\n        -> put centerface.weights into "))
        #expect(doctor.output.contains("'make install'"))
        let analysis = try ChildProcess.run(
            alone + [prefix + "/bin/vidscan", "analyze", Checkout.clip], in: folder.path)
        #expect(analysis.status == 2)
        #expect(analysis.errorLines.count == 1)
        #expect(analysis.errors.hasPrefix("vidscan: error: cannot find the models (centerface.weights, "))
        #expect(folder.entries.filter { $0.contains(".vidscan") } == [])
    }

    @Test("Without OpenVINO's libraries, vidscan says where it looked")
    func noRuntime() throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: try allModels())
        try FileManager.default.removeItem(atPath: prefix + "/lib/vidscan")
        let command = ["env", "VIDSCAN_HOME=" + prefix, prefix + "/bin/vidscan"]
        let doctor = try ChildProcess.run(command + ["doctor"])
        #expect(doctor.status == 2)
        #expect(doctor.output.contains("PROBLEM OpenVINO: unknown"))
        let analysis = try ChildProcess.run(command + ["analyze", Checkout.clip], in: folder.path)
        #expect(analysis.status == 2)
        #expect(
            analysis.errorLines == [
                "vidscan: error: cannot find OpenVINO's library libopenvino_c.so in \(prefix)/lib/vidscan,"
                    + " \(prefix)/.deps/openvino/lib"
            ])
    }

    @Test("A damaged model is reported by the doctor and ends a run with one line")
    func damagedModel() throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: try allModels().filter { $0 != "centerface.weights" })
        try folder.write("no model", to: "a/b/c/share/vidscan/models/centerface.weights")
        let doctor = try ChildProcess.run([prefix + "/bin/vidscan", "doctor"])
        #expect(doctor.status == 2)
        #expect(doctor.output.contains("PROBLEM CenterFace: "))
        let path = try Variants.path("still.png")
        // No other input could be analysed either, so the first one ends the run.
        let analysis = try ChildProcess.run([prefix + "/bin/vidscan", "analyze", path, Checkout.clip], in: folder.path)
        #expect(analysis.status == 2)
        #expect(analysis.errorLines.count == 1)
        #expect(analysis.errors.hasPrefix("vidscan: error: \(path): "))
        #expect(analysis.errors.contains("centerface.weights has 8 bytes instead of 7320192"))
        #expect(folder.entries.filter { $0.contains(".vidscan") } == [])
    }

    @Test("A copy of the program outside of a folder bin loads nothing from the folders around it")
    func copied() throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: try allModels())
        // `X/me/vidscan` beside `X/lib` and `X/share`, which others may have put there.
        try FileManager.default.moveItem(atPath: prefix + "/bin", toPath: prefix + "/me")
        let doctor = try ChildProcess.run([prefix + "/me/vidscan", "doctor"], in: prefix)
        #expect(!doctor.output.contains(prefix))
        try FileManager.default.moveItem(atPath: prefix + "/me", toPath: prefix + "/bin")
        #expect(try ChildProcess.run([prefix + "/bin/vidscan", "doctor"]).output.contains(prefix + "/share"))
    }

    @Test("Libraries that other users could have put there are not loaded", arguments: ["a/b/c", "a/b/c/lib"])
    func writableByOthers(part: String) throws {
        let folder = try TemporaryFolder()
        let prefix = try install(into: folder, models: try allModels())
        let command = [prefix + "/bin/vidscan", "analyze", try Variants.path("still.png")]
        try #require(chmod(folder.path + "/" + part, 0o777) == 0)
        let refused = try ChildProcess.run(command, in: folder.path)
        #expect(refused.status == 2)
        #expect(
            refused.errorLines == [
                "vidscan: error: \(prefix)/lib/vidscan/libopenvino_c.so is not loaded: all users may write to"
                    + " \(folder.path)/\(part); 'chmod o-w' it"
            ])
        // A folder that the user named, or that is sticky, is another matter.
        let named = try ChildProcess.run(
            ["env", "VIDSCAN_HOME=" + prefix] + command + ["--output", "1"], in: folder.path)
        #expect(named.status == 0, "\(named.errors)")
        try #require(chmod(folder.path + "/" + part, 0o1777) == 0)
        let sticky = try ChildProcess.run(command + ["--output", "2"], in: folder.path)
        #expect(sticky.status == 0, "\(sticky.errors)")
    }
}
