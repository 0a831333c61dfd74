internal import VidscanCore
internal import VidscanMedia

/// What must hold for hiding the faces of a video: every picture was analysed by itself, and nothing was left out.
enum HidingConditions {
    /// - Throws: `PipelineError` when a result cannot say where all faces of its video are.
    static func check(_ result: FinishedResult, for options: AnonymizeOptions) throws(PipelineError) {
        let found = result.record.pipeline
        guard found.sample.start == nil, found.sample.end == nil else {
            throw PipelineError(
                .result, "was made of a part of the video only: faces in the rest of it would not be hidden",
                stage: .open)
        }
        guard found.track.maxFaces == nil, found.detect.minFace == 0 else {
            throw PipelineError(
                .result, "was made with --max-faces or --min-face: the faces left out would not be hidden", stage: .open
            )
        }
        let shortcomings = shortcomings(found)
        guard shortcomings.isEmpty else {
            throw PipelineError(
                .result,
                "was not analysed for hiding faces (\(shortcomings.joined(separator: ", "))), and some would stay"
                    + " visible; run 'vidscan analyze \(result.record.input.path) --anonymize \(options.method.rawValue)'",
                stage: .open)
        }
        if let filters = result.record.filters, let objection = AnonymizationFilters.objection(to: filters.chain) {
            throw PipelineError(
                .result, "was made through filters that faces cannot be hidden after: \(objection)", stage: .open)
        }
        guard try result.placesInSource() == nil else {
            throw PipelineError(
                .result,
                "was made through filters that move or cut the picture: what they left out would not be hidden",
                stage: .open)
        }
        try checkNames(options, in: result)
    }

    /// Settings that are less thorough than `AnalysisOptions.lookThoroughly` makes them.
    private static func shortcomings(_ found: FinishedResult.Record.Pipeline) -> [String] {
        var thorough = AnalysisOptions(workers: 1)
        thorough.lookThoroughly()
        var list: [String] = []
        if found.sample.rate != SettingKind.everyFrame { list.append("sample.rate: \(found.sample.rate)") }
        if found.detect.faces != thorough.faceSize.rawValue { list.append("detect.faces: \(found.detect.faces)") }
        if found.detect.minConfidence > thorough.minimumConfidence {
            list.append("detect.min_confidence: \(NumberText.plain(found.detect.minConfidence))")
        }
        if found.track.minTrack > thorough.minimumTrackSamples {
            list.append("track.min_track: \(found.track.minTrack)")
        }
        if found.track.smoothing { list.append("track.smoothing: true") }
        return list
    }

    /// A number that is not there hides nothing, or everything: most likely it was mistyped.
    private static func checkNames(_ options: AnonymizeOptions, in result: FinishedResult) throws(PipelineError) {
        let named = (options.only ?? []).union(options.except)
        guard !named.isEmpty else { return }
        let faces = try TableReader(folder: result.name, name: "faces.csv")
        let column = try faces.column("face_id")
        var known: Set<Int> = []
        while try faces.next() { known.insert(try faces.integer(column, in: ReadLimits.ids)) }
        let unknown = named.subtracting(known)
        guard unknown.isEmpty else {
            throw PipelineError(
                .result,
                "has no face_id \(ranges(unknown)), which --only or --except names; "
                    + (known.isEmpty ? "it has no faces" : "it has \(ranges(known))"), stage: .open)
        }
    }

    /// `1-3, 7`
    private static func ranges(_ numbers: Set<Int>) -> String {
        var spans: [ClosedRange<Int>] = []
        for number in numbers.sorted() {
            if let last = spans.last, number == last.upperBound + 1 {
                spans[spans.count - 1] = last.lowerBound...number
            } else {
                spans.append(number...number)
            }
        }
        return spans.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ", ")
    }

    /// Faces are held and bridged from picture to picture, which takes pictures of one size.
    static func checkSize(
        _ size: PictureSize, first: PictureSize, microseconds: Int64, stage: PipelineError.Stage
    ) throws(PipelineError) {
        guard size != first else { return }
        throw PipelineError(
            .media(.undecodable),
            "the picture changes from \(first) to \(size), and faces are hidden in pictures of one size only; bring the"
                + " video to one size first, or cut it here", stage: stage, microseconds: microseconds)
    }
}
