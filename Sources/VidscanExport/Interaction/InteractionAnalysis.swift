internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Compares the people of a finished result in pairs, and writes `dyads.csv`.
package struct InteractionAnalysis: Sendable {
    /// Two people who are in sight together for a shorter time are not compared, and a measure that is known for a shorter
    /// time is blank.
    package static let minimumSeconds = 10.0
    /// Seconds by which the whole-microsecond times of tables may be too short.
    static let rounding = 0.0005

    private let output: String?
    private let outputIsFolder, replaces: Bool

    /// - Parameters:
    ///   - output: A folder, or for one result a file; `nil` is the folder of the result.
    ///   - outputIsFolder: Whether `output` must be a folder, which is created if there is none.
    ///   - replaces: Whether existing files may be replaced.
    package init(output: String? = nil, outputIsFolder: Bool = false, replaces: Bool = false) {
        self.output = output.map(FilePath.expandingHome)
        (self.outputIsFolder, self.replaces) = (outputIsFolder, replaces)
    }

    /// Compares the people of one result. The table appears complete or not at all. Returns its path and the number of pairs
    /// of people. Cancelling the task throws a `VidscanError` with the code `interrupted`.
    ///
    /// - Parameter progressed: Called after each pair with the number of those that are done, and of all.
    package func run(
        resultPath: String, progressed: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> (path: String, pairs: Int) {
        try await BlockingWork.run(thread: "interact", input: resultPath) { cancellation in
            try await write(resultPath, cancellation, progressed)
        }
    }

    private func write(
        _ resultPath: String, _ cancellation: CancellationFlag, _ progressed: (_ done: Int, _ all: Int) -> Void
    ) async throws -> (String, Int) {
        let result = try StoredResult(path: resultPath)
        let video = result.record.input.path
        let folder = try ExportPlaces.folder(output, outputIsFolder)
        let path =
            folder.map { FilePath.joining($0, "\(ExportPlaces.stem(of: video)).\(ResultFiles.dyads)") } ?? output
            ?? FilePath.joining(result.name, ResultFiles.dyads)
        if FilePath.name(of: path) != ResultFiles.dyads { try ResultContents.refuseFile(path) }
        let file = try AtomicFile(path: path, replaces: replaces, source: video)
        let series = try PersonSeries(folder: result.name, cancellation)
        var writer = ByteWriter()
        writer.writeCSV(row: DyadTable.columns.map { .text($0.name) })
        let pairs = try series.pairs(seconds: Self.minimumSeconds)
        for row in try await rows(of: pairs, series, cancellation, progressed) {
            writer.writeCSV(row: DyadTable.fields(of: row))
        }
        try file.write(writer.bytes)
        try file.complete()
        return (path, pairs.count)
    }

    /// Compares pairs on all processors. The rows have the order of the pairs.
    private func rows(
        of pairs: [(Int, Int)], _ series: PersonSeries, _ cancellation: CancellationFlag,
        _ progressed: (_ done: Int, _ all: Int) -> Void
    ) async throws -> [DyadRow] {
        guard let clock = series.clock else { return [] }
        return try await withThrowingTaskGroup(of: (Int, [DyadRow]).self) { group in
            for (index, (first, second)) in pairs.enumerated() {
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    let dyad = Dyad(series: series, clock: clock, first: first, second: second)
                    return (index, try dyad.rows(cancellation))
                }
            }
            var rows = [[DyadRow]](repeating: [], count: pairs.count)
            var done = 0
            for try await (index, dyad) in group {
                rows[index] = dyad
                done += 1
                progressed(done, pairs.count)
            }
            return rows.flatMap(\.self)
        }
    }
}

private struct Dyad {
    let series: PersonSeries
    let clock: RegularClock
    let first, second: Int

    func rows(_ cancellation: CancellationFlag) throws(VidscanError) -> [DyadRow] {
        var rows: [DyadRow] = []
        for (index, signal) in PersonSeries.signals.enumerated() where series.isKnown[index] {
            let (a, b) = (series.values(index, of: first, clock), series.values(index, of: second, clock))
            if signal.measure == .speaking { rows += turns(a, b) }
            var row = row(signal.measure, known: zip(a, b).count { !$0.isNaN && !$1.isNaN })
            if row.coverageSeconds >= InteractionAnalysis.minimumSeconds - InteractionAnalysis.rounding {
                row.synchrony = try Synchrony(a, b, interval: clock.interval, check: cancellation.check)
            }
            rows.append(row)
        }
        if series.hasLooks { rows += looks() }
        return DyadRow.Measure.allCases.flatMap { measure in rows.filter { $0.measure == measure } }
    }

    private func turns(_ a: [Double], _ b: [Double]) -> [DyadRow] {
        func speaks(_ values: [Double]) -> [Bool?] { values.map { $0.isNaN ? nil : $0 >= TurnTaking.threshold } }
        let talk = TurnTaking(speaks(a), speaks(b), interval: clock.interval)
        let interruptions = talk.interruptions
        return [
            (DyadRow.Measure.turns, talk.turns.first, false), (.turns, talk.turns.second, true),
            (.gaps, talk.gaps, false), (.overlapsBetween, interruptions.byFirst + interruptions.bySecond, false),
            (.overlapsWithin, talk.overlapsWithin, false), (.interruptions, interruptions.byFirst, false),
            (.interruptions, interruptions.bySecond, true),
        ].map { row($0, $1, known: talk.known, isReversed: $2) }
    }

    private func looks() -> [DyadRow] {
        func looks(of person: Int, at other: Int) -> [Bool?] {
            StateStretches.held(series.looks(of: person, at: other, clock), interval: clock.interval)
        }
        let (a, b) = (looks(of: first, at: second), looks(of: second, at: first))
        let mutual = zip(a, b).map { a, b -> Bool? in a.flatMap { a in b.map { a && $0 } } }
        return [(DyadRow.Measure.looksAt, a, false), (.looksAt, b, true), (.mutualGaze, mutual, false)].map {
            let stretches = StateStretches(of: $1, interval: clock.interval)
            return row($0, stretches.ranges.map(\.count), known: $1.count { $0 != nil }, isReversed: $2)
        }
    }

    /// `lengths`: the lengths of the counted stretches, in points of the clock. `known`: where the measure is known.
    private func row(
        _ measure: DyadRow.Measure, _ lengths: [Int]? = nil, known: Int, isReversed: Bool = false
    ) -> DyadRow {
        var row = DyadRow(
            personA: isReversed ? second : first, personB: isReversed ? first : second, measure: measure,
            coverageSeconds: Double(known) * clock.interval,
            coverageFraction: min(Double(known) / Double(clock.samples), 1))
        guard row.coverageSeconds >= InteractionAnalysis.minimumSeconds - InteractionAnalysis.rounding else {
            return row
        }
        row.stretches = lengths?.map { Double($0) * clock.interval }
        return row
    }
}
