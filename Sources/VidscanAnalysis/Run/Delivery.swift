internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

/// What follows once a result's tables are there: its record, and whatever else is to be made of them.
struct Delivery {
    let options: AnalysisOptions
    let observer: any RunObserver

    /// - Parameters:
    ///   - name: of the input, for messages.
    /// - Throws: `VidscanError`; the folder is not complete then.
    func complete(_ folder: ResultFolder, record: RunRecord, name: String) async throws {
        var record = record
        var notice: String?
        if options.render.anonymize != nil {
            let line = IdentifyingFiles.notice(
                in: folder.partialPath, expected: options.report.isWanted ? ["report.html"] : [])
            record.notices.append(line)
            notice = line
        }
        try folder.write(record)
        if let rendering = options.rendering {
            _ = try await Rendering(options: rendering, observer: observer).run(
                resultPath: folder.partialPath, name: name, input: nil, outputPath: nil, replaces: false)
        }
        if options.report.isWanted {
            var page = Reporting.Options()
            page.hasThumbnails = options.report.hasThumbnails
            page.limits = options.limits
            _ = try await Reporting(options: page).run(resultPath: folder.partialPath, replaces: false)
        }
        try folder.complete()
        if let notice { observer.warned(name, message: notice) }
    }
}
