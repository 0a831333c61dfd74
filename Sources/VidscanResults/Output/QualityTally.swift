internal import Glibc
internal import VidscanBase
internal import VidscanFaces

/// Collects the rows of `quality.csv`. Holds histograms only for people who appear again later.
struct QualityTally {
    private struct Person {
        var row: QualityRow
        /// Logarithms to base 2: a bin is 4 %, for faces of any size.
        var widths = StreamingHistogram(range: 0...14)
        var yaws = StreamingHistogram(range: 0...HeadPose.yaws.upperBound)
        var brightness = StreamingHistogram(range: 0...100)
    }

    /// Requested ones.
    private let metrics: [Metric]
    private var faceIDs: [Int: Set<Int>] = [:]
    /// The people who appear last in a sample.
    private var leaving: [Int: [Int]] = [:]
    private var people: [Int: Person] = [:]
    private(set) var rows: [QualityRow] = []

    init(_ options: OutputOptions, _ outcome: TrackingOutcome) {
        metrics = Metric.expressive.filter(Set(options.metrics).contains)
        for track in outcome.tracks { faceIDs[track.personID, default: []].insert(track.faceID) }
        let last = Dictionary(outcome.tracks.map { ($0.personID, $0.lastSample) }, uniquingKeysWith: max)
        for (person, sample) in last { leaving[sample, default: []].append(person) }
    }

    /// Adds a sample, which stands for `seconds`. `raw` is the face as it was measured.
    mutating func add(_ face: FaceRow, raw: FaceRecord, of person: Int, seconds: Double) {
        var tally = people.removeValue(forKey: person) ?? Person(row: QualityRow(personID: person))
        tally.row.visibleSeconds += seconds
        tally.widths.add(log2(face.face.box.width))
        if let yaw = raw.numbers[.yaw] { tally.yaws.add(abs(yaw)) }
        if let brightness = raw.numbers[.brightness] { tally.brightness.add(brightness) }
        if !metrics.isEmpty { Self.judge(raw, of: metrics, seconds: seconds, &tally.row) }
        people[person] = tally
    }

    private static func judge(_ face: FaceRecord, of metrics: [Metric], seconds: Double, _ row: inout QualityRow) {
        let reason = face.blankReason(of: metrics)
        row.measuredSeconds = (row.measuredSeconds ?? 0) + (reason == nil ? seconds : 0)
        if let reason {
            row.blankSeconds[reason, default: 0] += seconds
        } else if let side = face.measuredSide, side != .both {
            row.oneSideSeconds += seconds
        } else if face.numbers[.metric(.joy)] == nil {
            // Emotions need the mouth and the eyes.
            row.halfCoveredSeconds += seconds
        }
    }

    /// Completes the rows of those who do not appear after a sample.
    mutating func finish(_ sample: Int) {
        for person in leaving[sample] ?? [] {
            guard let tally = people.removeValue(forKey: person) else { continue }
            var row = tally.row
            row.faces = faceIDs[person]?.count ?? 0
            row.medianWidth = tally.widths.median.map(exp2)
            (row.medianYaw, row.medianBrightness) = (tally.yaws.median, tally.brightness.median)
            rows.append(row)
        }
    }
}
