internal import Foundation
internal import VidscanCore

/// A part of a video, as an earlier run has left it.
struct PartFolder {
    /// As the user named it.
    let name: String
    let record: PartRecord
    let options: AnalysisOptions

    private struct File: Decodable {
        var part: PartRecord
    }

    /// - Throws: `PipelineError` when it is no part, or was made by another version.
    init(path: String) throws(PipelineError) {
        name = path
        let failure = { (reason: String) in PipelineError(.result, reason, input: path, stage: .open) }
        let file = "\(path)/\(ResultFolder.Kind.part.record)"
        guard let data = FileManager.default.contents(atPath: file) else {
            throw failure("is no part that 'vidscan analyze --segment' has made: it has no part.json")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            record = try decoder.decode(File.self, from: data).part
            // Its filters have run, and run no more.
            options = try ResolvedConfiguration(
                workers: 1, file: PipelineFile(path: file, filters: .keep)
            ).configuration.analysis
        } catch {
            throw failure("its part.json cannot be read as a part of this version")
        }
        guard record.tools.vidscanVersion == Vidscan.version, record.faceBytes == layout.faceBytes else {
            throw failure("was made by vidscan \(record.tools.vidscanVersion); this is \(Vidscan.version)")
        }
    }

    private var layout: SpoolLayout { SpoolLayout(options, blendshapeNames: record.blendshapeNames) }

    /// Why it cannot be joined with another part, in words; `nil` when it can.
    func difference(from other: PartFolder) -> String? {
        let (own, its) = (record, other.record)
        // Copies on other machines have other dates.
        let isSameVideo = own.input.bytes == its.input.bytes && own.decoded.info == its.decoded.info
        if !isSameVideo || own.resultName != its.resultName { return "another video" }
        if own.segment.count != its.segment.count { return "one of \(own.segment.count), not of \(its.segment.count)" }
        if options != other.options { return "made with other settings" }
        if own.tools.models != its.tools.models || own.blendshapeNames != its.blendshapeNames {
            return "made with other models"
        }
        return nil
    }

    /// Hands on all its frames, in the order of time.
    ///
    /// - Throws: `PipelineError` when they are not all there.
    func read(_ body: (FrameRecord, FrameSignature) throws -> Void) throws {
        let frames = try FrameSpoolReader(path: "\(name)/\(PartRecord.framesFile)", layout: layout)
        let signatures = try SignatureSpoolReader(path: "\(name)/\(PartRecord.signaturesFile)")
        var count = 0
        while let frame = try frames.next(), let signature = try signatures.next() {
            try body(frame, signature)
            count += 1
        }
        guard count == record.frames else {
            throw PipelineError(
                .result, "is damaged: it has \(count) of its \(record.frames) frames; analyse the part again",
                input: name, stage: .open)
        }
    }
}
