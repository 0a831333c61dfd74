package import VidscanFaces
package import VidscanMedia
package import VidscanResults

extension Settings {
    /// The video that is made from a result: faces marked, decorated or hidden.
    package struct Render: Sendable, Equatable {
        /// Whether to draw faces, in the standard style unless another one is set.
        package var overlay = false
        package var style: OverlayStyle.Preset?
        package var show: [OverlayStyle.Element]?
        /// How elements are drawn. `style` and `show` decide which ones are drawn.
        package var drawing = OverlayStyle()
        package var sticker: String?
        /// How the sticker is placed; its path is `sticker`.
        package var image = StickerOptions(path: "")
        package var anonymize: AnonymizeOptions.Method?
        /// How faces are hidden; the method is `anonymize`.
        package var hiding = AnonymizeOptions(method: .blur)
        /// By `person_id`, or by `face_id`.
        package var keptPeople: IDList?
        package var hiddenPeople, keptFaces, hiddenFaces: IDList?
        package var video = RenderOptions()
        /// Where finished videos with hidden faces are copied to.
        package var publishFolder: String?
        /// `nil` is the user.
        package var approver: String?
        package var verifiesPublished = false

        package init() {}
    }
}

package struct IDList: Sendable, Equatable { package let ids: Set<Int> }

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
    package var visible: FaceChoice {
        var choice = FaceChoice()
        if let keptPeople { choice.people = .only(keptPeople.ids) }
        if let hiddenPeople { choice.people = .allBut(hiddenPeople.ids) }
        (choice.keptFaces, choice.hiddenFaces) = (keptFaces?.ids ?? [], hiddenFaces?.ids ?? [])
        return choice
    }

    package var namesSomebody: Bool { [keptPeople, hiddenPeople, keptFaces, hiddenFaces].contains { $0 != nil } }

    /// - Parameter isRequested: Whether to make a video even if no setting requests one.
    /// - Returns: `nil` if no video is to be made.
    package func options(isRequested: Bool = false) -> RenderOptions? {
        let draws = overlay || style != nil || show != nil
        guard isRequested || draws || sticker != nil || anonymize != nil else { return nil }
        var options = video
        options.anonymize = anonymize.map { method in
            var hiding = hiding
            (hiding.method, hiding.visible) = (method, visible)
            return hiding
        }
        options.sticker = sticker.map { path in
            var image = image
            image.path = path
            return image
        }
        // Videos with hidden faces or stickers show no boxes unless boxes are requested too.
        if draws || (anonymize == nil && sticker == nil) {
            var drawing = drawing
            drawing.elements = show.map { Set($0) } ?? (style ?? .standard).elements
            options.overlay = drawing
        }
        return options
    }

    static let section = SettingsSection(
        "render", "Whether a video is made in which faces are marked, decorated or hidden.", group: .drawing,
        drawing + sticker + hiding.map { $0.inGroup(.hiding) } + visibility.map { $0.inGroup(.visibility) }
            + encoding.map { $0.inGroup(.encoding) })

    private static let drawing = [
        Setting("overlay", \.render.overlay, options: [.flag("overlay")], group: .extras).help(
            "Make a video with the faces marked, overlay.mp4. Choosing a style, elements to show or a sticker implies"
                + " it."),
        Setting("style", \.render.style, value: "style", null: "standard").help(
            "What to draw on faces: plain (box, id), standard (box, id, emotion, bars, points), mesh (id, mesh,"
                + " axes), full (all)."),
        Setting("show", \.render.show, value: "list", null: "those of the style").help(
            "Elements to draw, instead of a style. mesh needs a result with landmarks."),
        Setting("bars", \.render.drawing.bars, value: "list").help("Metrics to show as bars, by column name."),
        Setting("trail", \.render.drawing.trailSeconds, .number(0...60, unit: "seconds"), value: "seconds").help(
            "Length of the trail behind a face."),
        Setting("draw_scale", \.render.drawing.scale, .number(0.1...10), value: "factor").help(
            "Size of lines and text, relative to what suits the frame."),
    ]

    private static let sticker = [
        Setting("sticker", \.render.sticker, .file, value: "file", null: "none").help(
            "Image to place on every face: PNG, or any format that FFmpeg reads. A path in a pipeline is"
                + " relative to the pipeline's folder."),
        Setting("sticker_place", \.render.image.place, value: "sticker-place").help(
            "Part of the face that the sticker covers."),
        Setting("sticker_mode", \.render.image.contentMode, value: "sticker-mode").help(
            "How the sticker is scaled to that part of the face."),
        Setting("sticker_anchor", \.render.image.anchor, value: "sticker-anchor").help(
            "Where a sticker of another shape is aligned there."),
        Setting("sticker_insets", \.render.image.capInsets, value: "pixels", null: "none").help(
            "Borders of the sticker in its own pixels: left,top,right,bottom. Its corners then keep their shape."),
        Setting("sticker_scale", \.render.image.scale, .number(0.05...20), value: "factor").help(
            "Size of the sticker, relative to that part of the face."),
    ]

    private static let hiding = [
        Setting("anonymize", \.render.anonymize, value: "anonymize", null: "no face is hidden").help(
            "Hide all faces, in anonymized.mp4, or anonymized.jpg for a picture. Every frame is searched with"
                + " high accuracy, small and uncertain faces are included, and no metadata is copied."),
        Setting("shape", \.render.hiding.shape, value: "shape").help(
            "What to hide: an ellipse or a rectangle around the face, or the outline of its mesh."),
        Setting("margin", \.render.hiding.margin, .number(0...2), value: "fraction").help(
            "Extra margin to hide on every side, as a fraction of the face's size."),
        Setting(
            "strength", \.render.hiding.strength, .number(0.1...1), value: "fraction",
            null: "0.5 for blur, 0.3 for pixelate"
        ).help("The fraction of the face that becomes one value."),
        Setting("hold", \.render.hiding.holdSeconds, .number(0...60, unit: "seconds"), value: "seconds").help(
            "Also hide a face this long before and after it is seen."),
        Setting("invert", \.render.hiding.isInverted, options: [.flag("invert")]).help(
            "Hide everything except the faces, in inverted.mp4."),
        Setting("keep_subtitles", \.render.video.keepsSubtitles, options: [.flag("keep-subtitles")]).help(
            "Copy subtitles even if faces are hidden; they may name people."),
        Setting("covers", \.render.hiding.covers, .file, value: "file", null: "NAME.covers.json beside the result")
            .help("Boxes drawn by hand: what to cover in addition, and which covers to remove."),
        Setting("publish", \.render.publishFolder, .folder, value: "folder", null: "none", isRecorded: false).help(
            "Copy the finished video to this folder, under a neutral name. FOLDER.private says what it is."),
        Setting(
            "publish_verified", \.render.verifiesPublished, options: [.flag("publish-verified")], isRecorded: false
        ).help("Publish a video only if 'vidscan verify' finds no face in it."),
        Setting(
            "approved_by", \.render.approver, value: "name", null: "$USER; required if that is not set",
            isRecorded: false
        ).help("Who approves the published videos; FOLDER.private records it."),
    ]

    private static let visibility = [
        Setting("keep", \.render.keptPeople, value: "list", null: "nobody").help(
            "Keep these person_ids visible, and hide everybody else."),
        Setting("hide", \.render.hiddenPeople, value: "list", null: "everybody").help(
            "Hide these person_ids, and everybody who might be one of them; keep the others visible."),
        Setting("keep_faces", \.render.keptFaces, options: [.value("keep-face", "list")], null: "none").help(
            "Keep these face_ids visible too, although nothing verifies who they are."),
        Setting("hide_faces", \.render.hiddenFaces, options: [.value("hide-face", "list")], null: "none").help(
            "Hide these face_ids in any case."),
    ]

    private static let encoding = [
        Setting("codec", \.render.video.codec, value: "codec").help("Codec of the video."),
        Setting(
            "crf", \.render.video.rateFactor, .number(0...63), value: "number",
            null: "21 for h264, 28 for hevc, 31 for vp9, 35 for av1"
        ).help("Constant rate factor: a lower one gives a better and larger video."),
        Setting(
            "height", \.render.video.height, .integer(16...16_384), value: "pixels",
            null: "the displayed height of the source"
        ).help("Height of the video in pixels; it must be even."),
        Setting("audio", \.render.video.copiesAudio, options: [.onOff("audio")]).help(
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
