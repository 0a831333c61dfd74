internal import Foundation
internal import VidscanBase

extension FilePath {
    /// Returns the percent-encoded relative URL of a file, for example `../a/report.html`.
    package static func relative(_ path: String, to folder: String) -> String {
        let target = names(absolute(path))
        let base = names(absolute(folder))
        let common = zip(target, base).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let parts = Array(repeating: "..", count: base.count - common) + target[common...].map(String.init)
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
        return parts.map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? $0 }.joined(separator: "/")
    }
}
