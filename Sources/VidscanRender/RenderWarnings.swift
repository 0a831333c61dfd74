internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

enum RenderWarnings {
    static func problems(of transcoder: Transcoder, hidesFaces: Bool) -> [String] {
        var warnings = transcoder.statistics.errorWarnings("rendered")
        if let error = transcoder.statistics.readError { warnings.append("reading ended early: \(error)") }
        if hidesFaces, transcoder.subtitlesLeftOut > 0 {
            let count = transcoder.subtitlesLeftOut
            warnings.append(
                "\(count) subtitle \(count == 1 ? "stream was" : "streams were") left out because subtitles may"
                    + " name people; --keep-subtitles copies them")
        }
        if transcoder.movedFrames > 0 {
            let frames = NumberText.count(transcoder.movedFrames, "frame")
            warnings.append("moved \(frames) with a repeated timestamp to one tick later")
        }
        warnings += transcoder.omittedStreams.map { "left out \($0)" }
        if !hidesFaces, !transcoder.soundCodecs.isEmpty {
            let codecs = transcoder.soundCodecs.joined(separator: " and ")
            warnings.append("encoded the sound again as \(codecs), because the format cannot contain it as it is")
        }
        if transcoder.omittedPackets > 0 {
            let count = NumberText.count(transcoder.omittedPackets, "packet")
            warnings.append(
                "left out \(count) of sound or subtitles, because of damage or a time far outside of the video")
        }
        return warnings
    }

    /// Why a video may show more of the faces than the user expects.
    static func weaknesses(of video: RenderOptions, _ anonymizer: Anonymizer) -> [String] {
        let chosen = anonymizer.options
        guard !chosen.isInverted else { return [] }
        let findsNothing =
            anonymizer.hiddenSpans.frameCount + anonymizer.tally.visibleFrames + anonymizer.releasedFrames == 0
        let drawsShape = video.overlay.map { !$0.elements.isDisjoint(with: [.mesh, .points]) } == true
        let usual = AnonymizeOptions(method: chosen.method)
        var weaker: [String] = []
        let compare = { (name: String, value: Double, normal: Double, unit: String) in
            guard value < normal else { return }
            weaker.append("\(name) \(NumberText.plain(value))\(unit) instead of \(NumberText.plain(normal))\(unit)")
        }
        compare("margin", chosen.margin, usual.margin, "")
        if [.blur, .pixelate].contains(chosen.method) {
            compare("strength", chosen.resolvedStrength, usual.resolvedStrength, "")
        }
        compare("hold", chosen.holdSeconds, usual.holdSeconds, " s")
        return (findsNothing ? ["no face was found, so nothing is hidden"] : [])
            + (weaker.isEmpty
                ? [] : ["less is hidden than usual (\(weaker.joined(separator: ", "))): people may be recognisable"])
            + (drawsShape ? ["the overlay draws the shape of the faces over their covers (--show mesh or points)"] : [])
    }

    static func corrections(in tables: FaceTables, _ choice: FaceChoice) -> [String] {
        var warnings: [String] = []
        let shown = tables.removedFaces.intersection(choice.keptFaces)
        if !shown.isEmpty {
            warnings.append(
                "face_id \(ChosenFaces.ranges(shown)) stays visible because --keep-face names it: a correction"
                    + " removed it, but the detector found a face there")
        }
        let hidden = tables.removedFaces.subtracting(shown)
        if let removed = tables.corrections?.record.corrections?.facesRemoved, removed > 0,
            !hidden.isEmpty || shown.isEmpty
        {
            let remedy = hidden.isEmpty ? "" : "; --keep-face would leave face_id \(ChosenFaces.ranges(hidden)) visible"
            warnings.append("what corrections removed is hidden too, because the detector found faces there\(remedy)")
        }
        return warnings
    }
}
