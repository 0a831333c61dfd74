import Foundation
import Testing
import TestSupport
import VidscanBase

@Suite("A run with a model cache differs from one without it only in its duration")
struct ModelCacheRunTests {
    private let folder: TemporaryFolder
    /// A clip in which people have to be told apart.
    private let clip = Checkout.clip
    /// The face embedding.
    private static let modelCount = 1

    /// Whether these are the files of a run: the models, and the digests of their files.
    private func isComplete(_ files: [String]) -> Bool {
        files.count { $0.hasSuffix(".model") } == Self.modelCount && files.count { $0.hasSuffix("/digests") } == 1
            && files.count == Self.modelCount + 1
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// - Parameters:
    ///   - output: The folder of the result, below the test's.
    ///   - environment: Variables, as for `env`.
    private func analyze(_ output: String, _ environment: String...) throws {
        let outcome = try ChildProcess.run(
            ["env"] + environment + [Checkout.tool, "analyze", clip, "--quiet", "--output", output],
            in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
    }

    private func expectSame(_ one: String, _ other: String) throws {
        try folder.expectSameTables(one + "/faces.mp4.vidscan", other + "/faces.mp4.vidscan")
    }

    private func files(in cache: String) -> [String] {
        folder.entries.filter { $0.hasPrefix(cache + "/") }
    }

    @Test("The first run, the second and one without a cache give the same tables")
    func sameTables() throws {
        try analyze("none", "VIDSCAN_CACHE=off")
        // Relative to the working folder.
        try analyze("first", "VIDSCAN_CACHE=cache")
        let stored = files(in: "cache")
        #expect(isComplete(stored), "\(stored)")
        try analyze("second", "VIDSCAN_CACHE=cache")
        #expect(files(in: "cache") == stored)
        try expectSame("none", "first")
        try expectSame("none", "second")
    }

    @Test("By default, the cache lies in the user's folder for caches, and nowhere else")
    func defaultFolder() throws {
        try analyze("out", "-u", "VIDSCAN_CACHE", "-u", "XDG_CACHE_HOME", "HOME=\(folder.path)/home")
        let entries = folder.entries.filter { !$0.hasPrefix("out") && !$0.hasSuffix(".model") }
        #expect(entries == ["home", "home/.cache", "home/.cache/vidscan", "home/.cache/vidscan/digests"])
        #expect(isComplete(files(in: "home/.cache/vidscan")))
    }

    @Test(
        "A cache that cannot be used is left out",
        arguments: [
            ["-u", "VIDSCAN_CACHE", "-u", "XDG_CACHE_HOME", "-u", "HOME"], ["VIDSCAN_CACHE=/proc/self/cache"],
            ["VIDSCAN_CACHE=/dev/null"],
        ])
    func unusable(environment: [String]) throws {
        let outcome = try ChildProcess.run(
            ["env"] + environment + [Checkout.tool, "analyze", clip, "--quiet", "--output", "out"], in: folder.path)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        try analyze("none", "VIDSCAN_CACHE=off")
        try expectSame("none", "out")
    }

    @Test("A cache that may be read but not written is used and never changed")
    func readOnly() throws {
        try analyze("first", "VIDSCAN_CACHE=cache")
        let stored = files(in: "cache")
        try FileManager.default.removeItem(atPath: folder.path + "/" + stored[0])
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path + "/cache")
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path + "/cache")
        }
        let prefix = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        let outcome = try ChildProcess.run(
            ["env", "VIDSCAN_CACHE=cache"] + prefix
                + [Checkout.tool, "analyze", clip, "--quiet", "--output", "second"], in: folder.path)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(files(in: "cache") == Array(stored.dropFirst()))
        try expectSame("first", "second")
    }

    @Test("Where the size of files is limited, nothing is stored, because it might be incomplete")
    func limitedSize() throws {
        let outcome = try ChildProcess.run(
            [
                "bash", "-c", #"ulimit -f 12000; VIDSCAN_CACHE=cache exec "$0" analyze "$1" --quiet --output out"#,
                Checkout.tool, clip,
            ], in: folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files(in: "cache") == [])
    }

    @Test("The digests of the models are computed once, and without a cache every time")
    func digests() throws {
        try analyze("first", "VIDSCAN_CACHE=cache")
        // What no model has shows where a digest comes from.
        let stored = try folder.text("cache/digests").split(separator: "\n").dropLast().map { $0 + "\n" }.joined()
        let digest = try recordedDigest("first")
        let other = String(repeating: "0", count: 64)
        try #require(stored.contains(digest))
        let changed = stored.replacing(digest, with: other)
        try folder.write(changed + "checksum \(XXHash64.checksum(changed))\n", to: "cache/digests")
        try analyze("second", "VIDSCAN_CACHE=cache")
        #expect(try recordedDigest("second") == other)
        try analyze("none", "VIDSCAN_CACHE=off")
        #expect(try recordedDigest("none") == digest)
    }

    /// The digest of the detector's file in a result.
    private func recordedDigest(_ output: String) throws -> String {
        struct Record: Decodable { let models: [String: String] }
        let record = try JSONDecoder().decode(Record.self, from: folder.bytes(output + "/faces.mp4.vidscan/run.json"))
        return try #require(record.models["centerface.weights"])
    }

    @Test("Several processes fill one cache at the same time")
    func processes() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 { group.addTask { try analyze("\(number)", "VIDSCAN_CACHE=cache") } }
            try await group.waitForAll()
        }
        try analyze("none", "VIDSCAN_CACHE=off")
        for number in 0..<4 { try expectSame("none", "\(number)") }
        let stored = files(in: "cache")
        #expect(isComplete(stored), "\(stored)")
    }

    @Test("Damaged files are replaced while results stay the same")
    func damaged() throws {
        try analyze("first", "VIDSCAN_CACHE=cache")
        let stored = files(in: "cache")
        for name in stored { try Data("damaged".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        try analyze("second", "VIDSCAN_CACHE=cache")
        try expectSame("first", "second")
        #expect(files(in: "cache") == stored)
        // A model has megabytes. Its size varies by a few bytes, because OpenVINO numbers the parts of a model anew.
        let models = stored.filter { $0.hasSuffix(".model") }
        #expect(try models.allSatisfy { try folder.bytes($0).count > 1_000_000 })
    }

    @Test("The doctor says where the cache lies, or why there is none")
    func doctor() throws {
        let found = try ChildProcess.run(["env", "VIDSCAN_CACHE=cache", Checkout.tool, "doctor"], in: folder.path)
        #expect(found.status == 0)
        #expect(found.output.contains("model cache: \(folder.path)/cache\n"))
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path + "/cache")
        let refused = try ChildProcess.run(["env", "VIDSCAN_CACHE=cache", Checkout.tool, "doctor"], in: folder.path)
        #expect(refused.status == 0)
        #expect(
            refused.output.contains(
                "model cache: none: other users may write to \(folder.path)/cache; 'chmod go-w' it\n"))
        let off = try ChildProcess.run(["env", "VIDSCAN_CACHE=off", Checkout.tool, "doctor"])
        #expect(off.output.contains("model cache: none: VIDSCAN_CACHE is off\n"))
    }
}
