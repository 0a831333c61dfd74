internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
package import VidscanResults

package struct RunOutcome: Sendable {
    let input: String
    let settings: Settings
    var decoded: DecodingReport?
    var written = WriteStage.Report()
    var times = StageTimes()
    /// The SHA-256 of the file; `nil` unless all of it was analysed.
    package internal(set) var digest: String?
    package internal(set) var resultPath = ""
    package internal(set) var wallSeconds = 0.0
    /// The number of segments that were merged; `nil` if a single run made the result.
    package internal(set) var segmentCount: Int?
    /// What became of people who were to stay visible, in words.
    var visibility: [String] = []

    /// A segment has no face_ids, people or events.
    package var counts: RunRecord.Counts { written.counts }

    package var analysedMicroseconds: Int64 {
        max(0, (written.lastMicroseconds ?? 0) - (written.firstMicroseconds ?? 0))
    }

    /// Empty if the tables are not kept.
    package var quality: QualitySummary {
        QualitySummary(settings.write.keepsTables ? written.tables.quality : [], metrics: settings.measure.metrics)
    }

    /// Problems that may affect the tables, in words.
    package var warnings: [String] { problems + [quality.warning].compactMap { $0 } }

    private var problems: [String] {
        guard let decoded else { return [] }
        let statistics = decoded.statistics
        var warnings = statistics.errorWarnings("analysed")
        if let error = statistics.readError {
            warnings.append("reading ended early\(position(statistics)): \(error)")
        } else if let duration = decoded.info.durationMicroseconds, endsEarly(decoded, duration: duration) {
            warnings.append(
                "the video ends\(position(statistics)), although its duration is \(TimeText.seconds(duration)) s;"
                    + " the file may be truncated")
        }
        if let jump = statistics.discontinuities.first {
            let (count, direction) = (statistics.discontinuities.count, jump.jumpMicroseconds < 0 ? "back" : "ahead")
            let distance = TimeText.seconds(Int64(clamping: jump.jumpMicroseconds.magnitude))
            warnings.append(
                "the timestamps jump \(count == 1 ? "once," : "\(count) times, first") \(direction) by \(distance) s"
                    + " at \(TimeText.seconds(jump.microseconds)) s; times continue from the previous frame, and no"
                    + " face_id continues across a jump")
        }
        if let first = decoded.displaySize, let other = decoded.changedSize {
            warnings.append(
                "the picture changes from \(first) to \(other); positions are in pixels of the picture at that time")
        }
        if statistics.framesBehind > 0 {
            let count = NumberText.count(statistics.framesBehind, "timestamp")
            warnings.append(
                "found \(count) earlier than that of a previous frame; the time of the previous frame is used")
        }
        if statistics.implausibleTimestamps > 0 {
            let count = NumberText.count(statistics.implausibleTimestamps, "frame")
            warnings.append("left out \(count) with an impossible timestamp")
        }
        if let rate = statistics.assumesFrameRate {
            let count = NumberText.count(statistics.framesWithoutTimestamp, "frame")
            warnings.append("found \(count) without a timestamp; times assume \(rate) frames per second")
        }
        if statistics.orientationIsApproximate {
            warnings.append("the display matrix is not one of the eight orientations; the nearest one is used")
        }
        return warnings
    }

    /// Checks that there is a sample. A segment may have none. Throws if no frame is in the range of time.
    func requireSamples() throws(VidscanError) {
        guard written.counts.sampledFrames == 0, let info = decoded?.info else { return }
        let (start, end) = (settings.sample.start, settings.sample.end)
        let limits = [start.map { ("from", $0) }, end.map { (start == nil ? "before" : "to", $0) }]
        let range = limits.compactMap { $0 }.map { "\($0.0) \(TimeText.seconds($0.1)) s" }.joined(separator: " ")
        let unlimited = settings.filters == nil ? "with a valid time" : "after the filters"
        let duration = info.durationMicroseconds.map { "; the video lasts \(TimeText.seconds($0)) s" } ?? ""
        throw VidscanError(
            .media(.undecodable), "has no frame \(range.isEmpty ? unlimited : range)\(duration)",
            input: input, stage: .decode)
    }

    /// Limits of the result that follow from the settings, in words.
    package var notices: [String] {
        var notices: [String] = []
        if written.peopleLeftOut > 0, let maximum = settings.track.maximumFaces {
            let people = NumberText.people(written.peopleLeftOut)
            notices.append("\(people) left out by --max-faces \(maximum) (track.max_faces)")
        }
        if settings.segment == nil, settings.render.anonymize == nil, written.counts.faces == 0 {
            notices.append("no face was found; --faces small and --accuracy high find more")
        }
        if case .perSecond(let rate) = settings.sample.rate, let info = decoded?.info, settings.filters == nil,
            !info.isPicture, rate.value > 1.01 * info.frameRate.value
        {
            let frameRate = NumberText.plain((info.frameRate.value * 100).rounded() / 100)
            notices.append("the video has \(frameRate) frames per second, so --rate \(rate) takes every frame")
        }
        return notices + commonNotices + visibility
    }

    /// The notices that are the same for many videos with these settings.
    package var commonNotices: [String] {
        var notices: [String] = []
        let formats = settings.write.formats
        if written.tables.lacksBlinks, settings.write.keepsTables, formats.isEmpty || formats.contains(.csv),
            let info = decoded?.info, !info.isPicture
        {
            let (minimum, needed) = (settings.track.events.blinkMinimumRate, "no blinks, nods or shakes: they need")
            let number = NumberText.plain(minimum)
            if case .perSecond(let rate) = settings.sample.rate, info.frameRate.value >= 0.99 * minimum {
                let advice = rate.value < 0.99 * minimum ? "--rate \(number)" : "--every-frame"
                notices.append("\(needed) at least \(number) samples per second; use \(advice)")
            } else {
                notices.append("\(needed) a video with at least \(number) frames per second")
            }
        }
        let minimum = SpeakerDetector.minimumFrameRate
        if settings.speech, let info = decoded?.info, info.frameRate.value < minimum {
            let needed = "at least \(NumberText.plain(minimum)) frames per second"
            notices.append("'speaking' is blank: to see who speaks, the video needs \(needed)")
        }
        if written.counts.framesWithSound == 0, decoded?.info.isPicture != true {
            notices.append("without readable sound, 'voice' and 'speaking' are blank, and nobody is found to speak")
        }
        if let filtering = decoded?.filtering, filtering.toSource == nil {
            notices.append(
                "the filters move frames or what they show in unknown ways: positions cannot be mapped to the source;"
                    + " pages have no video and no pictures of faces")
        }
        return notices
            + OutputFormat.allCases.filter(settings.write.formats.contains).compactMap {
                $0.foreignTable(settings.write.openFaceBlanks)?.notice
            }
    }

    /// Whether the last frame lies more than a second and more than a tenth of the duration before the announced end.
    private func endsEarly(_ decoded: DecodingReport, duration: Int64) -> Bool {
        // Where timestamps jump, the announced duration means nothing.
        guard decoded.isWholeVideo, decoded.statistics.discontinuities.isEmpty,
            let last = decoded.statistics.lastMicroseconds
        else { return false }
        let info = decoded.info
        let end = min(duration, info.streamEndMicroseconds.map { $0 - info.containerStartMicroseconds } ?? .max)
        let missing = end - last
        return missing > 1_000_000 && missing > duration / 10
    }

    private func position(_ statistics: ReadStatistics) -> String {
        statistics.lastMicroseconds.map { " at \(TimeText.seconds($0)) s" } ?? ""
    }
}

