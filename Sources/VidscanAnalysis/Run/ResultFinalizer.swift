internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

/// What follows once a result's tables are there: its record, and whatever else is to be made of them.
struct ResultFinalizer {
    let settings: Settings
    let observer: any RunObserver

    /// - Parameters:
    ///   - name: of the input, for messages.
    /// - Throws: `VidscanError`; the folder is not complete then.
    func complete(_ folder: ResultFolder, record: RunRecord, name: String) async throws {
        var record = record
        var notice: String?
        if settings.render.anonymize != nil {
            let line = IdentifyingFiles.notice(
                in: folder.partialPath, expected: settings.report.page ? ["report.html"] : [])
            record.notices.append(line)
            notice = line
        }
        try folder.write(record)
        if let rendering = settings.rendering {
            _ = try await Rendering(options: rendering, observer: observer).run(
                resultPath: folder.partialPath, name: name, input: nil, outputPath: nil, replaces: false)
        }
        if settings.report.page {
            var page = Reporting.Options()
            page.hasThumbnails = settings.report.thumbnails
            page.limits = settings.sample.limits
            _ = try await Reporting(options: page).run(resultPath: folder.partialPath, replaces: false)
        }
        try folder.complete()
        if let notice { observer.warned(name, message: notice) }
    }
}
