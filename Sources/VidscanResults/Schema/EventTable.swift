internal import VidscanBase
package import VidscanFaces

/// `events.csv`: one row per event, in time order.
package enum EventTable: ResultTable {
    /// With the meaning of `value`.
    private static func meaning(of kind: FaceEvent.Kind) -> String {
        let options = EventOptions()
        let plain = NumberText.plain
        let lasting = "value: how long it lasted, in seconds."
        return switch kind {
        case .shotCut:
            "The first sample of a new shot. value: hard, gradual (a dissolve or fade) or discontinuity (no face_id"
                + " continues across it)."
        case .faceStarted:
            "The first sample of an appearance; a face_id that reappears after a cut has several. value: blank."
        case .faceStopped:
            "The last sample of an appearance. value: left (the frame), occluded (or turned away), cut, discontinuity (the"
                + " file's timestamps jump), end (of the video) or corrected (a correction ends it)."
        case .blink:
            "The eyes closed for at most \(plain(options.blinkLongestSeconds)) s (at \(plain(options.blinkMinimumRate))"
                + " samples per second or more). \(lasting)"
        case .eyesClosed: "The eyes closed for more than \(plain(options.blinkLongestSeconds)) s. \(lasting)"
        case .smileStarted:
            "smile above \(plain(options.smileStartsAbove)). value: the smile in that sample, relative to the face at rest."
        case .smileStopped: "smile below \(plain(options.smileStopsBelow)). \(lasting)"
        case .lookAway:
            "The head turned more than \(plain(options.lookAwayAboveDegrees)) degrees from the camera for"
                + " \(plain(options.lookAwayHoldSeconds)) s or more. \(lasting)"
        }
    }

    package static let definitions: [ColumnDefinition<FaceEvent>] = [
        .time("time", \.microseconds, "When it begins, on the clock of faces.csv."),
        Definition(
            "kind", range: FaceEvent.Kind.allCases.map(\.rawValue).joined(separator: ", "), { .text($0.kind.rawValue) },
            "What happens. An event that goes on ends at the last sample in which its measure is known, if it is then missing in"
                + " more than \(EventOptions.bridgedSamples) samples and for more than"
                + " \(NumberText.plain(EventOptions.bridgedSeconds)) s, or if the face disappears: complete is then 0. The"
                + " limits are the defaults; a pipeline's track settings change them.",
            values: FaceEvent.Kind.allCases.map { Column.Value(name: $0.rawValue, meaning: meaning(of: $0)) }),
        .number("face_id", from: 1, \.faceID, "The face of the event; blank for shot_cut."),
        Definition(
            "value", range: "depends on kind",
            { event in
                switch event.value {
                case .none: .missing
                case .text(let text): .text(text)
                case .number(let value): .decimal(value, decimals: 3)
                }
            }, "A word or a number: see kind."),
        .fraction(
            "measured", \.measuredFraction,
            "How much of blink, eyes_closed, smile_stopped or look_away was measured: the fraction of its samples, from the first"
                + " to the last, in which its measure is known. Otherwise blank."),
        Definition(
            "complete", range: "0 or 1", { .integer($0.isComplete.map { $0 ? 1 : 0 }) },
            "1 if samples show how it began and how it ended. 0 if it is cut off by a gap or by the first or last sample of"
                + " the appearance: it may have lasted longer, and a blink may be the end of a longer closure. Blank as"
                + " measured."),
        .fraction(
            "one_eye", \.oneEyeFraction,
            "The fraction of the samples of blink or eyes_closed that depend on the near eye alone, because the head was turned"
                + " by more than \(NumberText.plain(ExpressionLimits.maximumYawOfHalves)) degrees: less certain. It counts as closed"
                + " \(NumberText.plain(EventOptions.oneEyeMargin)) below the threshold for both. Otherwise blank."),
        .number("episode", from: 1, \.episode, "The interval in episodes.csv that it begins or ends."),
    ]
}

/// `episodes.csv`: one row per interval, in order of its start.
package enum EpisodeTable: ResultTable {
    package static let file = "episodes.csv"

    private static let measures = Episode.Kind.allCases.compactMap { kind in
        [.nod, .shake].contains(kind) ? nil : kind.measure.map { "\(kind.rawValue): \($0)" }
    }.joined(separator: "; ")

    package static let definitions: [ColumnDefinition<Episode>] = [
        .number("episode", from: 1, \.id, "The number of the row, to which episode in events.csv refers."),
        Definition(
            "kind", range: Episode.Kind.allCases.map(\.rawValue).joined(separator: ", "), { .text($0.kind.rawValue) },
            "What can be seen.",
            values: Episode.Kind.allCases.map { Column.Value(name: $0.rawValue, meaning: $0.meaning) }),
        .number("person_id", from: 1, \.personID, "As in faces.csv; blank for a kind that concerns nobody."),
        .number("face_id", from: 1, \.faceID, "As in faces.csv; blank for a kind that concerns no face."),
        .time("start", \.startMicroseconds, "When it begins, on the clock of faces.csv."),
        .time(
            "end", \.endMicroseconds,
            "When it ends: at the sample that shows that it is over, or else at its last sample. visible: the last sample that"
                + " shows the face. shot: the first sample of the next shot; for the last shot its last sample."),
        Definition(
            "start_seen", range: "0 or 1", { .integer($0.isStartSeen ? 1 : 0) },
            "1 if samples show how it began. 0 if its first sample is the first of the video, follows a jump of the timestamps or"
                + " a stretch that a correction excludes, or is the first one after a gap of more than 0.2 s in its measure:"
                + " it may have begun earlier. So a shot has 0 at the start of the analysed part, and 1 at a cut."),
        Definition(
            "end_seen", range: "0 or 1", { .integer($0.isEndSeen ? 1 : 0) },
            "1 if samples show how it ended; otherwise 0, as for start_seen: it may have lasted longer. A gap of at most"
                + " two samples, or of at most 0.2 s, does not hide an end."),
        Definition(
            "peak", range: "depends on kind", decimals: 2, \.peak,
            "The highest value of the kind's measure. \(measures). Blank for other kinds."),
        Definition(
            "peak_time", unit: "s", range: "any", { $0.peakMicroseconds.map { .microseconds($0) } ?? .missing },
            "When the peak is reached first."),
        Definition(
            "mean", range: "depends on kind", decimals: 2, \.mean,
            "The mean of the measure over the samples in which it is known, without the sample that ends the episode."
                + " nod, shake: of the half-cycles, in degrees."),
        .seconds(
            "measured_seconds", \.measuredSeconds,
            "The seconds for which these samples stand: each for the time since the sample before it, as in tracks.csv. visible:"
                + " the samples that show the face. shot: all samples."),
        .list("with", \.otherPersonIDs, "The person_ids of others who take part; blank for a kind of one person."),
    ]
}
