internal import CFFmpeg

/// FFmpeg's own writing of filters, `crop=iw/2:ih/2,eq=brightness=0.1`, taken apart with libavutil's own tokenizer, so that
/// what is looked at here is what libavfilter will see.
enum FilterSyntax {
    /// One filter as it is written.
    struct Use: Sendable, Hashable {
        var name: String
        /// What follows the equals sign, with one level of quoting taken off.
        var arguments: String
        /// The whole of it as written.
        var text: String
    }

    struct Parsed: Sendable, Hashable {
        var uses: [Use]
        /// One filter after the other: no labels, no branches.
        var isLinear: Bool
    }

    /// - Returns: `nil` when the text is no list of filters.
    static func parse(_ text: String) -> Parsed? {
        text.withCString { start in
            var parsed = Parsed(uses: [], isLinear: true)
            var cursor: UnsafePointer<CChar>? = start
            while true {
                skip(&cursor, spaces)
                while current(cursor) == UInt8(ascii: "[") {
                    parsed.isLinear = false
                    guard skipLabel(&cursor) else { return nil }
                }
                let begin = cursor
                guard let name = token(&cursor, until: "=,;["), !name.isEmpty else { return nil }
                var arguments = ""
                if current(cursor) == UInt8(ascii: "=") {
                    cursor = cursor?.advanced(by: 1)
                    arguments = token(&cursor, until: "[],;") ?? ""
                }
                let written = between(begin, cursor)
                parsed.uses.append(
                    Use(name: String(name.prefix { $0 != "@" }), arguments: arguments, text: written))
                skip(&cursor, spaces)
                while current(cursor) == UInt8(ascii: "[") {
                    parsed.isLinear = false
                    guard skipLabel(&cursor) else { return nil }
                }
                switch current(cursor) {
                case 0: return parsed
                case UInt8(ascii: ","): break
                case UInt8(ascii: ";"): parsed.isLinear = false
                default: return nil
                }
                cursor = cursor?.advanced(by: 1)
            }
        }
    }

    /// The options that a filter's arguments set, by name: those without one are the table's, in its order.
    ///
    /// - Returns: `nil` when the arguments are no options.
    static func options(_ use: Use, of filter: UnsafePointer<AVFilter>) -> [(name: String, value: String)]? {
        var positional = positionalNames(filter)
        return use.arguments.withCString { start -> [(name: String, value: String)]? in
            var options: [(name: String, value: String)] = []
            var cursor: UnsafePointer<CChar>? = start
            while current(cursor) != 0 {
                var key: UnsafeMutablePointer<CChar>?
                var value: UnsafeMutablePointer<CChar>?
                let flags = positional.isEmpty ? 0 : UInt32(AV_OPT_FLAG_IMPLICIT_KEY)
                guard av_opt_get_key_value(&cursor, "=", ":", flags, &key, &value) >= 0 else { return nil }
                defer {
                    av_free(key)
                    av_free(value)
                }
                let text = value.map { String(cString: $0) } ?? ""
                if let key {
                    options.append((String(cString: key), text))
                    positional = []
                } else {
                    options.append((positional.removeFirst(), text))
                }
                if current(cursor) != 0 { cursor = cursor?.advanced(by: 1) }
            }
            return options
        }
    }

    /// Names of a filter's options in the order of its table, without second names for the same option.
    private static func positionalNames(_ filter: UnsafePointer<AVFilter>) -> [String] {
        var names: [String] = []
        var lastOffset: Int32 = -1
        var option = vs_next_option(filter.pointee.priv_class, nil)
        while let current = option {
            if current.pointee.type != AV_OPT_TYPE_CONST, current.pointee.offset != lastOffset {
                lastOffset = current.pointee.offset
                names.append(String(cString: current.pointee.name))
            }
            option = vs_next_option(filter.pointee.priv_class, current)
        }
        return names
    }

    /// Writes one filter with its options, quoting what must be: once for the options, once for the list of filters.
    public static func text(name: String, options: [(name: String, value: String)]) -> String {
        guard !options.isEmpty else { return name }
        let pairs = options.map { $0.name + "=" + escape($0.value, special: ":'\\") }
        return name + "=" + escape(pairs.joined(separator: ":"), special: "[],;'\\")
    }

    private static func escape(_ text: String, special: String) -> String {
        var escaped = ""
        for (place, character) in text.enumerated() {
            let isOuterSpace = character.isWhitespace && (place == 0 || place == text.count - 1)
            if special.contains(character) || isOuterSpace { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }

    // MARK: Bytes

    private static let spaces = Array(" \n\t\r".utf8)

    private static func current(_ cursor: UnsafePointer<CChar>?) -> UInt8 {
        cursor.map { UInt8(bitPattern: $0.pointee) } ?? 0
    }

    private static func skip(_ cursor: inout UnsafePointer<CChar>?, _ bytes: [UInt8]) {
        while bytes.contains(current(cursor)) { cursor = cursor?.advanced(by: 1) }
    }

    private static func skipLabel(_ cursor: inout UnsafePointer<CChar>?) -> Bool {
        cursor = cursor?.advanced(by: 1)
        _ = token(&cursor, until: "]")
        guard current(cursor) == UInt8(ascii: "]") else { return false }
        cursor = cursor?.advanced(by: 1)
        skip(&cursor, spaces)
        return true
    }

    private static func token(_ cursor: inout UnsafePointer<CChar>?, until terminators: String) -> String? {
        guard let token = av_get_token(&cursor, terminators) else { return nil }
        defer { av_free(token) }
        return String(cString: token)
    }

    private static func between(_ begin: UnsafePointer<CChar>?, _ end: UnsafePointer<CChar>?) -> String {
        guard let begin, let end else { return "" }
        return begin.withMemoryRebound(to: UInt8.self, capacity: end - begin) {
            String(decoding: UnsafeBufferPointer(start: $0, count: end - begin), as: UTF8.self)
        }
    }
}
