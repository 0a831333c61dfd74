internal import CFFmpeg
internal import VidscanBase

/// Decides which filters libavfilter may create, because creating a filter runs its code.
enum FilterPermission {
    /// Also gives every option its name. `allowsFiles` lets filters reach files, the network and devices.
    static func named(_ written: [FilterCall], allowsFiles: Bool) throws(MediaError) -> [FilterCall] {
        try MediaVersions.loadFilters()
        var calls: [FilterCall] = []
        for call in written { calls.append(try named(call, allowsFiles: allowsFiles)) }
        guard allowsFiles || FilterCall.isConnected(calls) else {
            throw refusal("a part of the filter chain is not connected to the rest")
        }
        return calls
    }

    private static func named(_ call: FilterCall, allowsFiles: Bool) throws(MediaError) -> FilterCall {
        guard let filter = avfilter_get_by_name(call.name) else {
            let near = NearestName.suggestion(for: call.name, among: FilterCatalog.names)
            throw MediaError(.filter, "unknown filter '\(call.name)'\(near)", remedy: .listFilters)
        }
        let reviewed = ReviewedFilters.shipped.filters[call.name]
        if !allowsFiles, reviewed == nil {
            throw refusal("filter '\(call.name)' \(FilterTraits.reach(of: filter).rawValue)")
        }
        let table = FilterOptionTable(filter)
        var call = call
        for (position, argument) in call.arguments.enumerated() {
            let name = try optionName(argument, position: position, of: call.name, table)
            if !allowsFiles, let reviewed {
                try permit(name, argument.value, takesText: table.takesText(name) == true, of: reviewed)
            }
            call.arguments[position].name = name
        }
        return call
    }

    private static func optionName(
        _ argument: FilterCall.Argument, position: Int, of filter: String, _ table: FilterOptionTable
    ) throws(MediaError) -> String {
        guard let name = argument.name else {
            guard position < table.positional.count else {
                throw MediaError(.filter, "filter '\(filter)' takes at most \(table.positional.count) options")
            }
            return table.positional[position]
        }
        guard table.takesText(name) != nil else {
            let near = NearestName.suggestion(for: name, among: table.names)
            throw MediaError(
                .filter, "filter '\(filter)' has no option '\(name)'\(near)", remedy: .listOptions(filter: filter))
        }
        return name
    }

    private static func permit(
        _ option: String, _ value: String, takesText: Bool, of filter: ReviewedFilters.Filter
    ) throws(MediaError) {
        let review = filter.options[option] ?? (general[option])
        switch review {
        case .file?: throw refusal("filter '\(filter.name)' accesses a file through its option '\(option)'")
        case let review?:
            if let objection = review.objection(to: value) {
                throw refusal("option '\(option)' of the filter '\(filter.name)' \(objection)")
            }
        case nil:
            guard !takesText else {
                throw refusal("filter '\(filter.name)' has an option '\(option)' that is not on the reviewed list")
            }
            // A number may be an expression.
            if let objection = ReviewedFilters.Review.functionObjection(to: value) {
                throw refusal("option '\(option)' of the filter '\(filter.name)' \(objection)")
            }
        }
    }

    private static let general: [String: ReviewedFilters.Review] = ["enable": .expression]

    private static func refusal(_ reason: String) -> MediaError {
        MediaError(.filter, reason, remedy: .permitFilters)
    }
}

struct FilterOptionTable {
    /// In the order in which values without names set them.
    let positional: [String]
    /// Options that take text need a review.
    private let takesText: [String: Bool]

    init(_ filter: UnsafePointer<AVFilter>) {
        var takesText: [String: Bool] = [:]
        // A filter's options include general ones and those of its components.
        var classes = [avfilter_get_class(), filter.pointee.priv_class].compactMap { $0 }
        var index = 0
        while index < classes.count {
            for option in Self.all(of: classes[index]) where option.type != AV_OPT_TYPE_CONST {
                let name = String(cString: option.name)
                takesText[name] = Self.takesText(option) || takesText[name] == true
            }
            if index > 0 { classes += Self.children(of: classes[index]).filter { !classes.contains($0) } }
            index += 1
        }
        self.takesText = takesText
        var lastOffset: Int32 = -1
        positional = Self.all(of: filter.pointee.priv_class).filter { $0.type != AV_OPT_TYPE_CONST }.compactMap {
            option in
            defer { lastOffset = option.offset }
            return option.offset != lastOffset ? String(cString: option.name) : nil
        }
    }

    var names: [String] { takesText.keys.sorted() }

    func takesText(_ name: String) -> Bool? { takesText[name] }

    /// Numbers, constants, colours and sizes cannot name a file. Every other type can, and so can types of later versions.
    private static func takesText(_ option: AVOption) -> Bool {
        switch FilterCatalog.kind(of: option.type, hasChoices: false) {
        case .text, .dictionary, .binary: true
        case .other: option.type != AV_OPT_TYPE_SAMPLE_FMT
        default: false
        }
    }

    static func all(of classTable: UnsafePointer<AVClass>?) -> [AVOption] {
        var options: [AVOption] = []
        var option = vs_next_option(classTable, nil)
        while let current = option {
            options.append(current.pointee)
            option = vs_next_option(classTable, current)
        }
        return options
    }

    private static func children(of classTable: UnsafePointer<AVClass>?) -> [UnsafePointer<AVClass>] {
        guard let classTable else { return [] }
        var found: [UnsafePointer<AVClass>] = []
        var state: UnsafeMutableRawPointer?
        while let child = av_opt_child_class_iterate(classTable, &state) { found.append(child) }
        return found
    }
}
