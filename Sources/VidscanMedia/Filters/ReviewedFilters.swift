/// The filters that need no permission, from `reviewed-filters.txt`.
package struct ReviewedFilters: Sendable {
    /// A reviewer's finding about an option that takes text.
    package enum Review: String, Sendable, CaseIterable {
        case expression, expansion, text, name, list, color, count, file

        /// Why a value needs permission, as the end of a sentence.
        func objection(to value: String) -> String? {
            switch self {
            case .file: return "accesses a file"
            case .text: return nil
            case .name:
                let isName = value.utf8.allSatisfy { FilterSyntax.isWord($0) || " .+-".utf8.contains($0) }
                return isName ? nil : "is not a plain name"
            case .count:
                let isCount = (1...3).contains(value.utf8.count) && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
                return isCount ? nil : "is not a number of at most three digits"
            case .expansion:
                let expands = Array(value.utf8).firstRange(of: Array("%{".utf8)) != nil
                return expands ? Self.functionObjection(to: value) : nil
            case .expression, .list, .color: return Self.functionObjection(to: value)
            }
        }

        /// Functions that may run for hours or write to the log.
        private static let functions = ["while", "root", "taylor", "print"]

        /// Why a value that FFmpeg may evaluate as an expression, also for a number, needs permission. FFmpeg removes
        /// white space from expressions, text expansion removes quotation marks and escapes, and characters between a
        /// function's name and its parenthesis are ignored.
        static func functionObjection(to value: String) -> String? {
            // FFmpeg compares bytes, so a combining character after the last letter of a name does not hide the name.
            let bare = value.utf8.filter { !" \n\t\r\u{B}\u{C}\\'".utf8.contains($0) }
            let isCalled = { (name: String) in
                bare.firstRange(of: Array(name.utf8)).map { bare[$0.upperBound...].contains(UInt8(ascii: "(")) } == true
            }
            return functions.first(where: isCalled).map { "uses the function '\($0)'" }
        }
    }

    package struct Filter: Sendable, Equatable {
        package let name: String
        /// The FFmpeg version that added it; `nil` for 5.1 and earlier.
        package let since: String?
        package let options: [String: Review]
    }

    package let filters: [String: Filter]

    /// If the built-in list were damaged, it would be empty, and every filter would need permission.
    package static let shipped = ReviewedFilters(shippedText) ?? ReviewedFilters(filters: [:])

    package static var shippedText: String { String(decoding: PackageResources.reviewed_filters_txt, as: UTF8.self) }
}

extension ReviewedFilters {
    /// Fails if a line is not a filter's name, the version that added it, if it is known, and reviews of its options.
    package init?(_ text: String) {
        var filters: [String: Filter] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            var words = line.split(separator: " ")[...]
            guard let name = words.popFirst().map(String.init), Self.isName(name), line.hasPrefix(name),
                filters[name] == nil
            else { return nil }
            var since: String?
            if let word = words.first, word.wholeMatch(of: /[0-9]+\.[0-9]+/) != nil {
                since = words.popFirst().map(String.init)
            }
            var options: [String: Review] = [:]
            for word in words {
                let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, Self.isName(parts[0]), let review = Review(rawValue: parts[1]),
                    options.updateValue(review, forKey: parts[0]) == nil
                else { return nil }
            }
            filters[name] = Filter(name: name, since: since, options: options)
        }
        self.init(filters: filters)
    }

    private static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(FilterSyntax.isWord) }
}
