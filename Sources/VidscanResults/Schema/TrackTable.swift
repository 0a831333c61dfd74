package import VidscanBase
internal import VidscanFaces

/// A row of `tracks.csv`: the summary of all tracks with one face_id.
package struct TrackRow: Sendable {
    package struct Statistic: Sendable {
        package var mean, median, maximum, rest: Float?
        /// The samples in which the number is known, and the seconds they stand for.
        package var samples = 0, seconds = 0.0
    }

    package struct Blinks: Sendable {
        package var count = 0
        /// In which an eye is measured.
        package var seconds = 0.0

        package var perMinute: Double { Double(count) * 60 / seconds }
    }

    /// Ticks of 40 ms.
    package struct Speech: Sendable {
        private var known = 0, spoken = 0

        /// - Parameter ticks: How likely the face speaks, in halves of a percent.
        mutating func add(_ ticks: [UInt8]) {
            known += ticks.count { $0 != SpeechTick.unknown }
            spoken += ticks.count { (100...200).contains($0) }
        }

        /// `nil` if it is never known whether the face speaks.
        var seconds: Double? { known > 0 ? Double(spoken) * SpeechTick.seconds : nil }
        var fraction: Double? { known > 0 ? Double(spoken) / Double(known) : nil }
    }

    package var faceID: Int
    package var personID: Int?
    package var personConfidence: Double?
    package var firstMicroseconds, lastMicroseconds: Int64
    package var visibleSeconds = 0.0, samples = 0, appearances = 0
    package var meanBox = Rectangle(x: 0, y: 0, width: 0, height: 0)
    package var bestMicroseconds, bestFrame: Int64
    /// `nil` if the sampling rate is too low for blinks, or if the eyes are never measured.
    package var blinks: Blinks?
    var speech = Speech()
    /// In the order of `TrackTable.measures`.
    package var statistics = TrackTable.measures.map { _ in Statistic() }
}

/// `tracks.csv`: one row per face_id.
package enum TrackTable: ResultTable {
    /// The numbers whose mean, median and maximum are given for each face_id.
    package static let measures: [FaceField] = FaceField.pose + [.brightness] + FaceField.metrics

    package static let definitions: [ColumnDefinition<TrackRow>] = facts + statistics

    private static let facts: [Definition] = [
        .number("face_id", from: 1, \.faceID, "As in faces.csv."),
        .number("person_id", from: 1, \.personID, "As in faces.csv."),
        .fraction(
            "person_confidence", \.personConfidence,
            "How certain person_id is: 0.5 if the face could as well belong to another person of the video, or this"
                + " person's other faces to somebody else; below 0.4 if the face could not be judged."),
        .time("first_time", \.firstMicroseconds, "When the face is first visible."),
        .time("last_time", \.lastMicroseconds, "When it is last visible."),
        .seconds(
            "seconds_visible", \.visibleSeconds,
            "The seconds of its samples. A sample stands for the time since the video's sample before it, at most twice the"
                + " mean time between samples; 0 for a still picture."),
        .number("samples", from: 1, \.samples, "Its rows in faces.csv."),
        .number("appearances", from: 1, \.appearances, "How often it appears: its face_started events in events.csv."),
        side("x", \.meanBox.x, "Left edge of the mean box."),
        side("y", \.meanBox.y, "Top edge of the mean box."),
        side("width", \.meanBox.width, "Width of the mean box."),
        side("height", \.meanBox.height, "Height of the mean box."),
        .time(
            "best_time", \.bestMicroseconds,
            "When the face is shown best (confident, large, frontal, sharp): the time for a thumbnail."),
        .number("best_frame", from: 0, { Int($0.bestFrame) }, "The frame of best_time, counted as in faces.csv."),
        .number(
            "blinks", from: 0, \.blinks?.count,
            "Its blinks in events.csv. Blank if too few samples per second were taken to see blinks, or if the eyes could"
                + " never be measured."),
        .seconds(
            "blink_seconds", \.blinks?.seconds,
            "The part of seconds_visible in which a blink can be seen: an eye is measured. Blank where blinks is blank."
        ),
        Definition(
            "blink_rate", unit: "1/min", range: "0 and up", decimals: 2, \.blinks?.perMinute,
            "blinks per minute of blink_seconds. Blank where blinks is blank."),
        .seconds(
            "speaking_seconds", \.speech.seconds,
            "The time in which speaking is 50 or more, at 25 samples per second. Blank where speaking is always blank."),
        .fraction(
            "speaking_share", \.speech.fraction,
            "speaking_seconds as a fraction of the time in which speaking is known."),
    ]

    private static func side(
        _ name: String, _ value: @escaping @Sendable (TrackRow) -> Double?, _ meaning: String
    ) -> Definition { Definition(name, unit: "px", range: "inside the frame", decimals: 2, value, meaning) }

    private static let statistics: [Definition] = measures.enumerated().flatMap { index, measure in
        let name = measure.name
        func level(
            _ suffix: String, _ meaning: String, decimals: Int? = nil,
            _ value: @escaping @Sendable (TrackRow.Statistic) -> Float?
        ) -> Definition {
            Definition(
                "\(name)_\(suffix)", unit: measure.unit, range: Column.text(of: measure.range),
                // The mean of a yes-or-no measure is a fraction.
                decimals: decimals ?? max(2, measure.description.decimals),
                { value($0.statistics[index]).map(Double.init) }, meaning)
        }
        let resolution = NumberText.fixed((measure.range.upperBound - measure.range.lowerBound) / 512, decimals: 3)
        var levels = [
            level("mean", "Mean of \(name) over the \(name)_samples.") { $0.mean },
            level("median", "Median of \(name), from a histogram; exact to \(resolution).") { $0.median },
            level("max", "Maximum of \(name).") { $0.maximum },
        ]
        if case .metric(let metric) = measure, RestingLevels.metrics.contains(metric) {
            let meaning =
                metric.group == .eyes
                ? "How far this person's eye is open: the level that it stays below nine tenths of the time."
                : "This person's resting level: the one that \(name) stays above three quarters of the time."
            let blank =
                " Blank if fewer than \(NumberText.plain(RestingLevelEstimate.minimumSeconds)) s show the face well, and"
                + " with --baseline none."
            levels.append(level("rest", meaning + blank, decimals: 2) { $0.rest })
        }
        return levels + [
            .number(
                "\(name)_samples", from: 0, { $0.statistics[index].samples },
                "The number of samples in which \(name) is known: its mean, median and maximum are computed from these."
            ),
            .seconds(
                "\(name)_seconds", { $0.statistics[index].seconds },
                "The seconds of these samples, as in seconds_visible."),
        ]
    }
}

