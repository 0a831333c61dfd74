internal import CFFmpeg

/// The filters that are allowed before detection when faces are to be anonymized.
///
/// Faces that are found in a filtered frame are hidden in the unfiltered frame of the same time. Therefore a filter must
/// give exactly one frame for each input frame, with the same timestamp, the same size and all content in the same
/// position, and must leave visible to the detector what is visible in the unfiltered frame. A filter that darkens, blurs
/// or recolours frames does not: with `eq=brightness=-1`, a detector finds nothing.
public enum AnonymizationFilters {
    /// Filters that are allowed with any options.
    public static let names: Set<String> = ["copy", "null", "setfield"]

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
                return
                    "the filter '\(use.name)' may keep faces from the detector, or move, drop or add frames; apply it to"
                    + " the video beforehand"
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
