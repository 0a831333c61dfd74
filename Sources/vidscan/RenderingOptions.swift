public import ArgumentParser
internal import VidscanFaces
public import VidscanMedia
public import VidscanPipeline

/// What is drawn, hidden and how the new video is coded.
struct DrawingOptions: ParsableArguments {
    @Option(
        help: """
            What to draw on faces: plain (box, id), standard (box, id, emotion, bars, points), mesh (id, mesh, axes), \
            full (all).
            """)
    var style: OverlayStyle.Preset?

    @Option(
        help: ArgumentHelp(
            "Draw these instead: \(OverlayStyle.Element.allCases.map(\.rawValue).joined(separator: ", "))."
                + " mesh needs a result with --landmarks.", valueName: "list"))
    var show: ElementList?

    @Option(help: ArgumentHelp("Metrics shown as bars, names of columns.", valueName: "list"))
    var bars: BarList = .standard

    @Option(help: ArgumentHelp("Length of a face's trail.", valueName: "seconds"))
    var trail = 2.0

    @Option(help: ArgumentHelp("Size of lines and letters, times what suits the picture.", valueName: "factor"))
    var drawScale = 1.0

    @Option(help: ArgumentHelp("An image to put on every face: PNG or whatever FFmpeg reads.", valueName: "file"))
    var sticker: String?

    @Option(help: "Where the sticker goes.")
    var stickerPlace: StickerOptions.Place = .face

    @Option(help: "How the sticker is put into its place.")
    var stickerMode: StickerOptions.ContentMode = .fit

    @Option(help: "Where in its place a sticker of another shape stands.")
    var stickerAnchor: StickerOptions.Anchor = .center

    @Option(
        help: ArgumentHelp(
            "Borders of the sticker in its own pixels: left,top,right,bottom. Its corners then keep their shape.",
            valueName: "pixels"))
    var stickerInsets: InsetsArgument?

    @Option(help: ArgumentHelp("Size of the sticker, times its place's.", valueName: "factor"))
    var stickerScale = 1.0

    func validate() throws {
        if !(0...60).contains(trail) { throw ValidationError("--trail must be 0 to 60 seconds.") }
        if !(0.1...10).contains(drawScale) { throw ValidationError("--draw-scale must be 0.1 to 10.") }
        if !(0.05...20).contains(stickerScale) { throw ValidationError("--sticker-scale must be 0.05 to 20.") }
        if style != nil, show != nil { throw ValidationError("--style and --show exclude each other.") }
    }

    /// - Parameter isDefault: draw in the standard style when nothing else is asked for.
    func overlay(isDefault: Bool) -> OverlayStyle? {
        let preset = style ?? (isDefault ? .standard : nil)
        guard let elements = show?.elements ?? preset?.elements else { return nil }
        return OverlayStyle(elements: elements, bars: bars.metrics, trailSeconds: trail, scale: drawScale)
    }

    var stickerOptions: StickerOptions? {
        sticker.map { path in
            var options = StickerOptions(path: path)
            options.place = stickerPlace
            options.contentMode = stickerMode
            options.anchor = stickerAnchor
            options.capInsets = stickerInsets?.insets
            options.scale = stickerScale
            return options
        }
    }
}

/// How faces are hidden.
struct HidingOptions: ParsableArguments {
    @Option(
        help: """
            Hide faces: blur, pixelate, solid or sticker (with --sticker). No metadata is copied then.
            """)
    var anonymize: AnonymizeOptions.Method?

    @Option(help: "What is hidden: an ellipse around the face, or its mesh's outline (needs --landmarks).")
    var shape: AnonymizeOptions.Shape = .ellipse

    @Option(help: ArgumentHelp("Hide more than the face on every side: a share of its size.", valueName: "share"))
    var margin = AnonymizeOptions(method: .blur).margin

    @Option(
        help: ArgumentHelp(
            "The share of the face that becomes one value, 0.1 to 1. Default: 0.5 for blur, 0.3 for pixelate.",
            valueName: "share"))
    var strength: Double?

    @Option(
        help: ArgumentHelp("Hide a face this long before and after it was seen too.", valueName: "seconds"))
    var hold = AnonymizeOptions(method: .blur).holdSeconds

    @Flag(help: "Hide everything but the faces.")
    var invert = false

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Hide these face_ids only.", valueName: "id"))
    var only: [Int] = []

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Do not hide these face_ids.", valueName: "id"))
    var except: [Int] = []

