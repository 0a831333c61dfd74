internal import VidscanBase
package import VidscanResults

/// Applies the corrections of a person to the tables of a result.
///
/// The tables as the analysis wrote them stay in the folder `original` of the result. Corrections always apply to these,
/// so that applying twice is applying once, and `undo` gives back every byte.
package struct Corrector: Sendable {
    package struct Options: Sendable {
        /// The path of a corrected copy; `nil` corrects the result itself.
        package var output: String?
        /// Whether an existing result at the output may be replaced, and edited tables of a corrected result.
        package var replaces = false
        package var isDryRun = false

        package init() {}
    }

    package struct Summary: Sendable {
        /// What each correction does, in words, in the order of the file.
        package var effects: [String] = []
        /// The numbers of rows, tracks and people in the corrected tables.
        package var faces = 0, faceIDs = 0, personIDs = 0
        package var path = ""
        /// Files of the result that may show its tables as they were before.
        package var outdated: [String] = []
    }

    private let options: Options
    private let model: RecordedModel

    /// `model` is called only if anybody in the video has resting levels.
    package init(options: Options = Options(), model: @escaping RecordedModel) {
        (self.options, self.model) = (options, model)
    }

    /// Applies a file of corrections to a result, in place of those that were applied before. Throws a `VidscanError`
    /// that names the correction that does not fit, and changes nothing then. Cancelling throws the code `interrupted`.
    package func apply(_ file: String, to resultPath: String) async throws -> Summary {
        try await BlockingWork.run(thread: "apply", input: resultPath) { _ in try await apply(file, resultPath) }
    }

    /// Gives back the files as the analysis wrote them. Throws if nothing was corrected, or if the originals are not there.
    package func undo(_ resultPath: String) async throws -> Summary {
        try await BlockingWork.run(thread: "apply", input: resultPath) { _ in try undo(resultPath) }
    }

    private func apply(_ path: String, _ resultPath: String) async throws -> Summary {
        let file = try CorrectionFile(path: path)
        let result = try StoredResult(path: resultPath)
        let lock = try FolderContents.lock(resultPath)
        defer { withExtendedLifetime(lock) {} }
        let source = try result.analysed()
        let record = source.record
        try source.checkRecord()
        try require(
            record.input.bytes == file.video.bytes, .result,
            "the corrections \(path) are for the video \(Printable.line(file.video.name)) of \(file.video.bytes) bytes,"
                + " but the result is of \(FilePath.name(of: record.input.path)) with \(record.input.bytes) bytes",
            input: resultPath)
        var tracks = CorrectedTracks(
            try SampleTable(folder: source.name),
            map: file.corrections.contains(where: \.namesFaces) ? try source.mapToSource() : nil,
            durationMicroseconds: record.video.durationSeconds.map { Int64(($0 * 1e6).rounded()) })
        var summary = Summary()
        do throws(VidscanError) {
            for correction in file.corrections { summary.effects.append(try tracks.apply(correction)) }
            try tracks.finish()
        } catch {
            let done = summary.effects.count
            let place = done < file.kinds.count ? "correction \(done + 1) (\(file.kinds[done].rawValue)) of " : ""
            throw VidscanError.result(
                "\(place)\(path) does not fit: \(Printable.line(error.reason)); nothing was changed", input: resultPath)
        }
        if options.output == nil { try requireUnedited(result) }
        summary.path = resultPath
        if options.isDryRun { return summary }
        try await write(file, tracks, source: source, result: resultPath, previous: result.record.corrections, &summary)
        return summary
    }

    private func write(
        _ file: CorrectionFile, _ tracks: CorrectedTracks, source: StoredResult, result: String,
        previous: AppliedCorrections?, _ summary: inout Summary
    ) async throws {
        // The folder is replaced, not a link to it.
        let path = FilePath.resolved(result)
        let output = options.output.map { FilePath.resolved(FilePath.expandingHome($0)) }
        try require(
            output.map { !"\($0)/".hasPrefix("\(path)/") } ?? true, .exists,
            "--output names the result itself or lies in it; without it, the result is corrected in place",
            input: result, stage: .write)
        let folder = try ResultFolder(
            finalPath: output ?? path, policy: output == nil ? .absorb : options.replaces ? .replace : .keep)
        defer { folder.discardUnlessComplete() }
        let corrected = CorrectedResult(source: source, tracks: tracks, model: model)
        let counts = try await corrected.writeTables(to: folder.partialPath)
        let originals = "\(folder.partialPath)/\(ResultFiles.originals)"
        try FolderContents.makeFolder(originals)
        for name in ResultFiles.corrected where FolderContents.exists("\(source.name)/\(name)") {
            let (old, new) = ("\(source.name)/\(name)", "\(originals)/\(name)")
            // A copy must not change with the result.
            if output == nil { try FolderContents.take(old, to: new) } else { try FolderContents.copy(old, to: new) }
        }
        try AtomicFile.write(file.text, to: "\(originals)/\(ResultFiles.corrections)")
        let made = output == nil ? try carryOver(path, to: folder) : []
        let applied = AppliedCorrections(
            file: FilePath.name(of: file.path), text: file.text, list: file.list, kinds: file.kinds,
            people: tracks.names, next: [tracks.nextFaceID, tracks.nextPersonID], excluded: tracks.excluded,
            decided: tracks.decided, facesRemoved: tracks.samples.rows.count - counts.pass.faces,
            framesRemoved: tracks.samples.frames.count - counts.outcome.sampleCount)
        try folder.write(try corrected.record(counts, applied, tables: folder.partialPath))
        try folder.complete()
        if previous?.sha256 != applied.sha256 { summary.outdated = made }
        summary.path = folder.finalPath
        let pass = counts.pass
        (summary.faces, summary.faceIDs, summary.personIDs) = (pass.faces, pass.faceIDs, pass.personIDs)
    }

    /// The first correction keeps the tables that it replaces, and with them what somebody has edited.
    private func requireUnedited(_ result: StoredResult) throws(VidscanError) {
        let originals = "\(result.name)/\(ResultFiles.originals)"
        let own = Set(ResultFiles.corrected + [ResultFiles.corrections])
        let names = FileSystem.entry(originals) == nil ? [] : try FolderContents.names(originals)
        if let name = names.first(where: { !own.contains($0) }) {
            throw VidscanError(.exists, "\(originals)/\(name) would be lost; move it away", stage: .write)
        }
        guard !options.replaces, result.record.corrections != nil, let folder = try? Folder(result.name) else { return }
        let edited = Set(ResultContents.edited(in: folder, record: ResultFolder.Kind.result.record)).intersection(
            ResultFiles.corrected)
        // A digest that was interrupted is unknown.
        try require(!Task.isCancelled, .interrupted, "interrupted")
        guard let name = edited.filter({ folder.entry($0) != nil }).min() else { return }
        throw VidscanError(
            .changed, "somebody has edited \(name), which would be lost; --force replaces it",
            input: result.name, stage: .write)
    }

    /// Takes over the files that no analysis writes, such as videos and exports. Returns those made from the tables.
    private func carryOver(_ result: String, to folder: ResultFolder) throws(VidscanError) -> [String] {
        var made: [String] = []
        let known = Set(ResultFiles.corrected + [ResultFiles.originals])
        for name in try FolderContents.names(result) where !known.contains(name) {
            try FolderContents.take("\(result)/\(name)", to: "\(folder.partialPath)/\(name)")
            let isMadeFromTables =
                [ResultFiles.dyads, "report.html"].contains(name)
                || ["overlay.", "anonymized.", "inverted."].contains { name.hasPrefix($0) && !name.hasSuffix(".json") }
            if isMadeFromTables { made.append(name) }
        }
        return made
    }

    private func undo(_ resultPath: String) throws(VidscanError) -> Summary {
        let result = try StoredResult(path: resultPath)
        let lock = try FolderContents.lock(resultPath)
        defer { withExtendedLifetime(lock) {} }
        guard result.record.corrections != nil else { throw .result("has no corrections to undo", input: resultPath) }
        try requireUnedited(result)
        let source = try result.analysed()
        let path = FilePath.resolved(resultPath)
        let folder = try ResultFolder(finalPath: path, policy: .absorb)
        var summary = Summary()
        summary.outdated = try carryOver(path, to: folder)
        for name in ResultFiles.corrected where FolderContents.exists("\(source.name)/\(name)") {
            try FolderContents.take("\(source.name)/\(name)", to: "\(folder.partialPath)/\(name)")
        }
        try folder.complete()
        summary.path = path
        let counts = source.record.counts
        (summary.faces, summary.faceIDs, summary.personIDs) = (counts.faces, counts.faceIds, counts.personIds)
        return summary
    }
}
