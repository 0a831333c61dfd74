internal import CFFmpeg

/// Which filters pictures may go through before faces are hidden in the video that they come from.
///
/// Where faces were found in a filtered picture, they are hidden in the unfiltered one of the same moment. So each filter
/// must give exactly one picture for each one that it takes, with the same timestamp, the same size and everything in its
/// place. Only filters that are known to do so are listed; all others are refused. Filters that paint over a part of the
/// picture or fade it out are not listed either: what they cover, no detector sees.
public enum AnonymizationFilters {
    /// Filters that are allowed with any options. `atadenoise` is not among them, because it gives nothing for a video of
    /// fewer than four pictures.
    public static let names = words(
        """
        avgblur bilateral boxblur cas chromahold chromanr chromashift colorbalance colorchannelmixer
        colorcontrast colorcorrect colorhold colorize colorlevels colormatrix colorspace colortemperature copy curves
        dblur dctdnoiz deband deblock deflicker eq exposure format gblur gradfun grayworld histeq hqdn3d hue
        huesaturation limiter lut lut1d lut3d lutrgb lutyuv median monochrome negate nlmeans noformat noise normalize
        null owdenoise pp pp7 pseudocolor removegrain sab selectivecolor setfield setparams setrange smartblur spp
        tonemap unsharp vaguedenoiser vibrance yaepblur
        """)

    /// Deinterlacers, and whether they give one picture for each frame unless their mode says otherwise: one for each
    /// field is twice as many.
    private static let deinterlacers = ["bwdif": false, "yadif": true]
    private static let oneForEachFrame = words("0 2 send_frame send_frame_nospatial")

    /// - Parameter chain: filters in FFmpeg's syntax; nothing of it is built.
    /// - Returns: why faces cannot be hidden after it, as the end of a sentence; `nil` when they can.
    public static func objection(to chain: String) -> String? {
        guard let uses = try? FilterSyntax.parse(chain) else { return "'\(chain)' is no list of filters" }
        guard uses.allSatisfy({ $0.inputs.isEmpty && $0.outputs.isEmpty && !$0.startsBranch }) else {
            return "a filter chain with branches may drop, add, delay or move pictures"
        }
        for use in uses where !names.contains(use.name) {
            guard let isUsual = deinterlacers[use.name], let filter = avfilter_get_by_name(use.name) else {
                return "the filter '\(use.name)' may drop, add, delay or move pictures"
            }
            let modes = modes(use, FilterOptionTable(filter).positional)
            guard modes.isEmpty ? isUsual : modes.allSatisfy(oneForEachFrame.contains) else {
                return "the filter '\(use.name)' adds pictures unless it has mode=send_frame"
            }
        }
        return nil
    }

    /// What a filter's option `mode` is set to, by its name or by its place.
    private static func modes(_ use: FilterSyntax.Use, _ positional: [String]) -> [String] {
        use.arguments.enumerated().compactMap { place, argument in
            let name = argument.name ?? (place < positional.count ? positional[place] : nil)
            return name == "mode" ? argument.value : nil
        }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
