package import VidscanFaces
package import VidscanMedia
package import VidscanResults

extension Settings {
    /// The video that is made from a result: faces marked, decorated or hidden.
    package struct Render: Sendable, Equatable {
        /// Whether to draw faces, in the standard style unless another one is set.
        package var overlay = false
        package var style: OverlayStyle.Preset?
        /// The elements to draw instead of those of the style.
        package var show: [OverlayStyle.Element]?
        /// How elements are drawn. `style` and `show` decide which ones are drawn.
        package var drawing = OverlayStyle()
        /// Path of the image to place on faces; `nil` places none.
        package var sticker: String?
        /// How the image is placed; its path is `sticker`.
        package var image = StickerOptions(path: "")
        /// The method of hiding faces; `nil` hides none.
        package var anonymize: AnonymizeOptions.Method?
        /// How faces are hidden; the method is `anonymize`.
        package var hiding = AnonymizeOptions(method: .blur)
        /// The people who stay visible when faces are hidden, by their `person_id`; everybody else is hidden.
        package var keptPeople: IDList?
        /// The people who are hidden, by their `person_id`; everybody else stays visible.
        package var hiddenPeople: IDList?
        /// The faces that stay visible too, by their `face_id`. Nothing verifies who they are.
        package var keptFaces: IDList?
        /// The faces that are hidden in any case, by their `face_id`.
        package var hiddenFaces: IDList?
        /// How the video is encoded.
        package var video = RenderOptions()

        package init() {}
    }
}

/// Numbers of people or faces.
package struct IDList: Sendable, Equatable {
    package let ids: Set<Int>

    package init(_ ids: some Sequence<Int>) {
        self.ids = Set(ids)
    }
}

extension Metric: SettingChoice {}
extension OverlayStyle.Preset: SettingChoice {}
extension OverlayStyle.Element: SettingChoice {}
extension StickerOptions.Place: SettingChoice {}
extension StickerOptions.ContentMode: SettingChoice {}
extension StickerOptions.Anchor: SettingChoice {}
extension AnonymizeOptions.Method: SettingChoice {}
extension AnonymizeOptions.Shape: SettingChoice {}
extension VideoCodec: SettingChoice {}

extension Settings.Render {
    static let section = SettingsSection(
        "render", "Whether a video is made in which faces are marked, decorated or hidden.", group: .drawing,
        drawing + sticker + hiding.map { $0.inGroup(.hiding) } + visibility.map { $0.inGroup(.visibility) }
            + encoding.map { $0.inGroup(.encoding) })

    private static let drawing = [
        Setting(
            "overlay", \.render.overlay, options: [.flag("overlay")], group: .extras,
            "Make a video with the faces marked, overlay.mp4. Choosing a style, elements to show or a sticker implies it."
        ),
        Setting(
            "style", \.render.style, options: [.value("style")], null: "standard",
            "What to draw on faces: plain (box, id), standard (box, id, emotion, bars, points), mesh (id, mesh, axes),"
                + " full (all)."),
        Setting(
            "show", \.render.show, options: [.value("show", "list")], null: "those of the style",
            "Elements to draw, instead of a style. mesh needs a result with landmarks."),
        Setting(
            "bars", \.render.drawing.bars, options: [.value("bars", "list")],
            "Metrics to show as bars, by column name."),
        Setting(
            "trail", \.render.drawing.trailSeconds, .number(0...60, unit: "seconds"),
            options: [.value("trail", "seconds")],
            "Length of the trail behind a face."),
        Setting(
            "draw_scale", \.render.drawing.scale, .number(0.1...10), options: [.value("draw-scale", "factor")],
            "Size of lines and text, relative to what suits the frame."),
    ]

