import Foundation
import Glibc
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference

@Suite("Compiled models are kept on disk")
struct ModelCacheTests {
    private static let inputSize = PictureSize(width: 64, height: 32)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/a/cache"
    }

    @Test("A model that was loaded gives the same results as one that was compiled", arguments: [1, 2])
    func sameResults(concurrency: Int) throws {
        let compiled = try outputs(cache: nil, concurrency: concurrency)
        #expect(try outputs(concurrency: concurrency) == compiled)
        let stored = try models()
        #expect(stored.count == 1)
        #expect(try outputs(concurrency: concurrency) == compiled)
        #expect(try models() == stored, "the model was compiled again")
    }

    @Test("The face embedder gives the same values, and a model for one thread serves several")
    func sameEmbedding() throws {
        let compiled = try embedding(cache: nil, concurrency: 1)
        let cache = try ModelCache(path: path)
        #expect(try embedding(cache: cache, concurrency: 1) == compiled)
        let stored = try models()
        #expect(try embedding(cache: cache, concurrency: 2) == compiled)
        #expect(try models() == stored, "the model was compiled again")
    }

    @Test("Each input size and each model has a file of its own")
    func keys() throws {
        _ = try outputs()
        _ = try outputs(inputSize: PictureSize(width: 32, height: 32))
        #expect(try models().count == 2)
        // Another model at the same path: protobuf readers skip a field that they do not know, here number 200, one byte.
        let model = try folder.bytes("model.onnx") + [0xC2, 0x0C, 0x01, 0x00]
        try model.write(to: URL(fileURLWithPath: folder.path + "/model.onnx"))
        _ = try outputs()
        #expect(try models().count == 3)
    }

    @Test("A file that is not exactly what was stored is replaced, and results stay the same", arguments: Harm.allCases)
    func harm(_ harm: Harm) throws {
        let compiled = try outputs()
        let name = try #require(try models().keys.first)
        try harm.apply(to: path + "/" + name)
        // The file system gives no other file its inode as long as it has a name.
        try #require(Glibc.link(path + "/" + name, folder.path + "/harmed") == 0)
        let harmed = try models()
        #expect(try outputs() == compiled)
        let replaced = try models()
        #expect(replaced.keys.sorted() == [name])
        #expect(replaced != harmed)
        #expect(try outputs() == compiled)
        #expect(try models() == replaced, "the new file was not used")
    }

    @Test("A file that others could have written is replaced")
    func foreignFile() throws {
        let compiled = try outputs()
        let name = try #require(try models().keys.first)
        chmod(path + "/" + name, 0o620)
        let stored = try models()
        #expect(try outputs() == compiled)
        #expect(try models() != stored)
        guard geteuid() == 0 else { return }
        chown(path + "/" + name, 65534, 65534)
        let foreign = try models()
        #expect(try outputs() == compiled)
        #expect(try models() != foreign)
    }

    @Test("A folder that others can write to is refused", arguments: [0o720, 0o702] as [mode_t])
    func openFolder(mode: mode_t) throws {
        _ = try ModelCache(path: path)
        chmod(path, mode)
        #expect(throws: VidscanError(.setup, "other users may write to \(path); 'chmod go-w' it")) {
            try ModelCache(path: path)
        }
    }

    @Test("A folder of another user is refused", .enabled(if: geteuid() == 0))
    func foreignFolder() throws {
        _ = try ModelCache(path: path)
        chown(path, 65534, 65534)
        #expect(throws: VidscanError(.setup, "\(path) belongs to another user")) { try ModelCache(path: path) }
    }

    @Test("New folders and files are for their user alone")
    func modes() throws {
        _ = try outputs()
        let name = try #require(try models().keys.first)
        #expect(try mode(path) == 0o700)
        #expect(try mode(folder.path + "/a") == 0o700)
        #expect(try mode(path + "/" + name) == 0o600)
    }

    @Test("The models that were not used for the longest time make room, and files of others stay")
    func capacity() throws {
        _ = try ModelCache(path: path)
        try folder.write("mine", to: "a/cache/notes.txt")
        // A killed process left the first a day ago; the second may still be written.
        try folder.write("rest", to: "a/cache/.partial-1-old.model")
        try folder.write("rest", to: "a/cache/.partial-2-new.model")
        try age(".partial-1-old.model", days: 1)
        // Two models of 7.5 MB fit, three do not.
        let cache = try ModelCache(path: path, capacity: 20_000_000)
        _ = try outputs(cache: cache)
        let first = try #require(try models().keys.first)
        _ = try outputs(cache: cache, inputSize: PictureSize(width: 32, height: 32))
        let second = try #require(try models().keys.first { $0 != first })
        try age(first, days: 2)
        try age(second, days: 1)
        // Using a model makes it the newest.
        _ = try outputs(cache: cache)
        _ = try outputs(cache: cache, inputSize: PictureSize(width: 32, height: 64))
        let left = try models().keys
        #expect(left.contains(first))
        #expect(!left.contains(second))
        #expect(left.count == 2)
        #expect(folder.entries.contains("a/cache/notes.txt"))
        #expect(folder.entries.contains("a/cache/.partial-2-new.model"))
        #expect(!folder.entries.contains("a/cache/.partial-1-old.model"))
    }

    @Test(
        "The environment says where the cache lies",
        arguments: [
            ([:], .none("neither VIDSCAN_CACHE, XDG_CACHE_HOME nor HOME is set")),
            (["HOME": "/home/a"], .folder("/home/a/.cache/vidscan")),
            (["HOME": "/home/a", "XDG_CACHE_HOME": "/fast"], .folder("/fast/vidscan")),
            (["HOME": "/home/a", "XDG_CACHE_HOME": "relative"], .folder("/home/a/.cache/vidscan")),
            (["HOME": "/home/a", "XDG_CACHE_HOME": "", "VIDSCAN_CACHE": ""], .folder("/home/a/.cache/vidscan")),
            (["HOME": "/home/a", "VIDSCAN_CACHE": "/models"], .folder("/models")),
            (["HOME": "/home/a", "VIDSCAN_CACHE": "off"], .none("VIDSCAN_CACHE is off")),
        ] as [([String: String], ModelCache.Location)])
    func location(environment: [String: String], location: ModelCache.Location) {
        #expect(ModelCache.Location { environment[$0] } == location)
    }

    // MARK: Running a model

    /// What a network finds in noise: all values of all outputs.
    private func outputs(
        cache: ModelCache?, inputSize: PictureSize = inputSize, concurrency: Int = 1
    ) throws -> [[Float]] {
        let path = folder.path + "/model.onnx"
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.copyItem(atPath: Checkout.models + "/centerface.onnx", toPath: path)
        }
        let model = try InferenceRuntime(cache: cache).compile(
            path: path, inputShape: [1, 3, inputSize.height, inputSize.width], concurrency: concurrency,
            precision: .exact)
        let request = try model.makeRequest()
        var generator = SeededGenerator(seed: 7)
        let input = try request.input()
        for index in input.indices { input[index] = Float.random(in: 0...255, using: &generator) }
        try request.run()
        return try (0..<4).map { Array(try request.output($0)) }
    }

    private func outputs(inputSize: PictureSize = inputSize, concurrency: Int = 1) throws -> [[Float]] {
        try outputs(cache: ModelCache(path: path), inputSize: inputSize, concurrency: concurrency)
    }

    @Test("A model that is missing or not a model is an error that names the file")
    func badModels() throws {
        try folder.write("no model", to: "text.onnx")
        try folder.write("", to: "empty.onnx")
        for name in ["missing.onnx", "text.onnx", "empty.onnx"] {
            let error = #expect(throws: InferenceError.self) {
                try InferenceRuntime().compile(path: folder.path + "/" + name, concurrency: 1, precision: .exact)
            }
            let reason = try #require(error?.reason)
            #expect(reason.hasPrefix("cannot read the model \(name)"))
            #expect(!reason.contains("\n"))
        }
    }

    private func embedding(cache: ModelCache?, concurrency: Int) throws -> [Float] {
        let embedder = try FaceEmbedder(
            runtime: InferenceRuntime(cache: cache), path: Checkout.models + "/face_embedding.xml",
            concurrency: concurrency, precision: .exact)
        let session = try embedder.makeSession()
        var generator = SeededGenerator(seed: 7)
        let input = try session.input()
        for index in input.indices { input[index] = Float.random(in: 0...255, using: &generator) }
        return try session.embed().values
    }

    // MARK: The folder

    /// The inode of each model by file name: a file that was replaced has another one.
    private func models() throws -> [String: UInt] {
        var models: [String: UInt] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.hasSuffix(".model") && !name.hasPrefix(".") {
            var status = stat()
            try #require(lstat(path + "/" + name, &status) == 0)
            models[name] = status.st_ino
        }
        return models
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    private func age(_ name: String, days: Int) throws {
        let date = Date(timeIntervalSinceNow: -86_400 * Double(days))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "/" + name)
    }

    /// What can happen to a file.
    enum Harm: String, CaseIterable, CustomTestStringConvertible {
        case emptied, cutShort, cutInTrailer, flippedBit, otherKey, otherFormat, grown, link, pipe

        var testDescription: String { rawValue }

        func apply(to path: String) throws {
            let url = URL(fileURLWithPath: path)
            var bytes = try Data(contentsOf: url)
            let end = bytes.count
            switch self {
            case .emptied: bytes = Data()
            case .cutShort: bytes = bytes.prefix(end / 2)
            case .cutInTrailer: bytes = bytes.prefix(end - 5)
            case .flippedBit: bytes[end / 2] ^= 4
            case .otherKey:
                // The first line of the key names OpenVINO's version.
                let version = try #require(bytes.range(of: Data("OpenVINO 20".utf8), options: .backwards))
                bytes[version.upperBound - 1] = UInt8(ascii: "1")
            case .otherFormat: bytes[end - 32] ^= 1
            case .grown: bytes.append(0)
            case .link, .pipe: break
            }
            // A new file, because a model may be in use.
            try FileManager.default.removeItem(at: url)
            switch self {
            case .link:
                let target = path + ".target"
                try bytes.write(to: URL(fileURLWithPath: target))
                chmod(target, 0o600)
                symlink(target, path)
            case .pipe: mkfifo(path, 0o600)
            default:
                try bytes.write(to: url)
                chmod(path, 0o600)
            }
        }
    }
}
