internal import Foundation
package import VidscanBase

package struct StoredResult {
    /// As the user wrote it.
    package let name: String
    package let record: RunRecord

    package init(path: String) throws(VidscanError) {
        name = path
        for folder in [path, FilePath.folder(of: FilePath.absolute(path))].compactMap({ try? Folder($0) }) {
            WorkingItem.removeLeftovers(in: folder)
        }
        let failure = { (reason: String) in VidscanError.result(reason, input: path) }
        guard ResultFinder.isResult(path) else { throw failure("is not a vidscan result: it has no run.json") }
        do throws(VidscanError) {
            record = try RecordFile.decode(RunRecord.self, folder: path, name: "run.json")
            try record.check()
        } catch {
            throw failure(error.reason)
        }
        for table in ["faces.csv", "frames.csv", "events.csv"]
        where !FileManager.default.isReadableFile(atPath: path + "/" + table) {
            throw failure(
                record.pipeline.write?.tables == false
                    ? "has no \(table), because --anonymize alone keeps no tables; analyse the video again with --tables"
                    : "has no \(table); analyse the video with --format csv")
        }
    }

    /// Finds the video from which the result was made, at `override` if given. `acceptsChanges` allows another size or
    /// modification time; `acceptsCopies` allows another modification time at `override`.
    package func source(
        override: String?, acceptsChanges: Bool, acceptsCopies: Bool = true
    ) throws(VidscanError) -> InputFile {
        let path = override ?? record.input.path
        let file: InputFile
        do { file = try InputFile(path) } catch {
            let hint = override == nil ? "; if it has moved, name it with --input" : ""
            throw VidscanError(error.code, "its video \(path): \(error.reason)\(hint)", input: name, stage: .open)
        }
        // A copy may have another modification time.
        let isSameDate = (override != nil && acceptsCopies) || abs(file.modified - record.input.modified) < 1e-3
        guard acceptsChanges || (file.bytes == record.input.bytes && isSameDate) else {
            let what = file.bytes == record.input.bytes ? "its date" : "its size"
            throw VidscanError(
                .changed,
                "the video \(path) has changed since it was analysed (\(what)); analyse it again"
                    + (acceptsCopies ? ", or accept it with --changed-source" : ""), input: name, stage: .open)
        }
        return file
    }

    /// Whether a video in which faces are hidden was made from this result.
    package var hidesFaces: Bool { record.pipeline.render?.anonymize != nil || videoWithHiddenFaces != nil }

    /// Also finds a picture in which faces are hidden.
    package var videoWithHiddenFaces: String? { Self.videosWithHiddenFaces(in: name).first }

    /// Works for any folder, also of a result without tables.
    package static func videosWithHiddenFaces(in folder: String) -> [String] {
        ResultFiles.mediaEndings.map { "\(folder)/anonymized.\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// The record of the video with hidden faces; `nil` if it is missing, unreadable, or may belong to another video.
    package var hiding: (isInverted: Bool, keepsNobody: Bool)? { Self.hiding(in: name) }

    static func hiding(in folder: String) -> (isInverted: Bool, keepsNobody: Bool)? {
        struct Record: Decodable {
            struct Visible: Decodable {}
            let invert: Bool
            let visible: Visible?
        }
        guard videosWithHiddenFaces(in: folder).count < 2,
            let record = try? RecordFile.decode(Record.self, folder: folder, name: "anonymized.json")
        else { return nil }
        return (record.invert, record.visible == nil)
    }

    /// Returns the map from positions in the tables to positions in the video, which filters may have moved; `nil` if
    /// nothing moved. Throws if the map is not known.
    package func mapToSource() throws(VidscanError) -> VidscanBase.AffineTransform? {
        guard let filters = record.filters else { return nil }
        guard let map = filters.toSource else {
            throw .result(
                "was analysed with filters whose effect on positions is unknown: \(filters.chain)", input: name)
        }
        return map == .identity ? nil : map
    }
}

extension RunRecord {
    /// Throws if a number is one that no run writes.
    func check() throws(VidscanError) {
        let check = RecordCheck(file: ResultFolder.Kind.result.record)
        try check.integer(input.bytes, "input.bytes", in: ReadLimits.counts)
        try check.number(input.modified, "input.modified", in: ReadLimits.seconds)
        try check.number(pipeline.detect.minFace, "pipeline.detect.min_face", in: ReadLimits.extents)
        try check.map(filters?.toSource, "filters.to_source")
        try check.integer(video.stream, "video.stream", in: 0...Int(Int32.max))
        try check.number(video.durationSeconds, "video.duration_seconds", in: ReadLimits.seconds)
        try check.number(video.containerStartSeconds, "video.container_start_seconds", in: ReadLimits.seconds)
        try check.integer(video.displayWidth, "video.display_width", in: ReadLimits.sides)
        try check.integer(video.displayHeight, "video.display_height", in: ReadLimits.sides)
        try check.counts("embeddings", ["rows": embeddings?.rows ?? 0])
        try check.number(timings.wallSeconds, "timings.wall_seconds", in: ReadLimits.durations)
        try check.counts(
            "counts",
            [
                "sampled_frames": counts.sampledFrames, "faces": counts.faces, "face_ids": counts.faceIds,
                "person_ids": counts.personIds, "hard_cuts": counts.hardCuts, "gradual_cuts": counts.gradualCuts,
                "damaged_frames_or_packets": counts.damagedFramesOrPackets,
            ])
        try corrections?.check(check)
    }
}

/// Finds results by path, or at any depth below a folder.
///
/// Ignores hidden folders, because unfinished results have hidden names, and results that were set aside. Does not
/// follow links to folders, so that there are no cycles.
package enum ResultFinder {
    /// Returns the sorted absolute paths of the results at or below `path`, at least one.
    package static func find(_ path: String) throws(VidscanError) -> [String] {
        let root = FilePath.absolute(FilePath.expandingHome(path))
        if isResult(root) { return [root] }
        var results: [String] = []
        var pending = [root]
        while let folder = pending.popLast() {
            let place = folder == root ? "" : " \(folder)"
            let names = try VidscanError.reading(
                "cannot read the folder\(place)", input: path, try FileSystem.names(in: folder))
            for bytes in names where bytes.first != UInt8(ascii: ".") {
                // No table can name a result whose name is not text.
                guard let name = String(validating: bytes, as: UTF8.self), !ResultPaths.isPrevious(name) else {
                    continue
                }
                let inner = FilePath.joining(folder, name)
                guard FileSystem.entry(inner, followsLinks: false) == .folder else { continue }
                if isResult(inner) { results.append(inner) } else { pending.append(inner) }
            }
        }
        guard !results.isEmpty else {
            throw .result("is not a vidscan result and contains none: there is no run.json", input: path)
        }
        return results.sorted { PathBytes($0) < PathBytes($1) }
    }

    package static func isResult(_ folder: String) -> Bool { FileSystem.entry(folder + "/run.json") != nil }
}
