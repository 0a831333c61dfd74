internal import CFFmpeg

/// The options of a filter, from the tables of the installed library.
struct FilterOptionTable {
    /// Names of the options in the order in which values without names set them.
    let positional: [String]
    /// Whether an option takes text, which needs a review, by name.
    private let takesText: [String: Bool]

    init(_ filter: UnsafePointer<AVFilter>) {
        var positional: [String] = []
        var takesText: [String: Bool] = [:]
        // The options of every filter, and those of a filter's components, are set like the filter's own.
        Self.forEachOption(of: avfilter_get_class()) { option in
            takesText[String(cString: option.name)] = Self.takesText(option)
        }
        var lastOffset: Int32 = -1
        Self.forEachOption(of: filter.pointee.priv_class) { option in
            let name = String(cString: option.name)
            takesText[name] = Self.takesText(option) || takesText[name] == true
            if option.offset != lastOffset { positional.append(name) }
            lastOffset = option.offset
        }
        var waiting = Self.children(of: filter.pointee.priv_class)
        var seen: Set<UnsafePointer<AVClass>> = []
        while let child = waiting.popLast(), seen.insert(child).inserted {
            Self.forEachOption(of: child) { option in
                let name = String(cString: option.name)
                takesText[name] = Self.takesText(option) || takesText[name] == true
            }
            waiting += Self.children(of: child)
        }
        self.positional = positional
        self.takesText = takesText
    }

    var names: [String] { takesText.keys.sorted() }

    /// Options that take text.
    var textNames: [String] { takesText.filter(\.value).keys.sorted() }

    /// - Returns: `nil` for an option that the filter does not have.
    func takesText(_ name: String) -> Bool? { takesText[name] }

    /// Numbers, constants, colours and sizes cannot name a file. Every other type can, and so can types of later versions.
    private static func takesText(_ option: AVOption) -> Bool {
        switch option.type {
        case AV_OPT_TYPE_BOOL, AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64, AV_OPT_TYPE_FLOAT,
            AV_OPT_TYPE_DOUBLE, AV_OPT_TYPE_FLAGS, AV_OPT_TYPE_RATIONAL, AV_OPT_TYPE_IMAGE_SIZE,
            AV_OPT_TYPE_VIDEO_RATE, AV_OPT_TYPE_DURATION, AV_OPT_TYPE_COLOR, AV_OPT_TYPE_PIXEL_FMT,
            AV_OPT_TYPE_SAMPLE_FMT:
            false
        default: true
        }
    }

    private static func forEachOption(of classTable: UnsafePointer<AVClass>?, _ body: (AVOption) -> Void) {
        var option = vs_next_option(classTable, nil)
        while let current = option {
            if current.pointee.type != AV_OPT_TYPE_CONST { body(current.pointee) }
            option = vs_next_option(classTable, current)
        }
    }

    private static func children(of classTable: UnsafePointer<AVClass>?) -> [UnsafePointer<AVClass>] {
        guard let classTable else { return [] }
        var found: [UnsafePointer<AVClass>] = []
        var state: UnsafeMutableRawPointer?
        while let child = av_opt_child_class_iterate(classTable, &state) { found.append(child) }
        return found
    }
}
