internal import VidscanFaces
public import VidscanRender

enum RenderKeys {
    static let all = drawing + sticker + hiding + coding

    private static let drawing = [
        PipelineKey(
            .render, "overlay", ["--overlay"], \.render.overlay,
            "Make a video with the faces marked, overlay.mp4. So do a style, a list of what to show, and a sticker."),
        PipelineKey(
            .render, "style", ["--style"], optional: \.render.style,
            "What to draw on faces: plain (box, id), standard (box, id, emotion, bars, points), mesh (id, mesh, axes),"
                + " full (all).", absence: "standard"),
        PipelineKey(
            stage: .render, name: "show", kind: .list(OverlayStyle.Element.allCases.map(\.rawValue)),
            options: ["--show"],
            meaning: "Draw these instead. mesh needs a result with landmarks.", absence: "those of the style",
            belongsToRun: false,
            value: { $0.render.show.map { .list($0.map(\.rawValue)) } ?? .absent },
            set: { value, configuration in
                if case .list(let names) = value {
                    configuration.render.show = names.compactMap(OverlayStyle.Element.init)
                }
                if value == .absent { configuration.render.show = nil }
            }),
        PipelineKey(
            stage: .render, name: "bars", kind: .list(Metric.allCases.map(\.rawValue)), options: ["--bars"],
            meaning: "Metrics shown as bars, names of columns.", absence: nil, belongsToRun: false,
            value: { .list($0.render.bars.map(\.rawValue)) },
            set: { if case .list(let names) = $0 { $1.render.bars = names.compactMap(Metric.init) } }),
        PipelineKey(
            .render, "trail", ["--trail"], \.render.trailSeconds, 0...60, unit: "seconds", "Length of a face's trail."),
        PipelineKey(
            .render, "draw_scale", ["--draw-scale"], \.render.drawScale, 0.1...10,
            "Size of lines and letters, times what suits the picture."),
    ]

    private static let sticker = [
        PipelineKey(
            stage: .render, name: "sticker", kind: .text, options: ["--sticker"],
            meaning: "An image to put on every face: PNG or whatever FFmpeg reads. In a file: relative to it.",
            absence: "none", belongsToRun: false,
            value: { $0.render.sticker.map(SettingValue.text) ?? .absent },
            set: { value, configuration in
                if case .text(let path) = value { configuration.render.sticker = path }
                if value == .absent { configuration.render.sticker = nil }
            }),
        PipelineKey(
            .render, "sticker_place", ["--sticker-place"], \.render.stickerPlace, "Where the sticker goes."),
        PipelineKey(
            .render, "sticker_mode", ["--sticker-mode"], \.render.stickerMode,
            "How the sticker is put into its place."),
        PipelineKey(
            .render, "sticker_anchor", ["--sticker-anchor"], \.render.stickerAnchor,
            "Where in its place a sticker of another shape stands."),
        PipelineKey(
            stage: .render, name: "sticker_insets", kind: .insets, options: ["--sticker-insets"],
            meaning: "Borders of the sticker in its own pixels. Its corners then keep their shape.", absence: "none",
            belongsToRun: false,
            value: { $0.render.stickerInsets.map { .text($0.description) } ?? .absent },
            set: { value, configuration in
                if case .text(let text) = value {
                    configuration.render.stickerInsets = StickerOptions.CapInsets(text)
                }
                if value == .absent { configuration.render.stickerInsets = nil }
            }),
        PipelineKey(
            .render, "sticker_scale", ["--sticker-scale"], \.render.stickerScale, 0.05...20,
            "Size of the sticker, times its place's."),
    ]

    private static let hiding = [
        PipelineKey(
            .render, "anonymize", ["--anonymize"], optional: \.render.anonymize,
            "Hide faces, in anonymized.mp4: every frame is looked at then, for small and doubtful faces too, and no"
                + " metadata is copied.", absence: "nothing is hidden"),
        PipelineKey(
            .render, "shape", ["--shape"], \.render.shape,
            "What is hidden: an ellipse around the face, or its mesh's outline."),
        PipelineKey(
            .render, "margin", ["--margin"], \.render.margin, 0...2,
            "Hide more than the face on every side: a share of its size."),
        PipelineKey(
            .render, "strength", ["--strength"], optional: \.render.strength, 0.1...1,
            "The share of the face that becomes one value.", absence: "0.5 for blur, 0.3 for pixelate"),
        PipelineKey(
            .render, "hold", ["--hold"], \.render.holdSeconds, 0...60, unit: "seconds",
            "Hide a face this long before and after it was seen too."),
        PipelineKey(.render, "invert", ["--invert"], \.render.inverts, "Hide everything but the faces."),
        PipelineKey(
            .render, "keep_subtitles", ["--keep-subtitles"], \.render.keepsSubtitles,
            "Copy subtitles though faces are hidden; they may name people."),
    ]

    private static let coding = [
        PipelineKey(.render, "codec", ["--codec"], \.render.codec, "Codec of the new video."),
        PipelineKey(
            .render, "crf", ["--crf"], optional: \.render.rateFactor, 0...63,
            "Constant rate factor: less is better and larger.",
            absence: "23 for h264, 28 for hevc, 31 for vp9, 35 for av1"),
        PipelineKey(
            .render, "height", ["--height"], \.render.height, 16...16_384,
            "Height of the new video in pixels, even.", absence: "as it is shown"),
        PipelineKey(
            .render, "audio", ["--audio", "--no-audio"], \.render.copiesAudio, "Copy the sound, or leave it out."),
    ]
}

enum ReportKeys {
    static let all = [
        PipelineKey(
            .report, "page", ["--report"], \.report.isWanted,
            "Make a page that shows the result, report.html: faces, timeline, curves, events."),
        PipelineKey(
            stage: .report, name: "thumbnails", kind: .flag, options: ["--thumbnails", "--no-thumbnails"],
            meaning: "Show pictures of faces on the page, or none.", absence: "shown, unless faces are hidden",
            belongsToRun: false,
            value: { $0.report.hasThumbnails.map(SettingValue.flag) ?? .absent },
            set: { value, configuration in
                if case .flag(let isShown) = value { configuration.report.hasThumbnails = isShown }
                if value == .absent { configuration.report.hasThumbnails = nil }
            }),
    ]
}

extension StickerOptions.CapInsets: LosslessStringConvertible {
    /// `left,top,right,bottom`
    public init?(_ description: String) {
        let numbers = description.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == 4, numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        self.init(left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3])
    }

    public var description: String { "\(left),\(top),\(right),\(bottom)" }
}
