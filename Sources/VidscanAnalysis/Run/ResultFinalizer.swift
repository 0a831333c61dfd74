internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

/// Completes a result whose tables are written: writes its record, then makes the video and the report page if
/// requested.
struct ResultFinalizer {
    let settings: Settings
    let observer: any RunObserver

    /// - Parameter name: The input's name, for messages.
    /// - Throws: `VidscanError`; the folder then remains unfinished.
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
        let hasCorrections = try folder.keepCorrections()
        try folder.complete()
        if hasCorrections {
            observer.warned(
                name,
                message: "the corrections of the result that was replaced are not applied to the new one; they are in"
                    + " \(ResultFiles.corrections) of the result, for 'vidscan apply'")
        }
        if let notice { observer.warned(name, message: notice) }
    }
}
