/// What libavfilter does not tell about its filters, as data: which need only the frame that they are given, which keep
/// every pixel in its place, and which reach beyond the picture.
enum FilterTraits {
    // MARK: Memory

    /// Filters whose output depends on one frame alone: its pixels, its time, the options. All others are given every
    /// frame of the video.
    private static let stateless = words(
        """
        alphaextract avgblur bilateral boxblur cas chromahold chromakey chromanr chromashift colorbalance
        colorchannelmixer colorcontrast colorcorrect colorhold colorize colorkey colorlevels colormatrix colorspace
        colortemperature convolution copy crop curves dblur dctdnoiz deband deflate delogo despill dilation drawbox
        drawgrid drawtext edgedetect eq erosion exposure fillborders floodfill format gblur geq gradfun grayworld
        hflip hqx hsvhold hsvkey hue huesaturation il inflate kirsch lenscorrection limiter lumakey lut lut1d lut3d lutrgb
        lutyuv median monochrome negate nlmeans noformat null owdenoise pad perspective pixelize prewitt pseudocolor
        removegrain rgbashift roberts rotate sab scale scharr selectivecolor setdar setfield setparams setrange setsar
        shear showpalette shuffleplanes smartblur sobel super2xsai swaprect swapuv tonemap transpose unsharp v360
        vaguedenoiser vflip vibrance xbr yaepblur zscale
        """)

    /// Names in an expression that stand for the frame's number or for something kept from earlier frames.
    private static let historyVariables = words("n N frame_num n_frames random st ld pos prev_t prev_pts prev_n")

    /// Whether a filter with these options makes the same of a frame whatever frames it was given before.
    static func isStateless(_ filter: String, values: [String] = []) -> Bool {
        stateless.contains(filter)
            && !values.contains { value in
                value.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
                    .contains { historyVariables.contains(String($0)) }
            }
    }

    static var statelessNames: Set<String> { stateless }

    // MARK: Place

    /// Whether what a filter shows stays where it was, as long as the picture keeps its size.
    static func keepsPlace(_ filter: String) -> Bool {
        if placeKeepers.contains(filter) { return true }
        guard !placeChangers.contains(filter) else { return false }
        switch FilterCategory.of(filter) {
        case .blur, .colorAdjustment, .colorEffect, .composite, .halftone, .sharpen, .stylize, .deinterlace, .denoise,
            .analysis:
            return true
        default: return false
        }
    }

    private static let placeKeepers = words(
        """
        copy cue fade fifo format framerate framestep fps loop mpdecimate noformat null perms realtime select setdar
        setparams setpts setsar settb sidedata thumbnail tmix tpad trim
        """)
    private static let placeChangers = words("convolve fftfilt field framepack morpho separatefields xcorrelate")

    // MARK: Reach

    /// What a filter reaches beyond the pictures that flow through it.
    enum Reach: String {
        case files = "reads or writes files"
        case network = "listens on the network"
        case devices = "uses a device"
        case program = "loads a program library"
        case commands = "sends commands to other filters, which may name files"
    }

    /// Of a filter whatever its options; `nil` for none.
    static func reach(of filter: String) -> Reach? {
        if let known = reaches[filter] { return known }
        let device = deviceSuffixes.contains { filter.hasSuffix($0) }
        return device ? .devices : nil
    }

    private static let deviceSuffixes = [
        "_amf", "_cuda", "_npp", "_opencl", "_qsv", "_vaapi", "_videotoolbox", "_vt", "_vulkan",
    ]
    private static let reaches: [String: Reach] = [
        "movie": .files, "amovie": .files, "zmq": .network, "azmq": .network, "frei0r": .program,
        "frei0r_src": .program, "ladspa": .program, "lv2": .program, "sendcmd": .commands, "asendcmd": .commands,
        "hwupload": .devices, "hwmap": .devices, "hwdownload": .devices, "openclsrc": .devices, "ddagrab": .devices,
        "fieldhint": .files, "libplacebo": .devices, "nnedi": .files, "vidstabdetect": .files,
        "vidstabtransform": .files, "coreimage": .devices, "coreimagesrc": .devices, "flite": .files,
    ]

    /// Whether an option names a file, a folder or an address.
    ///
    /// - Parameters:
    ///   - help: what the library says of it; `nil` for an option that it does not have.
    ///   - isText: only text can name a place.
    static func namesPlace(filter: String, option: String, help: String?, isText: Bool) -> Bool {
        if let known = placeOptions[filter], known.contains(option) { return true }
        // Filters and options that the table does not know yet: what they are called tells.
        guard isText else { return false }
        let said = option + " " + (help ?? "")
        return said.lowercased().split(whereSeparator: { !$0.isLetter }).contains { word in
            placeWords.contains { word.hasPrefix($0) || word.hasSuffix("file") && word != "profile" }
        }
    }

    private static let placeOptions: [String: Set<String>] = [
        "ass": ["filename", "f", "fontsdir"], "cellauto": ["filename", "f"], "cover_rect": ["cover"],
        "curves": ["psfile", "plot"], "derain": ["model"], "deshake": ["filename"],
        "dnn_classify": ["model", "labels"],
        "dnn_detect": ["model", "labels"], "dnn_processing": ["model"], "drawtext": ["fontfile", "textfile"],
        "find_rect": ["object"], "fsync": ["file"], "lensfun": ["db_path"],
        "libvmaf": ["model_path", "log_path", "model"], "life": ["filename", "f"], "lut1d": ["file"],
        "lut3d": ["file"], "metadata": ["file"], "ocr": ["datapath"],
        "program_opencl": ["source"], "psnr": ["stats_file", "f"], "qrencode": ["textfile"],
        "qrencodesrc": ["textfile"], "removelogo": ["filename", "f"], "signature": ["filename"], "sr": ["model"],
        "ssim": ["stats_file", "f"], "ssim360": ["stats_file", "f"],
        "paletteuse": ["debug_kdtree"], "selectivecolor": ["psfile"], "showcqt": ["fontfile", "axisfile"],
        "subtitles": ["filename", "f", "fontsdir"], "vmafmotion": ["stats_file"], "xpsnr": ["stats_file", "f"],
    ]
    private static let placeWords = ["file", "path", "url", "address", "folder", "director"]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