    private static let sticker = [
        Setting(
            "sticker", \.render.sticker, .file, options: [.value("sticker", "file")], null: "none",
            "Image to place on every face: PNG, or any format that FFmpeg reads. A path in a pipeline is relative to the"
                + " pipeline's folder."),
        Setting(
            "sticker_place", \.render.image.place, options: [.value("sticker-place")],
            "Part of the face that the sticker covers."),
        Setting(
            "sticker_mode", \.render.image.contentMode, options: [.value("sticker-mode")],
            "How the sticker is scaled to that part of the face."),
        Setting(
            "sticker_anchor", \.render.image.anchor, options: [.value("sticker-anchor")],
            "Where a sticker of another shape is aligned there."),
        Setting(
            "sticker_insets", \.render.image.capInsets, options: [.value("sticker-insets", "pixels")], null: "none",
            "Borders of the sticker in its own pixels: left,top,right,bottom. Its corners then keep their shape."
        ),
        Setting(
            "sticker_scale", \.render.image.scale, .number(0.05...20), options: [.value("sticker-scale", "factor")],
            "Size of the sticker, relative to that part of the face."),
    ]

    private static let hiding = [
        Setting(
            "anonymize", \.render.anonymize, options: [.value("anonymize")], null: "no face is hidden",
            "Hide all faces, in anonymized.mp4, or anonymized.jpg of a picture. Every frame is searched with high accuracy,"
                + " small and uncertain faces are included, and no metadata is copied."),
        Setting(
            "shape", \.render.hiding.shape, options: [.value("shape")],
            "What to hide: an ellipse or a rectangle around the face, or the outline of its mesh."),
        Setting(
            "margin", \.render.hiding.margin, .number(0...2), options: [.value("margin", "fraction")],
            "Extra margin to hide on every side, as a fraction of the face's size."),
        Setting(
            "strength", \.render.hiding.strength, .number(0.1...1), options: [.value("strength", "fraction")],
            null: "0.5 for blur, 0.3 for pixelate",
            "The fraction of the face that becomes one value."),
        Setting(
            "hold", \.render.hiding.holdSeconds, .number(0...60, unit: "seconds"), options: [.value("hold", "seconds")],
            "Also hide a face this long before and after it is seen."),
        Setting(
            "invert", \.render.hiding.isInverted, options: [.flag("invert")],
            "Hide everything except the faces."),
        Setting(
            "keep_subtitles", \.render.video.keepsSubtitles, options: [.flag("keep-subtitles")],
            "Copy subtitles even if faces are hidden; they may name people."),
    ]

    private static let visibility = [
        Setting(
            "keep", \.render.keptPeople, options: [.value("keep", "list")], null: "nobody",
            "Keep these person_ids visible, and hide everybody else."),
        Setting(
            "hide", \.render.hiddenPeople, options: [.value("hide", "list")], null: "everybody",
            "Hide these person_ids, and everybody who might be one of them; keep the others visible."),
        Setting(
            "keep_faces", \.render.keptFaces, options: [.value("keep-face", "list")], null: "none",
            "Keep these face_ids visible too, although nothing verifies who they are."),
        Setting(
            "hide_faces", \.render.hiddenFaces, options: [.value("hide-face", "list")], null: "none",
            "Hide these face_ids in any case."),
    ]

    private static let encoding = [
        Setting("codec", \.render.video.codec, options: [.value("codec")], "Codec of the video."),
        Setting(
            "crf", \.render.video.rateFactor, .number(0...63), options: [.value("crf", "number")],
            null: "21 for h264, 28 for hevc, 31 for vp9, 35 for av1",
            "Constant rate factor: a lower one gives a better and larger video."),
        Setting(
            "height", \.render.video.height, .integer(16...16_384), options: [.value("height", "pixels")],
            null: "the displayed height of the source",
            "Height of the video in pixels; it must be even."),
        Setting(
            "audio", \.render.video.copiesAudio, options: [.onOff("audio")],
            "Copy the audio, or leave it out."),
    ]
}

extension StickerOptions.CapInsets: LosslessStringConvertible {
    /// `left,top,right,bottom`
    package init?(_ description: String) {
        let numbers = description.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == 4, numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        self.init(left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3])
    }

    package var description: String { "\(left),\(top),\(right),\(bottom)" }
}
