/// One filter with the name of every option, as libavfilter gets it.
struct FilterCall: Sendable, Hashable {
    struct Option: Sendable, Hashable {
        var name: String
        var value: String
    }

    var inputs: [String] = []
    var name: String
    var identifier: String?
    var options: [Option] = []
    var outputs: [String] = []
    /// Whether it begins a new branch, so that it is connected with the filter before it only by labels.
    var startsBranch = false

    init(_ name: String, _ options: [(name: String, value: String)] = []) {
        self.name = name
        self.options = options.map { Option(name: $0.name, value: $0.value) }
    }

    /// In FFmpeg's syntax, escaped once for the list of options and once for the list of filters.
    var text: String {
        let labels = { (names: [String]) in names.map { "[\($0)]" }.joined() }
        var text = labels(inputs) + name + (identifier.map { "@" + $0 } ?? "")
        if !options.isEmpty {
            let pairs = options.map { $0.name + "=" + Self.escape($0.value, special: ":'\\") }
            text += "=" + Self.escape(pairs.joined(separator: ":"), special: "[],;'\\")
        }
        return text + labels(outputs)
    }

    /// A list of filters in FFmpeg's syntax.
    static func text(_ calls: [FilterCall]) -> String {
        var text = ""
        for (number, call) in calls.enumerated() {
            if number > 0 { text += call.startsBranch ? ";" : "," }
            text += call.text
        }
        return text
    }

    /// Works on bytes, because a combining character after a quotation mark does not change its meaning.
    private static func escape(_ text: String, special: String) -> String {
        let bytes = Array(text.utf8)
        var escaped: [UInt8] = []
        for (position, byte) in bytes.enumerated() {
            let isOuterSpace = FilterSyntax.spaces.contains(byte) && (position == 0 || position == bytes.count - 1)
            if special.utf8.contains(byte) || isOuterSpace { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Whether commas and labels connect every filter with every other.
    static func isConnected(_ calls: [FilterCall]) -> Bool {
        var group = Array(calls.indices)
        let join = { (a: Int, b: Int) in
            let (from, to) = (group[a], group[b])
            for index in group.indices where group[index] == from { group[index] = to }
        }
        var labels: [String: Int] = [:]
        for (number, call) in calls.enumerated() {
            if number > 0, !call.startsBranch { join(number, number - 1) }
            for label in call.inputs + call.outputs {
                if let other = labels[label] { join(number, other) }
                labels[label] = number
            }
        }
        return Set(group).count <= 1
    }
}
