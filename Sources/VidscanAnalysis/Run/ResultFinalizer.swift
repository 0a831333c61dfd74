internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

/// Completes a result whose tables are written: writes its record, makes the video and the report page if requested, and
/// removes the tables if they are not to stay.
struct ResultFinalizer {
    let settings: Settings
    let observer: any RunObserver

    /// - Parameter name: The input's name, for messages.
    /// - Returns: What became of people who were to stay visible, in words.
    /// - Throws: `VidscanError`; the folder then remains unfinished.
    func complete(_ folder: ResultFolder, record: RunRecord, name: String) async throws -> [String] {
        var record = record
        var outcome: [String] = []
        var notice: String?
        if settings.render.namesSomebody {
            try EarlierPeople(resultPath: folder.finalPath, settings: settings.render).check(folder.partialPath)
        }
        if let anonymize = settings.rendering?.anonymize {
            let line = IdentifyingFiles.notice(
                in: folder.partialPath,
                expected: settings.report.page ? ["report.html"] : [],
                keepsTables: settings.write.keepsTables, isInverted: anonymize.isInverted)
            record.notices.append(line)
            notice = line
        }
        if settings.write.keepsTables, settings.write.formats.contains(.csv) {
            record.digests = try ResultFiles.digests(in: folder.partialPath)
        }
        try folder.write(record)
        if let rendering = settings.rendering {
            let summary = try await Rendering(options: rendering, observer: observer).run(
                resultPath: folder.partialPath, name: name, input: nil, outputPath: nil, replaces: false,
                isNew: true)
            if let hidden = summary.hidden { outcome.append(hidden) }
            if let visibility = summary.visibility { outcome.append(visibility.words) }
        }
        if settings.report.page {
            var page = Reporting.Options()
            page.hasThumbnails = settings.report.thumbnails
            page.limits = settings.sample.limits
            _ = try await Reporting(options: page).run(resultPath: folder.partialPath, replaces: false)
        }
        if !settings.write.keepsTables { try folder.removeTables() }
        if let previous = try folder.complete() { observer.warned(name, message: previous.notice(folder.finalPath)) }
        if let notice { observer.warned(name, message: notice) }
        return outcome
    }
}
