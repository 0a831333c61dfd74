/// Facts about filters that libavfilter does not provide, from `filter-categories.txt`.
enum FilterTraits {
    fileprivate static let entries: [(filter: String, section: String)] = {
        var section = ""
        let lines = String(decoding: PackageResources.filter_categories_txt, as: UTF8.self).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.flatMap { line -> [(String, String)] in
            guard line.hasPrefix("[") else { return line.split(separator: " ").map { (String($0), section) } }
            section = String(line.dropFirst().dropLast())
            return []
        }
    }()

    fileprivate static let sections = Dictionary(grouping: entries, by: \.filter).mapValues { $0.map(\.section) }

    private static func isListed(_ name: String, in list: String) -> Bool { sections[name]?.contains(list) == true }

    /// Names in an expression for the frame number or for values from earlier frames.
    private static let historyVariables = Set(words: "n N frame_num n_frames random st ld pos prev_t prev_pts prev_n")

    static func isStateless(_ filter: String, values: [String] = []) -> Bool {
        isListed(filter, in: "stateless") && historyVariables.isDisjoint(with: values.flatMap(names))
    }

    static func names(in expression: String) -> [String] {
        expression.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    /// For filters that keep the size of the frame: whether the content stays in position.
    static func keepsPosition(_ filter: String) -> Bool {
        if isListed(filter, in: "still") { return true }
        guard !isListed(filter, in: "moving"), let category = FilterCategory.of(filter) else { return false }
        return [
            .blur, .colorAdjustment, .colorEffect, .composite, .halftone, .sharpen, .stylize, .deinterlace, .denoise,
            .analysis,
        ].contains(category)
    }

    static func access(of filter: String) -> String? {
        let prefix = "access: "
        if let section = sections[filter]?.first(where: { $0.hasPrefix(prefix) }) {
            return String(section.dropFirst(prefix.count))
        }
        return deviceSuffixes.contains { filter.hasSuffix($0) } ? "uses a device" : nil
    }

    private static let deviceSuffixes = Set(words: "_amf _cuda _npp _opencl _qsv _vaapi _videotoolbox _vt _vulkan")
}

package enum FilterCategory: String, Sendable, CaseIterable {
    case blur
    case colorAdjustment = "color-adjustment"
    case colorEffect = "color-effect"
    case composite, distortion, generator, geometry, gradient, halftone, sharpen, stylize, tile, transition
    case deinterlace, denoise, analysis, other

    package static func of(_ name: String) -> Self? { FilterTraits.sections[name]?.lazy.compactMap(Self.init).first }

    package static let table = FilterTraits.entries.compactMap { entry in
        FilterCategory(rawValue: entry.section).map { (filter: entry.filter, category: $0) }
    }
}

extension Set<String> {
    init(words text: String) { self.init(text.split(whereSeparator: \.isWhitespace).map(String.init)) }
}

/// The filters allowed before detection when faces are to be anonymized.
///
/// Faces found in a filtered frame are hidden in the unfiltered frame of the same time. A filter must therefore give exactly one
/// frame per input frame, with the same timestamp, size and positions, and must not hide faces from the detector. Filters that
/// darken, blur or recolour are out: with `eq=brightness=-1`, a detector finds nothing.
package enum AnonymizationFilters {
    package static let names: Set<String> = ["copy", "null", "setfield"]
    /// Deinterlacers, and whether their default mode gives one frame per input frame, not per field.
    private static let deinterlacers = ["bwdif": false, "yadif": true]
    /// Values of `mode` that give one frame per input frame.
    private static let frameModes = Set(words: "0 2 send_frame send_frame_nospatial")

    /// Checks a chain in FFmpeg's syntax, without building it. Returns why it is not allowed, as the end of a sentence.
    package static func objection(to chain: String) -> String? {
        guard let calls = try? FilterSyntax.parse(chain) else { return "'\(chain)' is not a filter chain" }
        guard calls.allSatisfy(\.isLinear) else {
            return "a filter chain with branches may drop, add, delay or move frames"
        }
        for call in calls where !names.contains(call.name) {
            guard let isDefault = deinterlacers[call.name], let filter = FilterCatalog.installed(call.name) else {
                let reason = "may keep faces from the detector, or move, drop or add frames"
                return "the filter '\(call.name)' \(reason); apply it to the video beforehand"
            }
            let modes = call.arguments.enumerated().compactMap { position, argument in
                let name = argument.name ?? filter.positionalOptions.dropFirst(position).first
                return name == "mode" ? argument.value : nil
            }
            guard modes.isEmpty ? isDefault : modes.allSatisfy(frameModes.contains) else {
                return "the filter '\(call.name)' adds frames unless it has mode=send_frame"
            }
        }
        return nil
    }
}
