internal import CFFmpeg
internal import VidscanBase

/// Decides which filters may be created. libavfilter sees none before the decision, because creating a filter runs its code.
enum FilterPermission {
    /// Permits filters, and gives every option its name.
    ///
    /// - Parameter allowsFiles: whether filters may reach files, the network and devices.
    /// - Throws: `MediaError` with the code `filter`.
    static func calls(_ uses: [FilterSyntax.Use], allowsFiles: Bool) throws(MediaError) -> [FilterCall] {
        try MediaVersions.loadFilters()
        var calls: [FilterCall] = []
        for use in uses { calls.append(try call(use, allowsFiles: allowsFiles)) }
        guard allowsFiles || FilterCall.isConnected(calls) else {
            throw refusal("a part of the filter chain is not connected to the rest")
        }
        return calls
    }

    private static func call(_ use: FilterSyntax.Use, allowsFiles: Bool) throws(MediaError) -> FilterCall {
        guard let filter = avfilter_get_by_name(use.name) else {
            let near = NearestName.suggestion(for: use.name, among: FilterCatalog.names)
            throw MediaError(.filter, "unknown filter '\(use.name)'\(near)", remedy: .listFilters)
        }
        let reviewed = ReviewedFilters.shipped.filters[use.name]
        if !allowsFiles, reviewed == nil {
            throw refusal("filter '\(use.name)' \(FilterTraits.reach(of: filter).rawValue)")
        }
        let table = FilterOptionTable(filter)
        var call = FilterCall(use.name)
        (call.inputs, call.identifier, call.outputs) = (use.inputs, use.identifier, use.outputs)
        call.startsBranch = use.startsBranch
        for (position, argument) in use.arguments.enumerated() {
            let name = try optionName(argument, position: position, of: use.name, table)
            if !allowsFiles, let reviewed {
                try permit(name, argument.value, takesText: table.takesText(name) == true, of: reviewed)
            }
            call.options.append(FilterCall.Option(name: name, value: argument.value))
        }
        return call
    }

    private static func optionName(
        _ argument: FilterSyntax.Argument, position: Int, of filter: String, _ table: FilterOptionTable
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
            // A number may be written as an expression.
            if let objection = ReviewedFilters.Review.functionObjection(to: value) {
                throw refusal("option '\(option)' of the filter '\(filter.name)' \(objection)")
            }
        }
    }

    /// Options that every filter has.
    private static let general: [String: ReviewedFilters.Review] = ["enable": .expression]

    private static func refusal(_ reason: String) -> MediaError {
        MediaError(.filter, reason, remedy: .permitFilters)
    }
}
