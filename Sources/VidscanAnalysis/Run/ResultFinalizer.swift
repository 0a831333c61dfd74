internal import VidscanBase
package import VidscanResults

/// Makes what a result has besides its tables: a video, a page. The caller of an analysis supplies it, so that the
/// analysis itself needs no library for drawing or for templates.
package protocol ResultAddition: Sendable {
    /// Throws, before the work, if the additions that the settings request cannot be made. `resultPath`: the path of the
    /// result folder, which may have an earlier result.
    func check(_ settings: Settings, resultPath: String) throws

    /// Makes the additions in an unfinished folder, which has its tables and its record, and gets the path `resultPath`
    /// when it is complete. `name`: the input's, for messages. Returns what became of people who were to stay visible,
    /// in words.
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

    /// Throws if the result could not be completed, whatever the video has: without `addition`, only tables can.
    func check(resultPath: String) throws {
        if let addition {
            try addition.check(settings, resultPath: resultPath)
        } else if settings.rendering != nil || settings.report.page {
            throw VidscanError(
                .output, "the settings request a video or a page, which only the command 'vidscan' makes", stage: .open)
        }
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
