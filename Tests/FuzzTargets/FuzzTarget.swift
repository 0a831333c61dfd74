import Foundation

/// What is fuzzed. Each target takes arbitrary bytes and must end with a result or an error.
package enum FuzzTarget: String, CaseIterable {
    case video, filters, pipeline, results, journal, corrections, covers

    /// Feeds one input. A trap, a failed `demand` or a leak is a finding.
    ///
    /// - Parameters:
    ///   - base: a folder that `FuzzBase` has made.
    ///   - scratch: a folder of this process, on a file system in memory.
    package func feed(_ bytes: ArraySlice<UInt8>, base: FuzzBase, scratch: FuzzScratch) {
        switch self {
        case .video: VideoFuzzing.feed(bytes, scratch: scratch)
        case .filters: FilterFuzzing.feed(bytes, base: base, scratch: scratch)
        case .pipeline: PipelineFuzzing.feed(bytes)
        case .results: ResultFuzzing.feed(bytes, base: base, scratch: scratch)
        case .journal: JournalFuzzing.feed(bytes, scratch: scratch)
        case .corrections: CorrectionFuzzing.feed(bytes, base: base, scratch: scratch)
        case .covers: CoverFuzzing.feed(bytes, base: base, scratch: scratch)
        }
    }

    /// Returns the initial corpus, if it depends on the format of results or journals.
    package func seeds(base: FuzzBase, scratch: FuzzScratch) -> [(name: String, bytes: [UInt8])] {
        switch self {
        case .results: ResultFuzzing.seeds(base)
        case .journal: JournalFuzzing.seeds(scratch)
        case .corrections: CorrectionFuzzing.seeds(base)
        case .covers: CoverFuzzing.seeds(base)
        case .video, .filters, .pipeline: []
        }
    }
}

/// Ends the process if a condition does not hold.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}

/// A folder for the files of one input at a time.
package struct FuzzScratch: Sendable {
    package let path: String

    /// - Parameter parent: of the folder; `nil` takes memory where the system has a file system there.
    package init(in parent: String? = nil) throws {
        let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let parent = parent ?? memory
        path = "\(parent)/vidscan-fuzz-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Empties the folder.
    func emptyFolder() -> String {
        let folder = path + "/input"
        try? FileManager.default.removeItem(atPath: folder)
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to path: String) -> Bool {
        FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }
}

/// Waits for asynchronous work, because a fuzzer's callback is synchronous. Do not call it on the cooperative pool.
package func waitFor(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await work()
        done.signal()
    }
    done.wait()
}
