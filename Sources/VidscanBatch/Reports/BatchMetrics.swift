internal import Synchronization
package import VidscanBase
internal import VidscanResults

/// Metrics of a batch for the textfile collector of node_exporter (Prometheus), written while it runs and at its end.
package final class BatchMetrics: Sendable {
    private static let prefix = "vidscan_batch_"
    /// Prometheus seldom reads more often.
    private static let interval = Duration.seconds(15)
    /// Facts about the last run that ended, which a later run keeps until it ends.
    private static let lasting = ["last_run_timestamp_seconds", "exit_status", "last_success_timestamp_seconds"]

    private let path, folder: String
    private let shard: BatchShard?
    private let labels: [(name: String, value: String)]
    private let started = BatchJournal.systemClock()
    private let past: [String: String]
    private let next = Mutex(ContinuousClock.now + interval)

    /// `path`: a file, or a folder, where the file is named after the batch. `folder`: the batch's absolute path.
    package init(path: String, folder: String, shard: BatchShard?) {
        let digest = NumberText.hexadecimal(FNV.hash(folder.utf8), digits: 16)
        let name = "vidscan-\(FilePath.name(of: folder).prefix(40))-\(digest)\(BatchShard.suffix(shard)).prom"
        self.path = FileSystem.entry(path) == .folder ? "\(path)/\(name)" : path
        (self.folder, self.shard) = (folder, shard)
        labels = [("folder", folder)] + (shard.map { [("shard", "\($0.index)/\($0.count)")] } ?? [])
        past = Self.read(self.path)
    }

    /// The lasting metrics of an earlier run, as they are written.
    private static func read(_ path: String) -> [String: String] {
        let text = (try? TextFile.bytes(path: path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let name = lasting.first(where: { line.hasPrefix(prefix + $0 + "{") }),
                let value = line.split(separator: " ").last, Double(value)?.isFinite == true
            else { continue }
            values[name] = String(value)
        }
        return values
    }

    /// Does nothing if it was done less than 15 seconds ago, and ignores failures, because the next time is near.
    func update(_ journal: BatchJournal) {
        let begin = ContinuousClock.now
        guard next.withLock({ begin >= $0 }) else { return }
        try? write(journal)
        next.withLock { $0 = begin + max(Self.interval, (.now - begin) * 20) }
    }

    /// - Parameter exitStatus: of a run that has ended, whose journal need not exist. Without one that can be read, nothing
    ///   is said of the files.
    package func finish(exitStatus: Int32) throws(VidscanError) {
        try write(try? BatchJournal.openReadOnly(folder: folder, shard: shard).items(), exitStatus: exitStatus)
    }

    package func write(_ journal: BatchJournal) throws(VidscanError) { try write(try journal.items(), exitStatus: nil) }

    private func write(_ items: [BatchJournal.Item]?, exitStatus: Int32?) throws(VidscanError) {
        let now = BatchJournal.systemClock()
        var lasting = past
        if let exitStatus {
            lasting["last_run_timestamp_seconds"] = "\(Int(now))"
            lasting["exit_status"] = "\(exitStatus)"
            if exitStatus == 0 { lasting["last_success_timestamp_seconds"] = "\(Int(now))" }
        }
        let report = items.map(BatchReport.init)
        let metrics: [(name: String, help: String, samples: [(status: String?, value: String)])] = [
            ("files", "Inputs by status.", (report?.counts ?? []).map { ($0.status.rawValue, "\($0.count)") }),
            (
                "files_with_warnings", "Finished inputs with warnings.",
                report.map { [(nil, "\($0.withWarnings.count)")] } ?? []
            ),
            ("video_seconds", "Seconds of video analysed.", report.map { [(nil, "\($0.videoSeconds)")] } ?? []),
            ("running", "1 while a run is in progress.", [(nil, exitStatus == nil ? "1" : "0")]),
            (
                "run_duration_seconds", "How long the run took, or has taken so far.",
                [(nil, "\(max(0, Int(now - started)))")]
            ),
            ("last_run_timestamp_seconds", "When the last run ended.", []),
            ("exit_status", "Exit status of the last run that ended.", []),
            ("last_success_timestamp_seconds", "When a run last ended with exit status 0.", []),
        ]
        let lines = metrics.flatMap { name, help, samples in
            let samples = samples + (lasting[name].map { [(nil, $0)] } ?? [])
            guard !samples.isEmpty else { return [String]() }
            return ["# HELP \(Self.prefix)\(name) \(help)", "# TYPE \(Self.prefix)\(name) gauge"]
                + samples.map { "\(Self.prefix)\(name)\(text($0.status)) \($0.value)" }
        }
        // A forgotten value makes the next word, perhaps a video, the path.
        try require(
            FileSystem.entry(path) == nil
                || FileSystem.text(path).map { $0.isEmpty || $0.contains(Self.prefix) } == true, .exists,
            "\(path) has no metrics of a batch, and is not replaced")
        try AtomicFile.write(lines.joined(separator: "\n") + "\n", to: path)
    }

    /// `{folder="/srv/vidscan",shard="0/3",status="done"}`
    private func text(_ status: String?) -> String {
        let labels = labels + (status.map { [("status", $0)] } ?? [])
        let pairs = labels.map { name, value in
            let escaped = ["\\", "\""].reduce(Printable.line(value)) { $0.replacing(scalars: $1, with: "\\" + $1) }
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}