extension RunRecord {
    /// `tools`: the software and models that analysed the frames. `segmentSeconds`: the time of merged segments.
    init(_ outcome: RunOutcome, input: Input, tools: Tools, segmentSeconds: Double = 0) throws(VidscanError) {
        let settings = outcome.settings
        var timings = outcome.written.timings
        timings.wallSeconds = segmentSeconds + outcome.wallSeconds
        self.init(
            input: input, pipeline: try RecordedSettings(settings.record), tools: tools, counts: outcome.counts,
            timings: timings, workers: outcome.times)
        if let decoded = outcome.decoded { add(decoded, filters: settings.filters) }
        workers = settings.detect.workers
        embeddings = outcome.written.embeddings.map(Embeddings.init(rows:))
        (parts, warnings, notices) = (outcome.segmentCount, outcome.warnings, outcome.notices)
    }
}

/// Makes what a result has besides its tables: a video, a page. The caller of an analysis supplies it, so that the
/// analysis itself needs no library for drawing or for templates.
package protocol ResultAddition: Sendable {
    /// Throws, before the work, if the additions that the settings request cannot be made. `resultPath`: the path of the
    /// result folder, which may have an earlier result.
    func check(_ settings: Settings, resultPath: String) throws

    /// Makes the additions in an unfinished folder, which has its tables and record, and the path `resultPath` when
    /// complete. `name`: the input's, for messages. Returns what became of people who were to stay visible, in words.
    func make(
        _ settings: Settings, in folder: String, resultPath: String, name: String, observer: any RunObserver
    ) async throws -> [String]
}

/// Completes a result whose tables are written: writes its record, has the video and the report page made if requested,
/// and removes the tables if they are not to stay. The result appears under its name only when all of that is done.
struct ResultFinalizer {
    let settings: Settings
    let observer: any RunObserver
    let addition: (any ResultAddition)?

    /// Throws before the analysis if the settings request files that cannot be made. Without `addition`, only tables can be.
    func check(resultPath: String) throws {
        if let addition { return try addition.check(settings, resultPath: resultPath) }
        try require(
            settings.rendering == nil && !settings.report.page, .output,
            "the settings request a video or a page, which only the command 'vidscan' makes", stage: .open)
    }

    /// Returns what became of people who were to stay visible, in words. `name`: the input's, for messages.
    func complete(_ folder: ResultFolder, record: RunRecord, name: String) async throws -> [String] {
        var record = record
        let notice = settings.rendering?.anonymize.map {
            IdentifyingFiles.notice(
                in: folder.partialPath, expected: settings.report.page ? ["report.html"] : [],
                keepsTables: settings.write.keepsTables, isInverted: $0.isInverted)
        }
        if let notice { record.notices.append(notice) }
        if settings.write.keepsTables, settings.write.formats.contains(.csv) {
            record.digests = try ResultFiles.digests(in: folder.partialPath)
        }
        try folder.write(record)
        let outcome =
            try await addition?.make(
                settings, in: folder.partialPath, resultPath: folder.finalPath, name: name, observer: observer) ?? []
        if !settings.write.keepsTables { try folder.removeTables() }
        if let previous = try folder.complete() { observer.warned(name, message: previous.notice(folder.finalPath)) }
        if let notice { observer.warned(name, message: notice) }
        return outcome
    }
}
