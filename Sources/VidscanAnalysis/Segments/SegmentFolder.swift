internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// A folder with a segment of a video that an earlier run has written.
struct SegmentFolder {
    /// The path as the user wrote it.
    let name: String
    let record: SegmentRecord
    let settings: Settings

    private struct File: Decodable { var part: SegmentRecord }

    /// - Throws: `VidscanError` if the folder is not a segment, or was made by another version.
    init(path: String) throws(VidscanError) {
        name = path
        let failure = { (reason: String) in VidscanError.result(reason, input: path) }
        let file = "\(path)/\(ResultFolder.Kind.segment.record)"
        guard FileManager.default.fileExists(atPath: file) else {
            throw failure("is not a segment made by 'vidscan analyze --segment': it has no part.json")
        }
        do throws(VidscanError) {
            record = try RecordFile.decode(File.self, folder: path, name: ResultFolder.Kind.segment.record).part
            try record.check()
        } catch {
            throw failure(error.reason)
        }
        do {
            // The filters have already run, and nothing runs them again.
            settings = try ResolvedSettings(workers: 1, file: PipelineFile(path: file, filters: .keep)).settings
        } catch {
            throw failure("its part.json cannot be read by this version")
        }
        guard record.tools.vidscanVersion == Vidscan.version else {
            throw failure("was made by vidscan \(record.tools.vidscanVersion); this is \(Vidscan.version)")
        }
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
        guard let found = try? FileDigest.sha256(path: "\(name)/\(file)") else { throw failure("cannot be read") }
        guard found == record.digests[file] else {
            throw failure("has changed since it was written: its SHA-256 differs from part.json")
        }
    }

    /// Passes all frames to `body`, in time order. Throws if frames are missing.
    func read(_ body: (FrameRecord) throws -> Void) throws {
        let frames = try FrameRecordReader(folder: name, name: ResultFiles.record, readsCrops: true)
        let layout = frames.header.layout
        guard layout.hasEvidence, layout.hasSignatures, layout.blendshapeCount == record.blendshapeNames.count else {
            throw VidscanError.result(
                "its \(ResultFiles.record) is not that of a segment; analyse the segment again", input: name)
        }
        var count = 0
        while let frame = try frames.next() {
            try body(frame)
            count += 1
        }
        guard count == record.frames else {
            throw VidscanError.result(
                "is damaged: it has \(count) of \(record.frames) frames; analyse the segment again", input: name)
        }
    }
}
