internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Writes the events of a finished result as annotations for other programs.
public struct Exporting: Sendable {
    /// Whose annotations share a tier.
    public enum Grouping: String, Sendable, CaseIterable {
        case person, face
    }

    public struct Options: Sendable {
        /// In the order in which the files are written.
        public var formats: [ExportFormat]
        public var grouping = Grouping.person
        /// A folder, or for one format a file; `nil` is the folder of the result.
        public var output: String?
        /// Whether `output` must be a folder, which is created if there is none.
        public var outputIsFolder = false
        /// Whether existing files may be replaced.
        public var replaces = false

        public init(formats: [ExportFormat]) {
            self.formats = formats
        }
    }

    /// The latest time of an EAF document, in microseconds: a 32-bit number of milliseconds.
    private static let latest = Int64(UInt32.max) * 1000

    private let options: Options

    public init(options: Options) {
        self.options = options
    }

    /// Exports a result.
    ///
    /// - Parameter resultPath: The result folder of an analysis.
    /// - Returns: The paths of the files that were written.
    /// - Throws: `VidscanError`. Each file appears complete or not at all. Cancelling the task throws the code `interrupted`.
    public func run(resultPath: String) async throws -> [String] {
        try await BlockingWork.run(thread: "export", input: resultPath) { cancellation in
            try write(resultPath, cancellation)
        }
    }

    private func write(_ resultPath: String, _ cancellation: CancellationFlag) throws(VidscanError) -> [String] {
        let result = try StoredResult(path: resultPath)
        let record = result.record
        let samples = try ExportTables.samples(resultPath)
        let isWhole = record.pipeline.sample.start == nil && record.pipeline.sample.end == nil
        let timeline = EventTimeline(
            events: try ExportTables.events(resultPath), samples: samples,
            duration: isWhole ? record.video.durationSeconds.map { Int64(($0 * 1e6).rounded()) } : nil,
            people: try ExportTables.people(resultPath))
        let tiers = Tier.tiers(of: timeline.annotations, byPerson: options.grouping == .person)
        guard timeline.end <= Self.latest || !options.formats.contains(.elan) else {
            throw VidscanError(
                .result, "is too long for ELAN, which counts up to 49 days", input: resultPath, stage: .open)
        }
        let places = try ExportPlaces(options: options, result: result)
        // Nothing is written if a file is in the way.
        for path in places.paths { try AtomicFile.checkVacancy(path, replaces: options.replaces) }
        for format in options.formats {
            let paths = places[format]
            for (position, path) in paths.enumerated() {
                guard !cancellation.isSet else { throw VidscanError(.interrupted, "interrupted") }
                let file = try AtomicFile(path: path, replaces: options.replaces, source: record.input.path)
                switch format {
                case .elan:
                    try file.write(ELANDocument(tiers: tiers, media: places.media(from: path)).text())
                case .vtt where position == 0: try file.write(WebVTT.captions(tiers))
                case .vtt:
                    var track = BoxTrack(folder: resultPath, samples: samples, record: record)
                    try track.write(to: file)
                case .textgrid: try file.write(TextGrid(tiers: tiers, end: timeline.end).text())
                case .bids:
                    try file.write(
                        position == 0 ? BIDSEvents.table(timeline.annotations) : BIDSEvents.description())
                case .rttm: try file.write(RTTM.text(tiers, file: places.stem))
                }
                try file.complete()
            }
        }
        return places.paths
    }
}
