internal import CFFmpeg
internal import VidscanBase

/// The video filters of the installed libavfilter, from its own tables.
package enum FilterCatalog {
    /// Filters with a video input or output, and those whose pads depend on their options, sorted by name.
    package static let all: [FilterDescription] = {
        var found: [FilterDescription] = []
        var state: UnsafeMutableRawPointer?
        while let filter = av_filter_iterate(&state) {
            if isVideo(filter) { found.append(describe(filter)) }
        }
        return found.sorted { $0.name < $1.name }
    }()

    package static let names: [String] = all.map(\.name)

    package static func named(_ name: String) -> FilterDescription? {
        all.first { $0.name == name }
    }

    /// Empty unless the library is newer than the table.
    package static var uncategorized: [String] { names.filter { FilterCategory.of($0) == nil } }

    /// Audio filters without fixed pads, whose media type the library does not show.
    private static let audioOnly: Set<String> = [
        "afir", "ainterleave", "amerge", "amix", "asegment", "astreamselect", "headphone", "join", "ladspa", "lv2",
    ]

    // MARK: Reading

    private static func isVideo(_ filter: UnsafePointer<AVFilter>) -> Bool {
        let name = String(cString: filter.pointee.name)
        if audioOnly.contains(name) { return false }
        let pads = padTypes(filter, isOutput: false) + padTypes(filter, isOutput: true)
        return pads.contains("video") || pads.isEmpty
    }

    static func padTypes(_ filter: UnsafePointer<AVFilter>, isOutput: Bool) -> [String] {
        let count = avfilter_filter_pad_count(filter, isOutput ? 1 : 0)
        return (0..<Int32(count)).map {
            switch vs_pad_type(filter, isOutput ? 1 : 0, $0) {
            case AVMEDIA_TYPE_VIDEO.rawValue: "video"
            case AVMEDIA_TYPE_AUDIO.rawValue: "audio"
            default: "other"
            }
        }
    }

    private static func describe(_ filter: UnsafePointer<AVFilter>) -> FilterDescription {
        let name = String(cString: filter.pointee.name)
        let flags = filter.pointee.flags
        let timeline = AVFILTER_FLAG_SUPPORT_TIMELINE_GENERIC | AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL
        return FilterDescription(
            name: name, summary: filter.pointee.description.map { String(cString: $0) } ?? "",
            category: FilterCategory.of(name) ?? .other, inputs: padTypes(filter, isOutput: false),
            outputs: padTypes(filter, isOutput: true), hasMoreInputs: flags & AVFILTER_FLAG_DYNAMIC_INPUTS != 0,
            hasMoreOutputs: flags & AVFILTER_FLAG_DYNAMIC_OUTPUTS != 0, isStateless: FilterTraits.isStateless(name),
            isSliceable: flags & AVFILTER_FLAG_SLICE_THREADS != 0, supportsTimeline: flags & timeline != 0,
            reach: ReviewedFilters.shipped.filters[name] == nil ? FilterTraits.reach(of: filter).rawValue : nil,
            options: options(of: filter))
    }

    static func options(of filter: UnsafePointer<AVFilter>) -> [FilterOption] {
        let filterName = String(cString: filter.pointee.name)
        let table = FilterOptionTable.all(of: filter.pointee.priv_class)
        var firstNames: [Int32: String] = [:]
        return table.filter { $0.type != AV_OPT_TYPE_CONST }.map { option in
            let name = String(cString: option.name)
            let alias = firstNames[option.offset]
            if alias == nil { firstNames[option.offset] = name }
            let choices = choices(of: option, table)
            let kind = kind(of: option.type, hasChoices: !choices.isEmpty)
            return FilterOption(
                name: name, kind: kind, help: text(option.help), defaultText: defaultText(option, choices: choices),
                range: range(option, kind: kind), choices: choices, aliasOf: alias,
                reachesFiles: ReviewedFilters.shipped.filters[filterName]?.options[name] == .file)
        }
    }

    private static func choices(of option: AVOption, _ table: [AVOption]) -> [FilterOption.Choice] {
        guard let unit = option.unit.map({ String(cString: $0) }) else { return [] }
        return table.filter { $0.type == AV_OPT_TYPE_CONST && $0.unit.map { String(cString: $0) } == unit }.map {
            var constant = $0
            return FilterOption.Choice(
                name: String(cString: constant.name), meaning: text(constant.help),
                value: vs_option_integer(&constant))
        }
    }

    static func kind(of type: AVOptionType, hasChoices: Bool) -> FilterOption.Kind {
        switch type {
        case AV_OPT_TYPE_BOOL: .flag
        case AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64: hasChoices ? .choice : .integer
        case AV_OPT_TYPE_FLOAT, AV_OPT_TYPE_DOUBLE: .number
        case AV_OPT_TYPE_FLAGS: .flags
        case AV_OPT_TYPE_STRING: .text
        case AV_OPT_TYPE_RATIONAL: .rational
        case AV_OPT_TYPE_IMAGE_SIZE: .size
        case AV_OPT_TYPE_VIDEO_RATE: .rate
        case AV_OPT_TYPE_DURATION: .duration
        case AV_OPT_TYPE_COLOR: .color
        case AV_OPT_TYPE_PIXEL_FMT: .pixelFormat
        case AV_OPT_TYPE_DICT: .dictionary
        case AV_OPT_TYPE_BINARY: .binary
        default: .other
        }
    }

    private static func range(_ option: AVOption, kind: FilterOption.Kind) -> ClosedRange<Double>? {
        switch kind {
        case .integer, .number, .choice, .rational, .duration: break
        default: return nil
        }
        let widest = option.type == AV_OPT_TYPE_FLOAT ? Double(Float.greatestFiniteMagnitude) : 9.2e18
        guard option.min <= option.max, option.min > -widest || option.max < widest else { return nil }
        return option.min...option.max
    }

    private static func defaultText(_ option: AVOption, choices: [FilterOption.Choice]) -> String? {
        var option = option
        switch option.type {
        case AV_OPT_TYPE_BOOL: return [0: "false", 1: "true"][vs_option_integer(&option)] ?? "auto"
        case AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64:
            let value = vs_option_integer(&option)
            return choices.first { $0.value == value }?.name ?? "\(value)"
        case AV_OPT_TYPE_FLAGS:
            let value = vs_option_integer(&option)
            let named = choices.filter { $0.value != 0 && value & $0.value == $0.value }
            let covered = named.reduce(Int64(0)) { $0 | $1.value }
            return covered == value && !named.isEmpty ? named.map(\.name).joined(separator: "+") : "\(value)"
        case AV_OPT_TYPE_FLOAT: return "\(Float(vs_option_number(&option)))"
        case AV_OPT_TYPE_DOUBLE, AV_OPT_TYPE_RATIONAL: return "\(vs_option_number(&option))"
        case AV_OPT_TYPE_DURATION: return "\(Double(vs_option_integer(&option)) / 1e6) s"
        case AV_OPT_TYPE_PIXEL_FMT:
            return text(av_get_pix_fmt_name(AVPixelFormat(Int32(truncatingIfNeeded: vs_option_integer(&option)))))
                ?? "none"
        case AV_OPT_TYPE_STRING, AV_OPT_TYPE_IMAGE_SIZE, AV_OPT_TYPE_VIDEO_RATE, AV_OPT_TYPE_COLOR,
            AV_OPT_TYPE_DICT:
            return text(vs_option_text(&option))
        default: return nil
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

package struct FilterDescription: Sendable, Equatable {
    package let name: String
    package let summary: String
    /// `other` for a filter in no table.
    package let category: FilterCategory
    /// Media types, `video` or `audio`, without inputs that options may add.
    package let inputs: [String]
    package let outputs: [String]
    package let hasMoreInputs: Bool
    package let hasMoreOutputs: Bool
    /// Depends on one frame alone, so only sampled frames are filtered. An option that counts frames overrides this.
    package let isStateless: Bool
    package let isSliceable: Bool
    /// Has the option `enable`, which switches it on and off over time.
    package let supportsTimeline: Bool
    /// What it accesses besides frames; `nil` if it needs no permission.
    package let reach: String?
    package let options: [FilterOption]

    package var isVideoToVideo: Bool {
        inputs == ["video"] && outputs == ["video"] && !hasMoreInputs && !hasMoreOutputs
    }
}

package struct FilterOption: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case flag, integer, number, text, rational, choice, flags, size, rate, duration, color, dictionary, binary
        case pixelFormat = "pixel format"
        case other
    }

    package struct Choice: Sendable, Equatable {
        package let name: String
        package let meaning: String?
        package let value: Int64
    }

    package let name: String
    package let kind: Kind
    package let help: String?
    package let defaultText: String?
    /// `nil` if there is none or if it is as wide as the type.
    package let range: ClosedRange<Double>?
    package let choices: [Choice]
    package let aliasOf: String?
    /// Names a file, a folder or an address, so setting it needs permission.
    package let reachesFiles: Bool
}

package enum FilterCategory: String, Sendable, CaseIterable {
    case blur
    case colorAdjustment = "color-adjustment"
    case colorEffect = "color-effect"
    case composite, distortion, generator, geometry, gradient, halftone, sharpen, stylize, tile, transition
    case deinterlace, denoise, analysis, other

    package static func of(_ filter: String) -> FilterCategory? { byName[filter] }

    private static let byName = Dictionary(table, uniquingKeysWith: { first, _ in first })

    package static let table = FilterTable.values(of: Self.self).map { (filter: $0.filter, category: $0.value) }
}
