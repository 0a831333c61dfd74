import Foundation
import Testing
import TestSupport

/// Inputs that once ended a fuzzer, fed again as the fuzzer does it. Each target has a process of its own, because what goes
/// wrong ends it.
@Suite("What fuzzing has found stays repaired")
struct FuzzRegressionTests {
    @Test("Videos")
    func videos() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.video) } }

    @Test("Filter texts")
    func filters() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.filters) } }

    @Test("Pipelines")
    func pipelines() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.pipeline) } }

    @Test("Results and parts")
    func results() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.results) } }

    @Test("Journals")
    func journals() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.journal) } }
}

enum Regressions {
    struct Missing: Error {}

    /// Feeds all files of one target, in a folder that goes when it is done.
    static func feed(_ target: FuzzTarget) async throws {
        let folder = Checkout.root + "/Tests/FuzzRegressions/\(target.rawValue)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        guard !names.isEmpty else { throw Missing() }
        let inputs = try names.map { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
        let scratch = try FuzzScratch()
        defer { scratch.remove() }
        let base = try await FuzzBase.make(at: scratch.path + "/base", clip: Checkout.clip)
        // Feeding blocks, which the cooperative pool must not.
        await withCheckedContinuation { continuation in
            Thread {
                for (name, bytes) in zip(names, inputs) {
                    print("feeding \(target.rawValue)/\(name)")
                    target.feed(bytes[...], base: base, scratch: scratch)
                }
                continuation.resume()
            }.start()
        }
    }
}
