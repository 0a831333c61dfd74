package import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
package import VidscanResults

/// The preconditions for hiding the faces of a video: every frame was analysed by itself, and no face was left out.
package enum AnonymizePreconditions {
    /// Checks a result as the analysis wrote it.
    ///
    /// - Throws: `VidscanError` if the result does not contain the positions of all faces in its video.
    package static func check(_ result: StoredResult, for options: AnonymizeOptions) throws(VidscanError) {
        let found = result.record.pipeline
        guard found.sample.start == nil, found.sample.end == nil else {
            throw VidscanError(
                .result, "was made from only a part of the video: faces in the rest of it would not be hidden",
                stage: .open)
        }
        guard found.track.maxFaces == nil, found.detect.minFace == 0 else {
            throw VidscanError(
                .result, "was made with --max-faces or --min-face: the faces left out would not be hidden", stage: .open
            )
        }
        let shortcomings = shortcomings(found)
        guard shortcomings.isEmpty else {
            throw VidscanError(
                .result,
                "was not analysed for hiding faces (\(shortcomings.joined(separator: ", "))), and some would stay"
                    + " visible; run 'vidscan analyze \(result.record.input.path) --anonymize \(options.method.rawValue)"
                    + " --tables'",
                stage: .open)
        }
        if let filters = result.record.filters, let objection = AnonymizationFilters.objection(to: filters.chain) {
            throw VidscanError(
                .result, "was made with filters after which faces cannot be hidden: \(objection)", stage: .open)
        }
        guard try result.mapToSource() == nil else {
            throw VidscanError(
                .result,
                "was made with filters that move or cut the picture: what they left out would not be hidden",
                stage: .open)
        }
        try checkPeople(options, in: result)
    }

    /// Returns the settings of the analysis that are less thorough than hiding faces requires.
    private static func shortcomings(_ found: RecordedSettings) -> [String] {
        typealias Requirements = AnonymizeRequirements
        var list: [String] = []
        if found.sample.rate < Requirements.rate { list.append("sample.rate: \(found.sample.rate)") }
        if found.detect.accuracy < Requirements.accuracy {
            list.append("detect.accuracy: \(found.detect.accuracy.rawValue)")
        }
        if found.detect.faces < Requirements.faces { list.append("detect.faces: \(found.detect.faces.rawValue)") }
        if found.detect.minConfidence > Requirements.confidence {
            list.append("detect.min_confidence: \(NumberText.plain(found.detect.minConfidence))")
        }
        if found.detect.stride != Requirements.stride {
            list.append("detect.stride: \(found.detect.stride.map { "\($0)" } ?? "null")")
        }
        if found.track.minTrack > Requirements.trackSamples {
            list.append("track.min_track: \(found.track.minTrack)")
        }
        if found.track.smoothing { list.append("track.smoothing: true") }
        return list
    }

    /// Checks that the people of a result were recognised by their faces. Many people have similar hair and clothes.
    private static func checkPeople(_ options: AnonymizeOptions, in result: StoredResult) throws(VidscanError) {
        guard options.visible.people != .nobody, result.record.pipeline.track.person != true else { return }
        throw VidscanError(
            .result,
            "was analysed without recognising people by their faces (track.person), so that --keep and --hide could show"
                + " somebody else; run 'vidscan analyze \(result.record.input.path) --anonymize"
                + " \(options.method.rawValue) --tables' without --no-person", stage: .open)
    }

    /// Checks that the frame size has not changed. Faces are held and bridged from frame to frame, which requires one
    /// frame size.
    package static func checkSize(
        _ size: PictureSize, first: PictureSize, microseconds: Int64, stage: VidscanError.Stage
    ) throws(VidscanError) {
        guard size != first else { return }
        throw VidscanError(
            .media(.undecodable),
            "the picture changes from \(first) to \(size), and faces are hidden in pictures of one size only; bring the"
                + " video to one size first, or cut it here", stage: stage, microseconds: microseconds)
    }
}
