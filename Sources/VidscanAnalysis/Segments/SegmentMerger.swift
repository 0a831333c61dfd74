package import VidscanBase
internal import VidscanMedia
package import VidscanResults

/// Merges the segments of a video into the same tables, to the byte, that one run over the whole video makes.
///
/// Each segment holds the faces of its frames as they were detected and measured, and nothing that depends on
/// neighbouring frames: identities, shot changes and smoothed boxes are computed here. So segments need not overlap.
package struct SegmentMerger: Sendable {
    private let observer: any RunObserver
    private let addition: (any ResultAddition)?
    private let allowsFiles: Bool

    /// Without an addition, which makes the video and the page, segments whose settings request them are refused.
    /// `allowsFiles`: lets filters reach files, if the video is read again to find out who speaks.
    package init(observer: any RunObserver, addition: (any ResultAddition)? = nil, allowsFiles: Bool = false) {
        (self.observer, self.addition, self.allowsFiles) = (observer, addition, allowsFiles)
    }

    package struct SegmentSet: Sendable {
        /// At least one.
        fileprivate(set) var folders: [SegmentFolder]

        /// The video's path as the user wrote it.
        package var name: String { folders[0].record.name }
        /// The name of the result folder: `movie.mp4.vidscan`.
        package var resultName: String { folders[0].record.resultName }
    }

    /// Groups the folders of segments by video. Throws for the first folder that is not a segment.
    package static func sets(of paths: [String]) throws(VidscanError) -> [SegmentSet] {
        var sets: [SegmentSet] = []
        for path in paths {
            let folder = try SegmentFolder(path: path)
            let name = PathBytes(folder.record.resultName)
            if let place = sets.firstIndex(where: { PathBytes($0.resultName) == name }) {
                sets[place].folders.append(folder)
            } else {
                sets.append(SegmentSet(folders: [folder]))
            }
        }
        return sets
    }

    /// Merges all segments of one video, in any order. Throws if a segment is missing or if they do not belong together;
    /// no unfinished result remains. `command`: the command line for `run.json`, without segments.
    package func run(
        _ segments: SegmentSet, resultPath: String, replaces: Bool, command: [String]? = nil
    ) async throws -> RunOutcome {
        do {
            let begin = ContinuousClock.now
            let folders = try Self.complete(segments)
            let (first, settings) = (folders[0], folders[0].settings)
            let finalizer = ResultFinalizer(settings: settings, observer: observer, addition: addition)
            try finalizer.check(resultPath: resultPath)
            let folder = try ResultFolder(finalPath: resultPath, policy: replaces ? .replace : .keep)
            defer { folder.discardUnlessComplete() }
            let folderPath = folder.partialPath
            var outcome = try await BlockingWork.run(thread: "join", input: segments.name) { _ in
                try await join(folders, settings, into: folderPath)
            }
            try outcome.requireSamples()
            for warning in outcome.warnings + Self.differences(of: folders) {
                observer.warned(segments.name, message: warning)
            }
            (outcome.resultPath, outcome.wallSeconds) = (resultPath, begin.duration(to: .now) / .seconds(1))
            outcome.segmentCount = folders.count
            var record = try RunRecord(
                outcome, input: first.record.input, tools: first.record.tools,
                segmentSeconds: folders.reduce(0) { $0 + $1.record.wallSeconds })
            record.started = folders.compactMap(\.record.started).min()
            record.command = command.map { $0 + folders.map(\.name) }
            if Set(folders.map(\.record.processor)).count == 1 { record.processor = first.record.processor }
            outcome.visibility = try await finalizer.complete(folder, record: record, name: segments.name)
            return outcome
        } catch { throw Analysis.describe(error, input: (error as? VidscanError)?.input ?? segments.name) }
    }

    private func join(
        _ folders: [SegmentFolder], _ settings: Settings, into folderPath: String
    ) async throws -> RunOutcome {
        var decoded = folders[0].record.decoded
        for folder in folders.dropFirst() { decoded.join(folder.record.decoded) }
        decoded.isWholeVideo = settings.sample.start == nil && settings.sample.end == nil
        let name = folders[0].record.name
        try require(
            decoded.statistics.framesDecoded > 0 || settings.sample.start != nil, .media(.undecodable),
            "no frame of any segment could be decoded", input: name, stage: .decode)
        for folder in folders { try folder.verify() }
        if settings.speech, try RunRecord.Input(InputFile(folders[0].record.input.path)) != folders[0].record.input {
            throw VidscanError.result(
                "\(folders[0].record.input.path) has changed since its segments were analysed, so that nobody can"
                    + " hear who speaks in them; analyse it again", input: name)
        }
        observer.opened(name, info: decoded.info)
        var reading = settings
        // Finding out who speaks reads the video again. Permission for a segment's filters does not carry over.
        reading.filters = try settings.filters.map {
            settings.speech ? try FilterChain(steps: $0.steps, allowsFiles: allowsFiles) : $0
        }
        let sink = try TableBuilder(
            folderPath: folderPath, input: folders[0].record.input.path, settings: reading,
            blendshapeNames: folders[0].record.blendshapeNames, models: { try Self.models(of: folders[0]) })
        var progress = RunProgress(microseconds: 0, frames: 0, faces: 0)
        var last: Int64?
        for folder in folders {
            try folder.read { frame in
                try Task.checkCancellation()
                try require(
                    frame.microseconds >= last ?? frame.microseconds, .result,
                    "is damaged: its times decrease; analyse the segment again", input: folder.name, stage: .open,
                    microseconds: frame.microseconds)
                last = frame.microseconds
                try sink.add(frame)
                progress.add(frame)
                observer.progressed(progress)
            }
        }
        var outcome = RunOutcome(input: name, settings: settings, decoded: decoded, written: try await sink.finish())
        for folder in folders { outcome.times.add(folder.record.times) }
        return outcome
    }

    private static func models(of segment: SegmentFolder) throws(VidscanError) -> ModelStore {
        let models = try ModelStore()
        try require(
            models.digests() == segment.record.tools.models, .result,
            "was made with other models than those installed here", input: segment.name)
        return models
    }

    /// - Returns: The segments in order, each of them once.
    private static func complete(_ segments: SegmentSet) throws(VidscanError) -> [SegmentFolder] {
        var byIndex: [Int: SegmentFolder] = [:]
        let first = segments.folders[0]
        for segment in segments.folders {
            if let difference = segment.difference(from: first) {
                throw .result("does not belong to \(first.name): it \(difference)", input: segment.name)
            }
            if let other = byIndex.updateValue(segment, forKey: segment.record.segment.index) {
                throw .result("is segment \(segment.record.segment), as \(other.name) is", input: segment.name)
            }
        }
        let count = first.record.segment.count
        let missing = (0..<count).filter { byIndex[$0] == nil }
        guard missing.isEmpty else {
            let list =
                missing.prefix(20).map { "\($0)/\(count)" }.joined(separator: ", ")
                + (missing.count > 20 ? " and \(missing.count - 20) more" : "")
            throw .result(
                "\(missing.count == 1 ? "segment \(list) is" : "segments \(list) are") missing", input: segments.name)
        }
        return byIndex.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns warnings about version differences that may change the last digits of numbers.
    private static func differences(of folders: [SegmentFolder]) -> [String] {
        let tools = folders.map(\.record.tools)
        return [("FFmpeg", \Tools.ffmpegVersion), ("OpenVINO", \Tools.openvinoVersion)].compactMap { name, path in
            let versions = Set(tools.map { $0[keyPath: path] }).sorted()
            return versions.count > 1
                ? "the segments were made with different versions of \(name): \(versions.joined(separator: "; "))" : nil
        }
    }
}

/// A folder with a segment of a video that an earlier run has written.
struct SegmentFolder {
    let name: String
    let record: SegmentRecord
    let settings: Settings

    private struct File: Decodable { var part: SegmentRecord }

    /// - Throws: `VidscanError` if the folder is not a segment, or was made by another version.
    init(path: String) throws(VidscanError) {
        name = path
        let file = "\(path)/\(ResultFolder.Kind.segment.record)"
        try require(
            FileSystem.entry(file) != nil, .result,
            "is not a segment made by 'vidscan analyze --segment': it has no part.json", input: path)
        do throws(VidscanError) {
            record = try RecordFile.decode(File.self, folder: path, name: ResultFolder.Kind.segment.record).part
            try record.check()
        } catch { throw .result(error.reason, input: path) }
        do {
            // The filters have already run, and nothing runs them again.
            settings = try ResolvedSettings(workers: 1, file: PipelineFile(path: file, filters: .keep)).settings
        } catch { throw .result("its part.json cannot be read by this version: \(error)", input: path) }
        try require(
            record.tools.vidscanVersion == Vidscan.version, .result,
            "was made by vidscan \(record.tools.vidscanVersion); this is \(Vidscan.version)", input: path)
    }

    /// Returns in words why two segments cannot be merged; `nil` if they can.
    func difference(from other: SegmentFolder) -> String? {
        let (own, its) = (record, other.record)
        // Copies on other machines may have other modification times.
        let isSameVideo = own.input.bytes == its.input.bytes && own.decoded.info == its.decoded.info
        if !isSameVideo || own.resultName != its.resultName { return "is from another video" }
        if own.segment.count != its.segment.count {
            return "is one of \(own.segment.count) segments, not of \(its.segment.count)"
        }
        if settings != other.settings { return "was made with other settings" }
        if own.tools.models != its.tools.models || own.blendshapeNames != its.blendshapeNames {
            return "was made with other models"
        }
        return nil
    }

    /// Checks that the faces are unchanged since they were written.
    func verify() throws(VidscanError) {
        let file = ResultFiles.record
        let failure = { (reason: String) in
            VidscanError.result("\(file) \(reason); analyse the segment again", input: name)
        }
        let found: String
        do throws(MediaError) { found = try FileDigest.sha256(path: "\(name)/\(file)") } catch {
            throw error.code == .cancelled ? VidscanError(.interrupted, error.message) : failure("cannot be read")
        }
        guard found == record.digests[file] else {
            throw failure("has changed since it was written: its SHA-256 differs from part.json")
        }
    }

    /// Passes all frames to `body`, in time order. Throws if frames are missing.
    func read(_ body: (FrameRecord) throws -> Void) throws {
        let frames = try FrameRecordReader(path: "\(name)/\(ResultFiles.record)", readsCrops: true)
        let layout = frames.header.layout
        try require(
            layout.hasEvidence && layout.hasSignatures && layout.blendshapeCount == record.blendshapeNames.count,
            .result, "its \(ResultFiles.record) is not that of a segment; analyse the segment again", input: name)
        var count = 0
        while let frame = try frames.next() {
            try body(frame)
            count += 1
        }
        try require(
            count == record.frames, .result,
            "is damaged: it has \(count) of \(record.frames) frames; analyse the segment again", input: name)
    }
}