    func validate() throws {
        if !(0...2).contains(margin) { throw ValidationError("--margin must be 0 to 2.") }
        if let strength, !(0.1...1).contains(strength) { throw ValidationError("--strength must be 0.1 to 1.") }
        if !(0...60).contains(hold) { throw ValidationError("--hold must be 0 to 60 seconds.") }
        if anonymize == nil, invert || !only.isEmpty || !except.isEmpty {
            throw ValidationError("--invert, --only and --except need --anonymize.")
        }
    }

    var options: AnonymizeOptions? {
        anonymize.map { method in
            var options = AnonymizeOptions(method: method)
            options.shape = shape
            options.margin = margin
            options.strength = strength
            options.holdSeconds = hold
            options.isInverted = invert
            options.only = only.isEmpty ? nil : Set(only)
            options.except = Set(except)
            return options
        }
    }
}

/// How the new video is coded.
struct CodingOptions: ParsableArguments {
    @Option(help: "Codec of the new video.")
    var codec: VideoCodec = .h264

    @Option(
        help: ArgumentHelp(
            "Constant rate factor: less is better and larger. Default: 23 for h264, 28 for hevc, 31 for vp9, 35 for av1.",
            valueName: "number"))
    var crf: Double?

    @Option(
        help: ArgumentHelp("Height of the new video in pixels, even. Default: as it is shown.", valueName: "pixels"))
    var height: Int?

    @Flag(help: "Leave the sound out.")
    var noAudio = false

    func validate() throws {
        if let crf {
            guard let factors = codec.rateFactors else { throw ValidationError("\(codec.rawValue) takes no --crf.") }
            if !factors.contains(crf) {
                let (least, most) = (Int(factors.lowerBound), Int(factors.upperBound))
                throw ValidationError("--crf of \(codec.rawValue) must be \(least) to \(most).")
            }
        }
        if let height, !(16...16_384).contains(height) || height % 2 == 1 {
            throw ValidationError("--height must be even, 16 to 16384.")
        }
        if !codec.isAvailable { throw ValidationError("this FFmpeg has no encoder for \(codec.rawValue).") }
    }

    func apply(to options: inout RenderOptions) {
        options.codec = codec
        options.rateFactor = crf
        options.height = height
        options.copiesAudio = !noAudio
    }
}

extension RenderOptions {
    init(drawing: DrawingOptions, hiding: HidingOptions, coding: CodingOptions) {
        self.init()
        anonymize = hiding.options
        sticker = drawing.stickerOptions
        // Who hides faces or puts stickers on them wants no boxes too, unless they are asked for.
        overlay = drawing.overlay(isDefault: hiding.anonymize == nil && drawing.sticker == nil)
        coding.apply(to: &self)
    }
}

extension OverlayStyle.Preset: ExpressibleByArgument {}
extension StickerOptions.Place: ExpressibleByArgument {}
extension StickerOptions.ContentMode: ExpressibleByArgument {}
extension StickerOptions.Anchor: ExpressibleByArgument {}
extension AnonymizeOptions.Method: ExpressibleByArgument {}
extension AnonymizeOptions.Shape: ExpressibleByArgument {}
extension VideoCodec: ExpressibleByArgument {}

/// `box,id,trail`
struct ElementList: ExpressibleByArgument {
    let elements: Set<OverlayStyle.Element>

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let elements = names.compactMap { OverlayStyle.Element(rawValue: String($0)) }
        guard elements.count == names.count else { return nil }
        self.elements = Set(elements)
    }
}

/// `smile,joy`
struct BarList: ExpressibleByArgument {
    let metrics: [Metric]

    static let standard = BarList(metrics: OverlayStyle().bars)

    private init(metrics: [Metric]) {
        self.metrics = metrics
    }

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let metrics = names.compactMap { Metric(rawValue: String($0)) }
        guard metrics.count == names.count else { return nil }
        self.metrics = metrics
    }

    var defaultValueDescription: String { metrics.map(\.rawValue).joined(separator: ",") }
}

/// `24,24,24,24`
struct InsetsArgument: ExpressibleByArgument {
    let insets: StickerOptions.CapInsets

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == 4, numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
        insets = StickerOptions.CapInsets(left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3])
    }
}
