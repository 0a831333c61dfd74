internal import VidscanBase
package import VidscanFaces

/// A row of `dyads.csv`: what one measure says of two people.
package struct DyadRow: Sendable {
    /// In the order of the rows of a pair. A raw value that ends in `_synchrony` begins with a column of `faces.csv`.
    package enum Measure: String, Sendable, CaseIterable {
        case turns, gaps, overlapsBetween = "overlaps_between", overlapsWithin = "overlaps_within", interruptions
        case smile = "smile_synchrony", browRaise = "brow_raise_synchrony", yaw = "yaw_synchrony"
        case pitch = "pitch_synchrony", speaking = "speaking_synchrony"
        case looksAt = "looks_at", mutualGaze = "mutual_gaze"
    }

    package let personA, personB: Int
    package let measure: Measure
    package let coverageSeconds, coverageFraction: Double
    /// The lengths of the counted stretches, in seconds; `nil` for a synchrony, or if too little is known.
    package var stretches: [Double]?
    /// `nil` for other measures, or if too little is known.
    package var synchrony: Synchrony?

    package init(personA: Int, personB: Int, measure: Measure, coverageSeconds: Double, coverageFraction: Double) {
        (self.personA, self.personB, self.measure) = (personA, personB, measure)
        (self.coverageSeconds, self.coverageFraction) = (coverageSeconds, coverageFraction)
    }

    var seconds: Double? { stretches?.reduce(0, +) }
    var count: Int? { synchrony?.windows ?? stretches?.count }

    /// The mean or another value of the stretches; `nil` if there are none.
    func ofStretches(_ value: ([Double]) -> Double) -> Double? { stretches.flatMap { $0.isEmpty ? nil : value($0) } }
}

/// `dyads.csv`: one row per pair of people and measure.
package enum DyadTable: ResultTable {
    package static let definitions: [ColumnDefinition<DyadRow>] = [
        .number("person_a", from: 1, \.personA, "As person_id in faces.csv."),
        .number(
            "person_b", from: 1, \.personB,
            "The other person. turns, interruptions and looks_at are what person_a does, so they have a second row for the"
                + " other; all other measures have one, in which person_a is the lower number."),
        Definition(
            "measure", range: DyadRow.Measure.allCases.map(\.rawValue).joined(separator: ", "),
            { .text($0.measure.rawValue) }, "The measure."),
        Definition(
            "value", range: "-1 to 1", decimals: 4,
            { row in row.synchrony?.correlation ?? row.seconds.map { $0 / row.coverageSeconds } },
            "For a synchrony, the mean of the windows' peak correlations; otherwise seconds divided by coverage_seconds."
        ),
        .number("count", from: 0, \.count, "How often: turns, gaps, looks. For a synchrony, the number of windows."),
        .seconds("seconds", \.seconds, "How long altogether."),
        .seconds("mean_seconds", { $0.ofStretches { $0.reduce(0, +) / Double($0.count) } }, "The mean length."),
        .seconds("median_seconds", { $0.ofStretches { Synchrony.quantile(0.5, of: $0) } }, "The median length."),
        Definition(
            "lag_seconds", unit: "s",
            range: Column.text(of: -Synchrony.maximumLagSeconds...Synchrony.maximumLagSeconds), decimals: 3,
            \.synchrony?.lagSeconds, "The median lag of a synchrony: > 0 if person_b does later what person_a does."),
        .number(
            "leader", from: 1,
            { row in row.synchrony.flatMap { $0.lagSeconds == 0 ? nil : $0.lagSeconds > 0 ? row.personA : row.personB }
            }, "The person who is earlier; blank for a lag of 0."),
        Definition(
            "baseline_mean", range: "-1 to 1", decimals: 4, \.synchrony?.baseline?.mean,
            "The mean value of the permutations: of person_a with person_b at other times."),
        Definition(
            "baseline_95", range: "-1 to 1", decimals: 4, \.synchrony?.baseline?.percentile95, "Their 95th percentile."),
        .number("permutations", from: Synchrony.minimumShifts, \.synchrony?.baseline?.shifts, "Their number."),
        .number(
            "reached", from: 0, \.synchrony?.baseline?.reached,
            "The permutations whose value is as high as the observed one or higher: (reached + 1) / (permutations + 1) is the"
                + " p value."),
        .seconds("coverage_seconds", \.coverageSeconds, "How long the measure is known for both people."),
        .fraction(
            "coverage_fraction", \.coverageFraction, "coverage_seconds as a fraction of the time of all samples."),
    ]
}
