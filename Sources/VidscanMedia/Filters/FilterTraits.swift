internal import CFFmpeg

/// Facts about filters that libavfilter does not provide.
enum FilterTraits {
    /// Names in an expression for the frame number or for values from earlier frames.
    private static let historyVariables = Set(words: "n N frame_num n_frames random st ld pos prev_t prev_pts prev_n")

    static func isStateless(_ filter: String, values: [String] = []) -> Bool {
        has(filter, .stateless)
            && !values.contains { value in
                value.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
                    .contains { historyVariables.contains(String($0)) }
            }
    }

    // MARK: Position

    /// For filters that keep the size of the frame: whether the content stays in position.
    static func keepsPosition(_ filter: String) -> Bool {
        if has(filter, .still) { return true }
        guard !has(filter, .moving) else { return false }
        switch FilterCategory.of(filter) {
        case .blur, .colorAdjustment, .colorEffect, .composite, .halftone, .sharpen, .stylize, .deinterlace, .denoise,
            .analysis:
            return true
        default: return false
        }
    }

    // MARK: Reach

    /// Why an unreviewed filter needs permission, as the end of a sentence.
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

    static func reach(of filter: UnsafePointer<AVFilter>) -> Reach {
        let name = String(cString: filter.pointee.name)
        if let known = reaches[name] { return known }
        if deviceSuffixes.contains(where: { name.hasSuffix($0) }) { return .devices }
        let flags = filter.pointee.flags
        let inputs = FilterCatalog.padTypes(filter, isOutput: false)
        let outputs = FilterCatalog.padTypes(filter, isOutput: true)
        if (inputs + outputs).contains(where: { $0 != "video" }) || (inputs + outputs).isEmpty { return .audio }
        if inputs.isEmpty, flags & AVFILTER_FLAG_DYNAMIC_INPUTS == 0 { return .source }
        if outputs.isEmpty, flags & AVFILTER_FLAG_DYNAMIC_OUTPUTS == 0 { return .sink }
        return .unknown
    }

    private static let deviceSuffixes = [
        "_amf", "_cuda", "_npp", "_opencl", "_qsv", "_vaapi", "_videotoolbox", "_vt", "_vulkan",
    ]
    private static let reaches = Dictionary(FilterTable.values(of: Reach.self)) { first, _ in first }

    private enum Fact: String {
        case stateless, still, moving
    }

    private static let facts = Dictionary(grouping: FilterTable.values(of: Fact.self), by: \.value)
        .mapValues { Set($0.map(\.filter)) }

    private static func has(_ filter: String, _ fact: Fact) -> Bool { facts[fact]?.contains(filter) == true }
}

/// The facts in `filter-categories.txt`.
enum FilterTable {
    private static let entries: [(filter: String, section: String)] = {
        var section = ""
        let lines = String(decoding: PackageResources.filter_categories_txt, as: UTF8.self).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.flatMap { line -> [(String, String)] in
            guard line.hasPrefix("[") else { return line.split(separator: " ").map { (String($0), section) } }
            section = String(line.dropFirst().dropLast())
            return []
        }
    }()

    static func values<Value: RawRepresentable<String>>(of type: Value.Type) -> [(filter: String, value: Value)] {
        entries.compactMap { entry in Value(rawValue: entry.section).map { (entry.filter, $0) } }
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
            guard let isDefault = deinterlacers[call.name], let filter = avfilter_get_by_name(call.name) else {
                return
                    "the filter '\(call.name)' may keep faces from the detector, or move, drop or add frames; apply it to"
                    + " the video beforehand"
            }
            let positional = FilterOptionTable(filter).positional
            let modes = call.arguments.enumerated().compactMap { position, argument in
                let name = argument.name ?? (position < positional.count ? positional[position] : nil)
                return name == "mode" ? argument.value : nil
            }
            guard modes.isEmpty ? isDefault : modes.allSatisfy(frameModes.contains) else {
                return "the filter '\(call.name)' adds frames unless it has mode=send_frame"
            }
        }
        return nil
    }
}
