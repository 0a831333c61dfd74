internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanResults
internal import VidscanVerify

/// Publishes the videos of finished results, after a search for faces if the settings ask for one.
final class Publisher: Sendable {
    private let publication: Publication
    private let verification: Verification?
    private let log: ConsoleLog
    /// Whether something was not searched, which has a status of its own as in `verify`.
    var isIncomplete: Bool { state.withLock { $0 } }
    private let state = Mutex(false)

    /// `nil` if the settings publish nothing.
    init?(_ settings: Settings, _ log: ConsoleLog, replaces: Bool = false) throws(VidscanError) {
        guard let folder = settings.render.publishFolder else { return nil }
        self.log = log
        publication = try Publication(
            folder: folder, approver: settings.render.approver, replaces: replaces || settings.write.replaces)
        let options = Verification.Options(workers: ProcessInfo.processInfo.activeProcessorCount)
        verification =
            settings.render.verifiesPublished
            ? try Verification(models: try ModelStore.verificationFolder(), options: options) : nil
    }

    /// Throws if a face may be visible. No link below `base` is followed.
    func publish(_ result: String, below base: String? = nil, of input: String) async throws {
        do {
            let folder = try base.map { try Folder($0).folder(result) } ?? Folder(result)
            if let name = try await publication.publish(folder, verify: verification.map { search($0) }) {
                log(.info, .published, "\(input): -> \(name)", ["input": .text(input), "output": .text(name)])
            }
        } catch {
            let error = error as? VidscanError ?? VidscanError(.output, "\(error)")
            throw VidscanError(error.code, error.reason, input: input, stage: error.stage)
        }
    }

    private func search(_ verification: Verification) -> (String) async throws -> Void {
        { [self] path in
            let findings = try await verification.run(path, opened: { _ in }, progressed: { _, _, _ in })
            if !findings.unsearched.isEmpty { state.withLock { $0 = true } }
            let face = findings.episodes.first.map { "a face may be visible at \(findings.place(of: $0))" }
            guard let problem = face ?? (findings.unsearched.first.map { "\($0) was not searched" }) else { return }
            throw VidscanError.result("not published: \(problem)")
        }
    }
}
