internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Compares the people of a finished result in pairs, and writes `dyads.csv`.
public struct InteractionAnalysis: Sendable {
    public struct Options: Sendable {
        /// A folder, or for one result a file; `nil` is the folder of the result.
        public var output: String?
        /// Whether `output` must be a folder, which is created if there is none.
        public var outputIsFolder = false
        /// Whether existing files may be replaced.
        public var replaces = false
        /// Called before each pair with the number of those that are done, and of all.
        public var progressed: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }

        public init() {}
    }

    public struct Summary: Sendable {
        /// Of the table.
        public let path: String
        /// Pairs of people.
        public let pairs: Int
    }

    /// Two people who are in sight together for a shorter time are not compared, and a measure that is known for a shorter
    /// time is blank.
    public static let minimumSeconds = 10.0

    private let options: Options

    public init(options: Options) { self.options = options }

    /// Compares the people of one result. The table appears complete or not at all. Cancelling the task throws a
    /// `VidscanError` with the code `interrupted`.
    public func run(resultPath: String) async throws -> Summary {
        try await BlockingWork.run(thread: "interact", input: resultPath) { cancellation in
            try write(resultPath) { () throws(VidscanError) in
                guard !cancellation.isSet else { throw VidscanError(.interrupted, "interrupted") }
            }
        }
    }

    private func write(_ resultPath: String, _ check: () throws(VidscanError) -> Void) throws(VidscanError) -> Summary {
        let result = try StoredResult(path: resultPath)
        let video = result.record.input.path
        let output = options.output.map(FilePath.expandingHome)
        let folder = try ExportPlaces.folder(output, options.outputIsFolder)
        let path =
            folder.map { FilePath.joining($0, "\(ExportPlaces.stem(of: video)).\(ResultFiles.dyads)") } ?? output
            ?? FilePath.joining(result.name, ResultFiles.dyads)
        let file = try AtomicFile(path: path, replaces: options.replaces, source: video)
        let series = try PersonSeries(folder: result.name, check)
        var writer = ByteWriter()
        writer.writeCSV(row: DyadTable.columns.map { .text($0.name) })
        let pairs = try series.pairs(seconds: Self.minimumSeconds)
        for (done, (first, second)) in pairs.enumerated() {
            options.progressed(done, pairs.count)
            let dyad = Dyad(series, first, second, minimumSeconds: Self.minimumSeconds)
            for row in try dyad.rows(check) { writer.writeCSV(row: DyadTable.fields(of: row)) }
        }
        try file.write(writer.bytes)
        try file.complete()
        return Summary(path: path, pairs: pairs.count)
    }
}

/// The measures of one pair of people.
struct Dyad {
    private let series: PersonSeries
    private let first, second: Int
    private let minimumSeconds: Double

    init(_ series: PersonSeries, _ first: Int, _ second: Int, minimumSeconds: Double) {
        (self.series, self.first, self.second) = (series, first, second)
        self.minimumSeconds = minimumSeconds
    }

    /// Passes on what `check` throws.
    func rows(_ check: () throws(VidscanError) -> Void) throws(VidscanError) -> [DyadRow] {
        guard let clock = series.clock else { return [] }
        var rows: [DyadRow] = []
        for (index, signal) in PersonSeries.signals.enumerated() where series.isKnown[index] {
            let (a, b) = (series.values(index, of: first, clock), series.values(index, of: second, clock))
            if signal.measure == .speaking { rows += turns(a, b, clock) }
            let known = zip(a, b).count { !$0.isNaN && !$1.isNaN }
            var row = row(signal.measure, known: known, clock)
            if row.coverageSeconds >= minimumSeconds,
                let synchrony = try Synchrony(a, b, interval: clock.interval, check: check)
            {
                (row.value, row.count) = (synchrony.correlation, synchrony.windows)
                row.lagSeconds = synchrony.lagSeconds
                if synchrony.lagSeconds != 0 { row.leader = synchrony.lagSeconds > 0 ? first : second }
                row.baselineMean = synchrony.baseline?.mean
                row.baseline95 = synchrony.baseline?.percentile95
                row.permutations = synchrony.baseline?.shifts
                row.reached = synchrony.baseline?.reached
            }
            rows.append(row)
        }
        if series.hasLooks { rows += looks(clock) }
        return rows.enumerated().sorted {
            ($0.element.measure.order, $0.offset) < ($1.element.measure.order, $1.offset)
        }.map(\.element)
    }

    private func turns(_ a: [Double], _ b: [Double], _ clock: RegularClock) -> [DyadRow] {
        func speaks(_ values: [Double]) -> [Bool?] { values.map { $0.isNaN ? nil : $0 >= TurnTaking.threshold } }
        let talk = TurnTaking(speaks(a), speaks(b), interval: clock.interval)
        return [
            row(.turns, talk.turns.first, known: talk.known, clock),
            row(.turns, talk.turns.second, known: talk.known, clock, isReversed: true),
            row(.gaps, talk.gaps, known: talk.known, clock),
            row(.overlapsBetween, talk.interruptions.byFirst + talk.interruptions.bySecond, known: talk.known, clock),
            row(.overlapsWithin, talk.overlapsWithin, known: talk.known, clock),
            row(.interruptions, talk.interruptions.byFirst, known: talk.known, clock),
            row(.interruptions, talk.interruptions.bySecond, known: talk.known, clock, isReversed: true),
        ]
    }

    private func looks(_ clock: RegularClock) -> [DyadRow] {
        func looks(of person: Int, at other: Int) -> [Bool?] {
            StateStretches.held(series.looks(of: person, at: other, clock), interval: clock.interval)
        }
        let (a, b) = (looks(of: first, at: second), looks(of: second, at: first))
        let mutual = zip(a, b).map { a, b -> Bool? in a.flatMap { a in b.map { a && $0 } } }
        return [(DyadRow.Measure.looksAt, a, false), (.looksAt, b, true), (.mutualGaze, mutual, false)].map {
            let stretches = StateStretches(of: $1, interval: clock.interval)
            return row($0, stretches.ranges.map(\.count), known: $1.count { $0 != nil }, clock, isReversed: $2)
        }
    }

    /// `lengths`: the lengths of the counted stretches, in points of the clock. `known`: where the measure is known.
    private func row(
        _ measure: DyadRow.Measure, _ lengths: [Int]? = nil, known: Int, _ clock: RegularClock, isReversed: Bool = false
    ) -> DyadRow {
        var row = DyadRow(
            personA: isReversed ? second : first, personB: isReversed ? first : second, measure: measure,
            coverageSeconds: Double(known) * clock.interval, coverageFraction: Double(known) / Double(clock.samples))
        guard let lengths, row.coverageSeconds >= minimumSeconds else { return row }
        let seconds = lengths.map { Double($0) * clock.interval }
        let sum = seconds.reduce(0, +)
        (row.value, row.count, row.seconds) = (sum / row.coverageSeconds, lengths.count, sum)
        guard !seconds.isEmpty else { return row }
        row.meanSeconds = sum / Double(seconds.count)
        row.medianSeconds = Synchrony.quantile(0.5, of: seconds)
        return row
    }
}

extension DyadRow.Measure { fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 } }
