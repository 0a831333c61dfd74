public import ArgumentParser
internal import VidscanAnalysis
public import VidscanMedia
internal import VidscanRender

/// What is drawn on faces.
struct DrawingOptions: ParsableArguments {
    @Option(help: .of("render.style"))
    var style: OverlayStyle.Preset?

    @Option(help: .of("render.show", valueName: "list"))
    var show: NameList?

    @Option(help: .of("render.bars", valueName: "list"))
    var bars: NameList?

    @Option(help: .of("render.trail", valueName: "seconds"))
    var trail: Double?

    @Option(help: .of("render.draw_scale", valueName: "factor"))
    var drawScale: Double?

    @Option(help: .of("render.sticker", valueName: "file"))
    var sticker: String?

    @Option(help: .of("render.sticker_place"))
    var stickerPlace: StickerOptions.Place?

    @Option(help: .of("render.sticker_mode"))
    var stickerMode: StickerOptions.ContentMode?

    @Option(help: .of("render.sticker_anchor"))
    var stickerAnchor: StickerOptions.Anchor?

    @Option(help: .of("render.sticker_insets", valueName: "pixels"))
    var stickerInsets: String?

    @Option(help: .of("render.sticker_scale", valueName: "factor"))
    var stickerScale: Double?

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("render.style", style.map { .text($0.rawValue) }, "--style")
        try list.add("render.show", show.map { .list($0.names) }, "--show")
        try list.add("render.bars", bars.map { .list($0.names) }, "--bars")
        try list.add("render.trail", trail.map { .number($0) }, "--trail")
        try list.add("render.draw_scale", drawScale.map { .number($0) }, "--draw-scale")
        try list.add("render.sticker", sticker.map { .text($0) }, "--sticker")
        try list.add("render.sticker_place", stickerPlace.map { .text($0.rawValue) }, "--sticker-place")
        try list.add("render.sticker_mode", stickerMode.map { .text($0.rawValue) }, "--sticker-mode")
        try list.add("render.sticker_anchor", stickerAnchor.map { .text($0.rawValue) }, "--sticker-anchor")
        try list.add("render.sticker_insets", stickerInsets.map { .text($0) }, "--sticker-insets")
        try list.add("render.sticker_scale", stickerScale.map { .number($0) }, "--sticker-scale")
        return list.overrides
    }

    func validate() throws {
        _ = try overrides()
        if style != nil, show != nil { throw ValidationError("--style and --show exclude each other.") }
    }
}

/// How faces are hidden.
struct HidingOptions: ParsableArguments {
    @Option(help: .of("render.anonymize"))
    var anonymize: AnonymizeOptions.Method?

    @Option(help: .of("render.shape"))
    var shape: AnonymizeOptions.Shape?

    @Option(help: .of("render.margin", valueName: "share"))
    var margin: Double?

    @Option(help: .of("render.strength", valueName: "share"))
    var strength: Double?

    @Option(help: .of("render.hold", valueName: "seconds"))
    var hold: Double?

    @Flag(help: .of("render.invert"))
    var invert = false

    @Flag(help: .of("render.keep_subtitles"))
    var keepSubtitles = false

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("render.anonymize", anonymize.map { .text($0.rawValue) }, "--anonymize")
        try list.add("render.shape", shape.map { .text($0.rawValue) }, "--shape")
        try list.add("render.margin", margin.map { .number($0) }, "--margin")
        try list.add("render.strength", strength.map { .number($0) }, "--strength")
        try list.add("render.hold", hold.map { .number($0) }, "--hold")
        if invert { try list.add("render.invert", .flag(true), "--invert") }
        if keepSubtitles { try list.add("render.keep_subtitles", .flag(true), "--keep-subtitles") }
        return list.overrides
    }

    func validate() throws { _ = try overrides() }
}

/// How the new video is coded.
struct CodingOptions: ParsableArguments {
    @Option(help: .of("render.codec"))
    var codec: VideoCodec?

    @Option(help: .of("render.crf", valueName: "number"))
    var crf: Double?

    @Option(help: .of("render.height", valueName: "pixels"))
    var height: Int?

    @Flag(inversion: .prefixedNo, help: .of("render.audio"))
    var audio: Bool?

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("render.codec", codec.map { .text($0.rawValue) }, "--codec")
        try list.add("render.crf", crf.map { .number($0) }, "--crf")
        try list.add("render.height", height.map { .integer($0) }, "--height")
        try list.add("render.audio", audio.map { .flag($0) }, audio == false ? "--no-audio" : "--audio")
        return list.overrides
    }

    func validate() throws { _ = try overrides() }
}

/// What else is made of a result.
struct MakingOptions: ParsableArguments {
    @Flag(help: .of("render.overlay"))
    var overlay = false

    @Flag(help: .of("report.page"))
    var report = false

    @Flag(inversion: .prefixedNo, help: .of("report.thumbnails"))
    var thumbnails: Bool?

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        if overlay { try list.add("render.overlay", .flag(true), "--overlay") }
        if report { try list.add("report.page", .flag(true), "--report") }
        try list.add(
            "report.thumbnails", thumbnails.map { .flag($0) }, thumbnails == false ? "--no-thumbnails" : "--thumbnails")
        return list.overrides
    }
}

/// `box,id,trail`
struct NameList: ExpressibleByArgument {
    let names: [String]

    init?(argument: String) {
        names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}

extension OverlayStyle.Preset: ExpressibleByArgument {}
extension StickerOptions.Place: ExpressibleByArgument {}
extension StickerOptions.ContentMode: ExpressibleByArgument {}
extension StickerOptions.Anchor: ExpressibleByArgument {}
extension AnonymizeOptions.Method: ExpressibleByArgument {}
extension AnonymizeOptions.Shape: ExpressibleByArgument {}
extension VideoCodec: ExpressibleByArgument {}
