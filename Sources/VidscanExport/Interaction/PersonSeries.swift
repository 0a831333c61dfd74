internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// What the measures of two people need of `faces.csv`, by person and sample.
struct PersonSeries {
    /// A number of a face that two people may share.
    struct Signal {
        let measure: DyadRow.Measure
        let range: ClosedRange<Double>

        /// Of its column.
        var name: String { String(measure.rawValue.dropLast("_synchrony".count)) }
    }

    /// The rows of one person, in time order. Values are NaN if missing.
    private struct Rows {
        var samples: [Int] = []
        var values = signals.map { _ in [Double]() }
        var looksAt: [Int32?] = []
        /// Of the last row's box.
        var area = 0.0

        /// Of two faces of one person in a sample, the larger one counts.
        mutating func add(_ new: [Double], looksAt target: Int32?, area newArea: Double, sample: Int) {
            if samples.last == sample {
                guard newArea > area else { return }
                samples.removeLast()
                looksAt.removeLast()
                for index in values.indices { values[index].removeLast() }
            }
            samples.append(sample)
            looksAt.append(target)
            for (index, value) in new.enumerated() { values[index].append(value) }
            area = newArea
        }
    }

    static let signals = [
        Signal(measure: .smile, range: 0...100), Signal(measure: .browRaise, range: 0...100),
        Signal(measure: .yaw, range: HeadPose.yaws), Signal(measure: .pitch, range: HeadPose.pitches),
        Signal(measure: .speaking, range: 0...100),
    ]
    /// Together they take about 800 MB.
    private static let maximumRows = 10_000_000
    /// The pairs take time and rows that grow with the square.
    private static let maximumPeople = 100

    /// `nil` for a still picture.
    let clock: RegularClock?
    /// The signals that anybody has, and whether anybody looks anywhere.
    private(set) var isKnown = signals.map { _ in false }
    private(set) var hasLooks = false
    private var people: [Int: Rows] = [:]

    init(folder: String, _ cancellation: CancellationFlag) throws(VidscanError) {
        let times = try SampleTimes(folder: folder, mayBeEmpty: true).microseconds
        clock = RegularClock(microseconds: times)
        try require(
            clock != nil || times.first == times.last, .result,
            "its samples are too far apart or too dense to compare people")
        let table = try TableReader(folder: folder, name: "faces.csv")
        let (time, person) = (try table.column("time"), try table.column("person_id"))
        let box = try FaceColumns(FaceField.box, of: table)
        let columns = Self.signals.map { table.optionalColumn($0.name) }
        let looksAt = table.optionalColumn("looks_at")
        var (sample, rows) = (0, 0)
        while try table.next() {
            let now = try table.microseconds(time)
            while sample < times.count, times[sample] < now { sample += 1 }
            try table.require(sample < times.count && times[sample] == now, "time is not in frames.csv, or goes back")
            rows += 1
            try table.require(
                rows <= Self.maximumRows, "is one of more than \(Self.maximumRows) rows, too many to compare people")
            if rows.isMultiple(of: 1 << 12) { try cancellation.check() }
            guard let id = try table.optionalInteger(person, in: ReadLimits.ids) else { continue }
            let values = try zip(Self.signals, columns).map { signal, column throws(VidscanError) in
                try table.optionalNumber(column, in: signal.range) ?? .nan
            }
            let target = try table.optionalInteger(looksAt, in: 0...ReadLimits.ids.upperBound)
            people[id, default: Rows()].add(
                values, looksAt: target.map(Int32.init), area: try box.numbers(in: table).box.area, sample: sample)
            for (index, value) in values.enumerated() where !value.isNaN { isKnown[index] = true }
            if target != nil { hasLooks = true }
        }
    }

    /// The pairs of people who are in sight together for at least this time, the lower number first.
    func pairs(seconds: Double) throws(VidscanError) -> [(Int, Int)] {
        guard let clock else { return [] }
        let needed = Int(((seconds - InteractionAnalysis.rounding) / clock.interval).rounded(.up))
        let candidates = people.filter { $0.value.samples.count >= needed }.keys.sorted()
        try require(
            candidates.count <= Self.maximumPeople, .result,
            "has more than \(Self.maximumPeople) people who are in sight for \(NumberText.plain(seconds)) s, too many"
                + " to compare")
        let samples = candidates.map { Set(people[$0]?.samples ?? []) }
        return candidates.indices.flatMap { first in
            candidates.indices.dropFirst(first + 1)
                .filter { samples[$0].count(where: samples[first].contains) >= needed }
                .map { (candidates[first], candidates[$0]) }
        }
    }

    /// On the clock; NaN where it is missing.
    func values(_ signal: Int, of person: Int, _ clock: RegularClock) -> [Double] {
        var values = [Double](repeating: .nan, count: clock.samples)
        let rows = people[person, default: Rows()]
        for (sample, value) in zip(rows.samples, rows.values[signal]) { values[sample] = value }
        return clock.values(values)
    }

    /// On the clock: whether one person looks at another. Unknown where the other is out of sight.
    func looks(of person: Int, at other: Int, _ clock: RegularClock) -> [Bool?] {
        var looks = [Bool?](repeating: nil, count: clock.samples)
        guard let rows = people[person], let others = people[other] else { return clock.states(looks) }
        for (sample, target) in zip(rows.samples, rows.looksAt) { looks[sample] = target.map { $0 == other } }
        var isSeen = [Bool](repeating: false, count: clock.samples)
        for sample in others.samples { isSeen[sample] = true }
        return clock.states(zip(looks, isSeen).map { $1 ? $0 : nil })
    }
}
