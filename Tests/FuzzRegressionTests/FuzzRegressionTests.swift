import Foundation
import FuzzTargets
import Testing
import TestSupport

/// Inputs that once stopped a fuzzer. Each target runs in its own process, because a failure ends the
/// process.
@Suite("Inputs that once broke the fuzzer do no harm")
struct FuzzRegressionTests {
    @Test("Videos end with a result or an error")
    func videos() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.video) } }

    @Test("Filter texts end with a chain or an error")
    func filters() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.filters) } }

    @Test("Pipeline files end with a configuration or an error")
    func pipelines() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.pipeline) } }

    @Test("Results and segments end with a report, a video or an error")
    func results() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.results) } }

    @Test("Journals end with a batch or an error")
    func journals() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.journal) } }

    @Test("Corrections end with a corrected result or an error")
    func corrections() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.corrections) } }

    @Test("Covers end with a video or an error")
    func covers() async { await #expect(processExitsWith: .success) { try await Regressions.feed(.covers) } }
}

enum Regressions {
    struct Missing: Error {}

    /// Feeds all files of one target.
    static func feed(_ target: FuzzTarget) async throws {
        let folder = Checkout.root + "/Tests/FuzzRegressions/\(target.rawValue)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        guard !names.isEmpty else { throw Missing() }
        let inputs = try names.map { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
        let scratch = try FuzzScratch()
        defer { scratch.remove() }
        let base = try await FuzzBase.make(at: scratch.path + "/base", clip: Checkout.clip)
        // Feeding blocks, and the cooperative pool must not be blocked.
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
