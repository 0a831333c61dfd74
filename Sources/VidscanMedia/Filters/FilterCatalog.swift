internal import CFFmpeg

/// The video filters of the installed libavfilter, from its own tables.
package enum FilterCatalog {
    /// Filters with a video input or output, and those whose pads depend on their options, sorted by name.
    package static let all: [FilterDescription] = {
        let filters = sequence(state: nil as UnsafeMutableRawPointer?) { av_filter_iterate(&$0) }
        let found = filters.map { FilterDescription(filter: $0) }.filter { filter in
            let pads = filter.inputs + filter.outputs
            return !audioOnly.contains(filter.name) && (pads.contains("video") || pads.isEmpty)
        }
        return found.sorted { $0.name < $1.name }
    }()

    package static let names: [String] = all.map(\.name)

    package static func named(_ name: String) -> FilterDescription? { all.first { $0.name == name } }

    static func installed(_ name: String) -> FilterDescription? {
        avfilter_get_by_name(name).map(FilterDescription.init(filter:))
    }

    /// Audio filters without fixed pads, whose media type the library does not show.
    private static let audioOnly = Set(
        words: "afir ainterleave amerge amix asegment astreamselect headphone join ladspa lv2")
}

/// `@unchecked Sendable`: libavfilter's tables are constants.
package struct FilterDescription: @unchecked Sendable {
    let filter: UnsafePointer<AVFilter>

    package var name: String { String(cString: filter.pointee.name) }
    package var summary: String { text(filter.pointee.description) ?? "" }
    /// `other` for a filter in no table.
    package var category: FilterCategory { FilterCategory.of(name) ?? .other }
    /// Media types, `video` or `audio`, without inputs that options may add.
    package var inputs: [String] { padTypes(isOutput: 0) }
    package var outputs: [String] { padTypes(isOutput: 1) }
    package var hasMoreInputs: Bool { has(AVFILTER_FLAG_DYNAMIC_INPUTS) }
    package var hasMoreOutputs: Bool { has(AVFILTER_FLAG_DYNAMIC_OUTPUTS) }
    /// Depends on one frame alone, so only sampled frames are filtered. An option that counts frames overrides this.
    package var isStateless: Bool { FilterTraits.isStateless(name) }
    package var isSliceable: Bool { has(AVFILTER_FLAG_SLICE_THREADS) }
    /// Has the option `enable`, which switches it on and off over time.
    package var supportsTimeline: Bool {
        has(AVFILTER_FLAG_SUPPORT_TIMELINE_GENERIC | AVFILTER_FLAG_SUPPORT_TIMELINE_INTERNAL)
    }

    /// What it accesses besides frames, as the end of a sentence; `nil` if it needs no permission.
    package var reach: String? {
        guard review == nil else { return nil }
        if let access = FilterTraits.access(of: name) { return access }
        if Set(inputs + outputs) != ["video"] { return "is not only for video" }
        if inputs.isEmpty, !hasMoreInputs { return "is a source of frames" }
        if outputs.isEmpty, !hasMoreOutputs { return "is a sink for frames" }
        return "is not on the reviewed list"
    }

    /// `nil` for a filter that needs permission.
    var review: ReviewedFilters.Filter? { ReviewedFilters.shipped.filters[name] }

    private func has(_ flags: Int32) -> Bool { filter.pointee.flags & flags != 0 }

    private func padTypes(isOutput: Int32) -> [String] {
        (0..<Int32(avfilter_filter_pad_count(filter, isOutput))).map {
            text(av_get_media_type_string(AVMediaType(vs_pad_type(filter, isOutput, $0)))) ?? "other"
        }
    }

    package var options: [FilterOption] {
        let table = AVOption.all(of: filter.pointee.priv_class)
        var firstNames: [Int32: String] = [:]
        return table.filter { $0.type != AV_OPT_TYPE_CONST }.map { option in
            let alias = firstNames[option.offset]
            firstNames[option.offset] = alias ?? option.nameText
            return FilterOption(
                option, constants: table, aliasOf: alias, reachesFiles: review?.options[option.nameText] == .file)
        }
    }

    /// In the order in which values without names set them.
    var positionalOptions: [String] {
        var lastOffset: Int32 = -1
        return AVOption.all(of: filter.pointee.priv_class).filter { $0.type != AV_OPT_TYPE_CONST }.compactMap {
            option in
            defer { lastOffset = option.offset }
            return option.offset != lastOffset ? option.nameText : nil
        }
    }

    /// Every option, also general ones and those of components, and whether it takes text, which needs a review.
    var takesText: [String: Bool] {
        var takesText: [String: Bool] = [:]
        var classes = [avfilter_get_class(), filter.pointee.priv_class].compactMap { $0 }
        var index = 0
        while index < classes.count {
            for option in AVOption.all(of: classes[index]) where option.type != AV_OPT_TYPE_CONST {
                takesText[option.nameText] = option.takesText || takesText[option.nameText] == true
            }
            var state: UnsafeMutableRawPointer?
            while index > 0, let child = av_opt_child_class_iterate(classes[index], &state) {
                if !classes.contains(child) { classes.append(child) }
            }
            index += 1
        }
        return takesText
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
    package let help, defaultText: String?
    /// `nil` if there is none or if it is as wide as the type.
    package let range: ClosedRange<Double>?
    package let choices: [Choice]
    package let aliasOf: String?
    /// Names a file, a folder or an address, so setting it needs permission.
    package let reachesFiles: Bool

    /// - Parameter constants: options whose unit may be that of `option`.
    fileprivate init(_ option: AVOption, constants: [AVOption], aliasOf: String?, reachesFiles: Bool) {
        let unit = text(option.unit)
        choices = constants.filter { $0.type == AV_OPT_TYPE_CONST && unit != nil && text($0.unit) == unit }.map {
            Choice(name: $0.nameText, meaning: text($0.help), value: $0.integer)
        }
        name = option.nameText
        kind = option.kind == .integer && !choices.isEmpty ? .choice : option.kind
        help = text(option.help)
        defaultText = option.defaultText(choices)
        range = option.range
        (self.aliasOf, self.reachesFiles) = (aliasOf, reachesFiles)
    }
}

extension AVOption {
    fileprivate static func all(of classTable: UnsafePointer<AVClass>?) -> [AVOption] {
        guard let first = vs_next_option(classTable, nil) else { return [] }
        return sequence(first: first) { vs_next_option(classTable, $0) }.map(\.pointee)
    }

    fileprivate var nameText: String { String(cString: name) }
    fileprivate var integer: Int64 { withUnsafePointer(to: self, vs_option_integer) }
    private var number: Double { withUnsafePointer(to: self, vs_option_number) }

    fileprivate var kind: FilterOption.Kind {
        switch type {
        case AV_OPT_TYPE_BOOL: .flag
        case AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64: .integer
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

    /// Numbers, constants, colours and sizes cannot name a file. Every other type can, and so can types of later versions.
    fileprivate var takesText: Bool {
        switch kind {
        case .text, .dictionary, .binary: true
        case .other: type != AV_OPT_TYPE_SAMPLE_FMT
        default: false
        }
    }

    fileprivate var range: ClosedRange<Double>? {
        guard [.integer, .number, .rational, .duration].contains(kind) else { return nil }
        let widest = type == AV_OPT_TYPE_FLOAT ? Double(Float.greatestFiniteMagnitude) : 9.2e18
        return min <= max && (min > -widest || max < widest) ? min...max : nil
    }

    fileprivate func defaultText(_ choices: [FilterOption.Choice]) -> String? {
        switch kind {
        case .flag: return [0: "false", 1: "true"][integer] ?? "auto"
        case .integer: return choices.first { $0.value == integer }?.name ?? "\(integer)"
        case .flags:
            let named = choices.filter { $0.value != 0 && integer & $0.value == $0.value }
            let covered = named.reduce(Int64(0)) { $0 | $1.value }
            return covered == integer && !named.isEmpty ? named.map(\.name).joined(separator: "+") : "\(integer)"
        case .number, .rational: return type == AV_OPT_TYPE_FLOAT ? "\(Float(number))" : "\(number)"
        case .duration: return "\(Double(integer) / 1e6) s"
        case .pixelFormat: return text(av_get_pix_fmt_name(AVPixelFormat(Int32(truncatingIfNeeded: integer)))) ?? "none"
        case .text, .size, .rate, .color, .dictionary: return text(withUnsafePointer(to: self, vs_option_text))
        case .choice, .binary, .other: return nil
        }
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
