internal import VidscanBase
internal import VidscanFaces

/// A row of `dyads.csv`: what one measure says of two people. `nil` for what the measure lacks.
package struct DyadRow: Sendable {
    /// In the order of the rows of a pair. A raw value that ends in `_synchrony` begins with a column of `faces.csv`.
    package enum Measure: String, Sendable, CaseIterable {
        case turns, gaps
        case overlapsBetween = "overlaps_between"
        case overlapsWithin = "overlaps_within"
        case interruptions
        case smile = "smile_synchrony"
        case browRaise = "brow_raise_synchrony"
        case yaw = "yaw_synchrony"
        case pitch = "pitch_synchrony"
        case speaking = "speaking_synchrony"
        case looksAt = "looks_at"
        case mutualGaze = "mutual_gaze"
    }

    package var personA, personB: Int
    package var measure: Measure
    package var value: Double?
    package var count: Int?
    package var seconds, meanSeconds, medianSeconds: Double?
    package var lagSeconds: Double?
    package var leader: Int?
    package var baselineMean, baseline95: Double?
    package var permutations, reached: Int?
    package var coverageSeconds, coverageFraction: Double

    package init(personA: Int, personB: Int, measure: Measure, coverageSeconds: Double, coverageFraction: Double) {
        (self.personA, self.personB, self.measure) = (personA, personB, measure)
        (self.coverageSeconds, self.coverageFraction) = (coverageSeconds, coverageFraction)
    }
}

/// `dyads.csv`: one row per pair of people and measure.
public enum DyadTable: ResultTable {
    package static let definitions: [ColumnDefinition<DyadRow>] = [
        .number("person_a", from: 1, "As person_id in faces.csv.") { $0.personA },
        .number(
            "person_b", from: 1,
            "The other person. turns, interruptions and looks_at are what person_a does, so they have a second row for the"
                + " other; all other measures have one, in which person_a is the lower number."
        ) { $0.personB },
        Definition("measure", range: DyadRow.Measure.allCases.map(\.rawValue).joined(separator: ", "), "The measure.") {
            .text($0.measure.rawValue)
        },
        Definition(
            "value", range: "-1 to 1", decimals: 4,
            "For a synchrony, the mean of the windows' peak correlations; otherwise seconds divided by coverage_seconds."
        ) { $0.value },
        .number("count", from: 0, "How often: turns, gaps, looks. For a synchrony, the number of windows.") {
            $0.count
        },
        .seconds("seconds", "How long altogether.") { $0.seconds },
        .seconds("mean_seconds", "The mean length.") { $0.meanSeconds },
        .seconds("median_seconds", "The median length.") { $0.medianSeconds },
        Definition(
            "lag_seconds", unit: "s",
            range: Column.text(of: -Synchrony.maximumLagSeconds...Synchrony.maximumLagSeconds),
            decimals: 3, "The median lag of a synchrony: > 0 if person_b does later what person_a does."
        ) { $0.lagSeconds },
        .number("leader", from: 1, "The person who is earlier; blank for a lag of 0.") { $0.leader },
        Definition(
            "baseline_mean", range: "-1 to 1", decimals: 4,
            "The mean value of the permutations: of person_a with person_b at other times."
        ) { $0.baselineMean },
        Definition("baseline_95", range: "-1 to 1", decimals: 4, "Their 95th percentile.") { $0.baseline95 },
        .number("permutations", from: Synchrony.minimumShifts, "Their number.") { $0.permutations },
        .number(
            "reached", from: 0,
            "The permutations whose value is as high as the observed one or higher: (reached + 1) / (permutations + 1) is the"
                + " p value."
        ) { $0.reached },
        .seconds("coverage_seconds", "How long the measure is known of both people.") { $0.coverageSeconds },
        .fraction("coverage_fraction", "coverage_seconds as a fraction of the time of all samples.") {
            $0.coverageFraction
        },
    ]
}
