internal import CFFmpeg

/// Facts about filters that libavfilter does not provide: which filters depend on one frame alone, which leave the content
/// of a frame where it is, and which reach beyond the frame.
enum FilterTraits {
    // MARK: Memory

    /// Filters whose output depends only on the pixels and the time of one frame and on the options. All others get every
    /// frame of the video.
    private static let stateless = Set(
        words:
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

    /// Names in an expression that stand for the number of the frame or for a value from earlier frames.
    private static let historyVariables = Set(words: "n N frame_num n_frames random st ld pos prev_t prev_pts prev_n")

    /// Whether the output of a filter with these options does not depend on earlier frames.
    static func isStateless(_ filter: String, values: [String] = []) -> Bool {
        stateless.contains(filter)
            && !values.contains { value in
                value.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
                    .contains { historyVariables.contains(String($0)) }
            }
    }

    static var statelessNames: Set<String> { stateless }

    // MARK: Position

    /// Whether a filter that keeps the size of the frame leaves its content where it is.
    static func keepsPosition(_ filter: String) -> Bool {
        if positionKeepers.contains(filter) { return true }
        guard !positionChangers.contains(filter) else { return false }
        switch FilterCategory.of(filter) {
        case .blur, .colorAdjustment, .colorEffect, .composite, .halftone, .sharpen, .stylize, .deinterlace, .denoise,
            .analysis:
            return true
        default: return false
        }
    }

    private static let positionKeepers = Set(
        words:
            """
            copy cue fade fifo format framerate framestep fps loop mpdecimate noformat null perms realtime select setdar
            setparams setpts setsar settb sidedata thumbnail tmix tpad trim
            """)
    private static let positionChangers = Set(
        words: "convolve fftfilt field framepack morpho separatefields xcorrelate")

    // MARK: Reach

    /// Why a filter that has not been reviewed needs permission, as the end of a sentence.
    enum Reach: String {
        case files = "reads or writes files"
        case network = "listens on the network"
        case devices = "uses a device"
        case program = "loads a program library"
        case commands = "sends commands to other filters, which may name files"
        case audio = "is not only for video"
        case source = "is a source of frames"
        case sink = "is a sink for frames"
        case unknown = "is not on the reviewed list"
    }

    /// - Returns: `unknown` for a filter that reaches nothing beyond the frame.
    static func reach(of filter: UnsafePointer<AVFilter>) -> Reach {
        let name = String(cString: filter.pointee.name)
        if let known = reaches[name] { return known }
        if deviceSuffixes.contains(where: { name.hasSuffix($0) }) { return .devices }
        let flags = filter.pointee.flags
        let (inputs, outputs) = (
            avfilter_filter_pad_count(filter, 0), avfilter_filter_pad_count(filter, 1)
        )
        let pads =
            (0..<Int32(inputs)).map { vs_pad_type(filter, 0, $0) }
            + (0..<Int32(outputs)).map { vs_pad_type(filter, 1, $0) }
        if pads.contains(where: { $0 != AVMEDIA_TYPE_VIDEO.rawValue }) || pads.isEmpty { return .audio }
        if inputs == 0, flags & AVFILTER_FLAG_DYNAMIC_INPUTS == 0 { return .source }
        if outputs == 0, flags & AVFILTER_FLAG_DYNAMIC_OUTPUTS == 0 { return .sink }
        return .unknown
    }

    private static let deviceSuffixes = [
        "_amf", "_cuda", "_npp", "_opencl", "_qsv", "_vaapi", "_videotoolbox", "_vt", "_vulkan",
    ]
    private static let reaches: [String: Reach] = [
        "movie": .files, "amovie": .files, "zmq": .network, "azmq": .network, "frei0r": .program,
        "frei0r_src": .program, "ladspa": .program, "lv2": .program, "sendcmd": .commands, "asendcmd": .commands,
        "hwupload": .devices, "hwmap": .devices, "hwdownload": .devices, "openclsrc": .devices, "ddagrab": .devices,
        "libplacebo": .devices, "coreimage": .devices, "coreimagesrc": .devices, "arnndn": .files, "asr": .files,
        "ass": .files, "cellauto": .files, "cover_rect": .files, "derain": .files, "dnn_classify": .files,
        "dnn_detect": .files, "dnn_processing": .files, "fieldhint": .files, "find_rect": .files, "flite": .files,
        "fsync": .files, "lensfun": .files, "libvmaf": .files, "life": .files, "nnedi": .files, "ocr": .files,
        "ocv": .files, "removelogo": .files, "sofalizer": .files, "sr": .files, "subtitles": .files,
        "vidstabdetect": .files, "vidstabtransform": .files,
    ]
}

extension Set<String> {
    /// The words of a text.
    init(words text: String) { self.init(text.split(whereSeparator: \.isWhitespace).map(String.init)) }
}