/// What a study needs of a row of `tracks.csv`.
package struct StoredTrack: Sendable {
    package let faceID, personID: Int
    package let firstMicroseconds, lastMicroseconds: Int64
    package let secondsVisible: Double
    /// Whether a correction says who it is.
    package let isDecided: Bool
    package let bestMicroseconds, bestFrame: Int64
    /// Mean box, in pixels of the upright frame.
    package let box: Rectangle
    /// From the first to the last sample of each appearance, in order and in microseconds.
    package private(set) var appearances: [ClosedRange<Int64>] = []

    /// Returns the tracks by ascending `face_id`.
    package static func read(_ folder: String) throws(VidscanError) -> [StoredTrack] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (face, person) = (try table.column("face_id"), try table.column("person_id"))
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let (frame, confidence) = (try table.column("best_frame"), table.optionalColumn("person_confidence"))
        let box = try FaceColumns(FaceField.box, of: table)
        var tracks: [StoredTrack] = []
        while try table.next() {
            try table.require(tracks.count < ReadLimits.tracks, "is one of more than \(ReadLimits.tracks) tracks")
            guard let personID = try table.optionalInteger(person, in: ReadLimits.ids) else {
                throw .result("tracks.csv has a blank person_id: an early version wrote it; analyse the video again")
            }
            let track = StoredTrack(
                faceID: try table.integer(face, in: ReadLimits.ids), personID: personID,
                firstMicroseconds: try table.microseconds(first), lastMicroseconds: try table.microseconds(last),
                secondsVisible: try table.number(visible, in: ReadLimits.durations),
                isDecided: try table.optionalNumber(confidence, in: 0...1) == 1,
                bestMicroseconds: try table.microseconds(best), bestFrame: Int64(try table.count(frame)),
                box: try box.numbers(in: table).box)
            try table.require(track.firstMicroseconds <= track.lastMicroseconds, "last_time is before first_time")
            tracks.append(track)
        }
        tracks.sort { $0.faceID < $1.faceID }
        for (one, other) in zip(tracks, tracks.dropFirst()) where one.faceID == other.faceID {
            throw .result("tracks.csv has face_id \(one.faceID) twice; the table is damaged, analyse the video again")
        }
        try addAppearances(folder, to: &tracks)
        return tracks
    }

    /// Reads `events.csv`, because a track that continues across cuts is out of sight in between.
    private static func addAppearances(_ folder: String, to tracks: inout [StoredTrack]) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face) = (try table.column("time"), try table.column("kind"), try table.column("face_id"))
        let positions = Dictionary(uniqueKeysWithValues: tracks.indices.map { (tracks[$0].faceID, $0) })
        var starts: [Int: Int64] = [:]
        while try table.next() {
            let event = table.text(kind)
            guard event == "face_started" || event == "face_stopped",
                let position = positions[try table.integer(face, in: ReadLimits.ids)]
            else { continue }
            let moment = try table.microseconds(time)
            if event == "face_started" {
                starts[position] = moment
            } else if let start = starts.removeValue(forKey: position) {
                guard start <= moment else { throw table.problem("time goes back") }
                tracks[position].appearances.append(start...moment)
            }
        }
        for index in tracks.indices where tracks[index].appearances.isEmpty {
            tracks[index].appearances = [tracks[index].firstMicroseconds...tracks[index].lastMicroseconds]
        }
    }
}
