internal import VidscanBase
internal import VidscanFaces

/// A row of `dyads.csv`: what one measure says of two people. `nil` for what the measure lacks.
package struct DyadRow: Sendable {
    /// In the order of the rows of a pair. A raw value that ends in `_synchrony` begins with a column of `faces.csv`.
    package enum Measure: String, Sendable, CaseIterable {
        case turns, gaps, overlapsBetween = "overlaps_between", overlapsWithin = "overlaps_within", interruptions
        case smile = "smile_synchrony", browRaise = "brow_raise_synchrony", yaw = "yaw_synchrony"
        case pitch = "pitch_synchrony", speaking = "speaking_synchrony"
        case looksAt = "looks_at", mutualGaze = "mutual_gaze"
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
        .number("person_a", from: 1, \.personA, "As person_id in faces.csv."),
        .number(
            "person_b", from: 1, \.personB,
            "The other person. turns, interruptions and looks_at are what person_a does, so they have a second row for the"
                + " other; all other measures have one, in which person_a is the lower number."),
        Definition(
            "measure", range: DyadRow.Measure.allCases.map(\.rawValue).joined(separator: ", "),
            { .text($0.measure.rawValue) },
            "The measure."),
        Definition(
            "value", range: "-1 to 1", decimals: 4, \.value,
            "For a synchrony, the mean of the windows' peak correlations; otherwise seconds divided by coverage_seconds."
        ),
        .number("count", from: 0, \.count, "How often: turns, gaps, looks. For a synchrony, the number of windows."),
        .seconds("seconds", \.seconds, "How long altogether."),
        .seconds("mean_seconds", \.meanSeconds, "The mean length."),
        .seconds("median_seconds", \.medianSeconds, "The median length."),
        Definition(
            "lag_seconds", unit: "s",
            range: Column.text(of: -Synchrony.maximumLagSeconds...Synchrony.maximumLagSeconds), decimals: 3,
            \.lagSeconds,
            "The median lag of a synchrony: > 0 if person_b does later what person_a does."),
        .number("leader", from: 1, \.leader, "The person who is earlier; blank for a lag of 0."),
        Definition(
            "baseline_mean", range: "-1 to 1", decimals: 4, \.baselineMean,
            "The mean value of the permutations: of person_a with person_b at other times."),
        Definition("baseline_95", range: "-1 to 1", decimals: 4, \.baseline95, "Their 95th percentile."),
        .number("permutations", from: Synchrony.minimumShifts, \.permutations, "Their number."),
        .number(
            "reached", from: 0, \.reached,
            "The permutations whose value is as high as the observed one or higher: (reached + 1) / (permutations + 1) is the"
                + " p value."),
        .seconds("coverage_seconds", \.coverageSeconds, "How long the measure is known of both people."),
        .fraction(
            "coverage_fraction", \.coverageFraction, "coverage_seconds as a fraction of the time of all samples."),
    ]
}
