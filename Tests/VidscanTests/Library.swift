import Foundation
import Synchronization
import TestSupport
import Testing
import Vidscan

/// Analyses that several tests compare.
enum Library {
    /// The sample clip at the default settings.
    static let analysis = Task {
        try await VideoAnalyzer(settings: settings()).analyze(Checkout.clip)
    }

    /// The default settings with two workers.
    static func settings(_ configure: (inout Settings) -> Void = { _ in }) -> Settings {
        var settings = Settings(workers: 2)
        configure(&settings)
        return settings
    }

    /// An analyzer whose temporary files lie in a folder of its own.
    static func analyzer(in folder: TemporaryFolder, settings: Settings = settings()) throws -> VideoAnalyzer {
        var analyzer = try VideoAnalyzer(settings: settings)
        analyzer.temporaryFolder = folder.path
        return analyzer
    }
}

/// The tables that the command writes.
struct CommandResult {
    let folder: TemporaryFolder
    private let name: String

    init(_ input: String, options: [String] = []) throws {
        name = (input as NSString).lastPathComponent + ".vidscan"
        folder = try PreparedFolder.copy("library \(input) \(options)") { folder in
            let arguments = [Checkout.tool, "analyze", "--quiet", "--workers", "2", "--output", folder.path]
            let outcome = try ChildProcess.run(arguments + options + [input])
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    func table(_ table: String) throws -> CSVTable { try CSVTable(path: folder.path + "/\(name)/\(table)") }
}

extension VideoUpdate {
    var sample: VideoFrame? { if case .sample(let frame) = self { frame } else { nil } }
    var frame: VideoFrame? { if case .frame(let frame) = self { frame } else { nil } }
    var summary: VideoSummary? { if case .finished(let summary) = self { summary } else { nil } }
}

extension VideoUpdates {
    /// All updates until the end.
    func collect() async throws -> [VideoUpdate] {
        var updates: [VideoUpdate] = []
        for try await update in self { updates.append(update) }
        return updates
    }
}
