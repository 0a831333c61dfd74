internal import VidscanBase

/// Decides which filters libavfilter may create, because creating a filter runs its code.
enum FilterPermission {
    /// Also gives every option its name. `allowsFiles` lets filters reach files, the network and devices.
    static func named(_ written: [FilterCall], allowsFiles: Bool) throws(MediaError) -> [FilterCall] {
        try MediaVersions.loadFilters()
        let calls = try written.map { call throws(MediaError) in try named(call, allowsFiles: allowsFiles) }
        guard allowsFiles || FilterCall.isConnected(calls) else {
            throw refusal("a part of the filter chain is not connected to the rest")
        }
        return calls
    }

    private static func named(_ call: FilterCall, allowsFiles: Bool) throws(MediaError) -> FilterCall {
        guard let filter = FilterDescription(call.name) else {
            let near = NearestName.suggestion(for: call.name, among: FilterCatalog.names)
            throw MediaError(.filter, "unknown filter '\(call.name)'\(near)", remedy: .listFilters)
        }
        if !allowsFiles, let reach = filter.reach { throw refusal("filter '\(call.name)' \(reach)") }
        let (takesText, positional) = (filter.takesText, filter.positionalOptions)
        var call = call
        for (position, argument) in call.arguments.enumerated() {
            guard let name = argument.name ?? positional.dropFirst(position).first else {
                throw MediaError(.filter, "filter '\(call.name)' takes at most \(positional.count) options")
            }
            guard let takesText = takesText[name] else {
                let near = NearestName.suggestion(for: name, among: takesText.keys.sorted())
                throw MediaError(
                    .filter, "filter '\(call.name)' has no option '\(name)'\(near)",
                    remedy: .listOptions(filter: call.name))
            }
            if !allowsFiles, let review = filter.review {
                try permit(name, argument.value, takesText: takesText, of: review)
            }
            call.arguments[position].name = name
        }
        return call
    }

    private static func permit(
        _ option: String, _ value: String, takesText: Bool, of filter: ReviewedFilters.Filter
    ) throws(MediaError) {
        let review = filter.options[option] ?? (option == "enable" ? .expression : nil)
        guard review != .file else {
            throw refusal("filter '\(filter.name)' accesses a file through its option '\(option)'")
        }
        guard review != nil || !takesText else {
            throw refusal("filter '\(filter.name)' has an option '\(option)' that is not on the reviewed list")
        }
        // A number may be an expression.
        if let objection = (review ?? .expression).objection(to: value) {
            throw refusal("option '\(option)' of the filter '\(filter.name)' \(objection)")
        }
    }

    private static func refusal(_ reason: String) -> MediaError { MediaError(.filter, reason, remedy: .permitFilters) }
}
