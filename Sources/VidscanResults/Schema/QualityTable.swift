internal import Glibc
internal import VidscanBase
package import VidscanFaces

/// A row of `quality.csv`: how well a person was measured.
package struct QualityRow: Sendable {
    package var personID: Int
    /// The number of face_ids.
    package var faces = 0
    package var visibleSeconds = 0.0
    /// `nil` if no metric was requested.
    package var measuredSeconds: Double?
    /// The parts of `measuredSeconds` without emotions: only one side, or only mouth or eyes, could be measured.
    package var oneSideSeconds = 0.0, halfCoveredSeconds = 0.0
    package var blankSeconds: [BlankReason: Double] = [:]
    /// In pixels; in degrees, without the sign; from 0 to 100.
    package var medianWidth, medianYaw, medianBrightness: Double?

    package init(personID: Int) { self.personID = personID }

    /// `nil` if no metric was requested, and for a still picture, which has no duration.
    package var measuredFraction: Double? { measuredSeconds.flatMap(fraction) }

    package var wholeFraction: Double? {
        measuredSeconds.flatMap { fraction(of: max(0, $0 - oneSideSeconds - halfCoveredSeconds)) }
    }

    package func fraction(of seconds: Double) -> Double? { visibleSeconds > 0 ? seconds / visibleSeconds : nil }
}

/// `quality.csv`: one row per person.
package enum QualityTable: ResultTable {
    package static let file = "quality.csv"

    package static let definitions: [ColumnDefinition<QualityRow>] = [
        .number("person_id", from: 1, \.personID, "As in faces.csv."),
        .number("faces", from: 1, \.faces, "The number of the person's face_ids."),
        .seconds("seconds_visible", \.visibleSeconds, "The sum of seconds_visible in tracks.csv."),
        .seconds(
            "measured_seconds", \.measuredSeconds,
            "The part of seconds_visible in which an expression is measured: measured_from in faces.csv is not blank. With"
                + " --metrics, one of the requested metrics has a value (also the gaze of shut eyes); blank if none is requested. attention does not count,"
                + " because every mesh has it."),
        .fraction(
            "measured_fraction", \.measuredFraction,
            "measured_seconds divided by seconds_visible. Blank for a still picture."),
        .seconds(
            "one_side_seconds", { $0.measuredSeconds == nil ? nil : $0.oneSideSeconds },
            "The part of measured_seconds in which one side of the face is measured, so that emotions are blank:"
                + " measured_from in faces.csv is left or right."),
        .seconds(
            "half_covered_seconds", { $0.measuredSeconds == nil ? nil : $0.halfCoveredSeconds },
            "The part of measured_seconds in which something covers the mouth or the eyes, so that emotions are blank."),
        reason(
            .turned,
            "the head is turned by more than \(degrees(ExpressionLimits.maximumYawOfSide)) sideways, by more than"
                + " \(degrees(ExpressionLimits.maximumPitch)) up or down, or further than the mesh or the metrics of --metrics can follow"
        ),
        reason(.covered, "mouth and eyes are covered, or all that --metrics asked for, or so much that no mesh fits"),
        reason(
            .small,
            "the face is too small: less than \(NumberText.plain(ExpressionLimits.minimumEyePixels)) pixels between"
                + " the outer corners of the eyes, seen from the front; \(NumberText.plain(ExpressionLimits.minimumEyePixelsOfSide)) if"
                + " only an eye of a turned head could be measured"),
        reason(.noMesh, "no mesh fits, though nothing covers the face: a profile, or too small, dark or blurred"),
        Definition(
            "median_width", unit: "px", range: "0 and up", decimals: 1, \.medianWidth,
            "Median of width in faces.csv, from a histogram; exact to 2 %."),
        Definition(
            "median_yaw", unit: "degrees", range: "0 to 90", decimals: 1, \.medianYaw,
            "Median of the absolute yaw, from a histogram; exact to 0.2. Blank if there is never a mesh."),
        Definition(
            "median_brightness", range: "0 to 100", decimals: 1, \.medianBrightness,
            "Median of brightness, from a histogram; exact to 0.2. Blank if there is never a mesh."),
    ]

    private static func degrees(_ angle: Double) -> String { "\(NumberText.plain(angle)) degrees" }

    private static func reason(_ reason: BlankReason, _ meaning: String) -> Definition {
        .seconds(
            "\(reason.rawValue)_seconds", { $0.measuredSeconds == nil ? nil : $0.blankSeconds[reason] ?? 0 },
            "The part of seconds_visible that is not measured because \(meaning).")
    }
}

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
        defer { people[person] = tally }
        guard !metrics.isEmpty else { return }
        let reason = raw.blankReason(of: metrics)
        tally.row.measuredSeconds = (tally.row.measuredSeconds ?? 0) + (reason == nil ? seconds : 0)
        if let reason {
            tally.row.blankSeconds[reason, default: 0] += seconds
        } else if let side = raw.measuredSide, side != .both {
            tally.row.oneSideSeconds += seconds
        } else if raw.numbers[.metric(.joy)] == nil {
            // Emotions need the mouth and the eyes.
            tally.row.halfCoveredSeconds += seconds
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
