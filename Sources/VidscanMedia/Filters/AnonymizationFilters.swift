internal import CFFmpeg

/// The filters that are allowed before detection when faces are to be anonymized.
///
/// Faces that are found in a filtered frame are hidden in the unfiltered frame of the same time. Therefore each filter
/// must give exactly one frame for each input frame, with the same timestamp, the same size and all content in the same
/// position. Only filters that are known to do this are allowed. Filters that cover or fade a part of the frame are not,
/// because a detector does not see what they cover.
public enum AnonymizationFilters {
    /// Filters that are allowed with any options. `atadenoise` is missing because it gives no frame at all for a video of
    /// fewer than four frames.
    public static let names = Set(
        words:
            """
            avgblur bilateral boxblur cas chromahold chromanr chromashift colorbalance colorchannelmixer
            colorcontrast colorcorrect colorhold colorize colorlevels colormatrix colorspace colortemperature copy curves
            dblur dctdnoiz deband deblock deflicker eq exposure format gblur gradfun grayworld histeq hqdn3d hue
            huesaturation limiter lut lut1d lut3d lutrgb lutyuv median monochrome negate nlmeans noformat noise normalize
            null owdenoise pp pp7 pseudocolor removegrain sab selectivecolor setfield setparams setrange smartblur spp
            tonemap unsharp vaguedenoiser vibrance yaepblur
            """)

    /// Deinterlacers, and whether their default mode gives one frame for each input frame and not for each field.
    private static let deinterlacers = ["bwdif": false, "yadif": true]
    /// Values of `mode` that give one frame for each input frame.
    private static let frameModes = Set(words: "0 2 send_frame send_frame_nospatial")

    /// Checks a filter chain, without building it.
    ///
    /// - Parameter chain: in FFmpeg's syntax.
    /// - Returns: why the chain is not allowed, as the end of a sentence; `nil` if it is allowed.
    public static func objection(to chain: String) -> String? {
        guard let uses = try? FilterSyntax.parse(chain) else { return "'\(chain)' is not a filter chain" }
        guard uses.allSatisfy({ $0.inputs.isEmpty && $0.outputs.isEmpty && !$0.startsBranch }) else {
            return "a filter chain with branches may drop, add, delay or move frames"
        }
        for use in uses where !names.contains(use.name) {
            guard let isDefault = deinterlacers[use.name], let filter = avfilter_get_by_name(use.name) else {
                return "the filter '\(use.name)' may drop, add, delay or move frames"
            }
            let modes = modes(use, FilterOptionTable(filter).positional)
            guard modes.isEmpty ? isDefault : modes.allSatisfy(frameModes.contains) else {
                return "the filter '\(use.name)' adds frames unless it has mode=send_frame"
            }
        }
        return nil
    }

    /// The values of a filter's option `mode`, which is set by its name or by its position.
    private static func modes(_ use: FilterSyntax.Use, _ positional: [String]) -> [String] {
        use.arguments.enumerated().compactMap { position, argument in
            let name = argument.name ?? (position < positional.count ? positional[position] : nil)
            return name == "mode" ? argument.value : nil
        }
    }
}
