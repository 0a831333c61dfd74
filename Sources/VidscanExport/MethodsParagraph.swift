package import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// How a result was made and how much of each person it measured, for the methods section of a paper.
package enum MethodsParagraph {
    /// Returns one paragraph, which names no video. Throws if the result is damaged.
    package static func text(resultPath: String) throws(VidscanError) -> String {
        let record = try StoredResult(path: resultPath).record
        let (pipeline, video) = (record.pipeline, record.video)
        let samples = try SampleTimes(folder: resultPath, mayBeEmpty: true)
        // At a rate above the video's, each of its frames is a sample.
        let isEvery = samples.count > 1 && samples.frames[samples.count - 1] - samples.frames[0] < samples.count
        let rate =
            isEvery || pipeline.sample.rate == .everyFrame ? "every frame" : "\(pipeline.sample.rate) frames per second"
        let end = pipeline.sample.end.flatMap { $0 < video.durationSeconds ?? .infinity ? $0 : nil }
        let (first, last) = (pipeline.sample.start.map(NumberText.plain), end.map(NumberText.plain))
        let window = (first.map { " from \($0) s" } ?? "") + (last.map { " to \($0) s" } ?? (first == nil ? "" : " on"))
        let counts = record.corrections?.counts ?? [:]
        let frames = record.counts.sampledFrames + counts["frames_removed", default: 0]
        let size = video.displayWidth.flatMap { width in video.displayHeight.map { "\(width) × \($0) pixels" } }
        let length = video.durationSeconds.map { "\(NumberText.fixed($0, decimals: 1)) s" }
        let facts = [size, length, record.input.sha256.map { "SHA-256 \($0)" }].compactMap(\.self)
        let list =
            facts.joined(separator: ", ")
            + (record.filters.map { "; the size is that after the filters \($0.chain)" } ?? "")
        let sampling =
            frames == 1 && video.format.hasSuffix("_pipe")
            ? "The picture (\(list)) was analysed"
            : "The video (\(list)) was sampled\(window) at \(rate): \(NumberText.count(frames, "frame"))"
        let models = [
            pipeline.track.person == true ? "face embeddings of Intel's retail-0095 tell people apart" : nil,
            pipeline.speech == true && record.counts.framesWithSound != 0
                ? "LR-ASD (Liao et al. 2025) and Silero VAD tell who speaks" : nil,
        ].compactMap { $0.map { "; \($0)" } }.joined()
        let coverage = try Self.coverage(of: resultPath, names: record.corrections?.people ?? [:])
        let place = [record.started.map { " on \($0.prefix(10))" }, record.processor.map { " on \($0)" }]
        return """
            Faces were measured with vidscan \(record.vidscanVersion)\(place.compactMap(\.self).joined()). \
            \(sampling). \
            Faces were detected with CenterFace (Xu et al. 2019; accuracy \(pipeline.detect.accuracy.rawValue), \
            \(pipeline.detect.faces.rawValue) faces), and fitted with MediaPipe's attention mesh of 478 points \
            (Grishchenko et al. 2020), from which head pose, gaze, expressions and action units follow; emotions also use \
            a network trained on FER+ (Barsoum et al. 2016)\(models). \(corrected(counts))\(coverage)\
            Scores say how likely an expression is visible, not what somebody feels; their agreement with labels and their \
            limits were measured by the authors of vidscan (docs/measurements.md, docs/expressions.md). All settings, the \
            SHA-256 of each model and the corrections, if any, are in run.json.
            """
    }

    /// Returns a sentence with a space at its end; nothing if the corrections changed no table.
    private static func corrected(_ counts: [String: Int]) -> String {
        let nouns: KeyValuePairs = [
            "split": "split", "same_person": "join", "different_people": "separation", "not_a_face": "removed face",
            "exclude": "excluded range", "frames_removed": "excluded frame", "faces_removed": "removed detection",
        ]
        let changes = nouns.filter { counts[$0.key] ?? 0 > 0 }.map { NumberText.count(counts[$0.key] ?? 0, $0.value) }
        return changes.isEmpty ? "" : "The tables were corrected by hand: \(changes.joined(separator: ", ")). "
    }

    /// Returns a sentence with a space at its end; nothing if it is not known.
    private static func coverage(of result: String, names: [Int: String]) throws(VidscanError) -> String {
        let people = try QualityRow.read(result).compactMap { row -> String? in
            guard let measured = row.measuredFraction, let whole = row.wholeFraction else { return nil }
            let percents = [measured, whole].map { NumberText.fixed(100 * $0, decimals: 0) }
            return "\(names[row.personID] ?? "person \(row.personID)") \(percents[0]) % of"
                + " \(NumberText.fixed(row.visibleSeconds, decimals: 1)) s"
                + (percents[1] == percents[0] ? "" : " (emotions, which need the whole face, in \(percents[1]) %)")
        }
        guard !people.isEmpty else { return "" }
        return "Expressions were measured in this fraction of the time in sight: \(people.joined(separator: ", ")). "
    }
}
