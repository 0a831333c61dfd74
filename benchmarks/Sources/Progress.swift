internal import Foundation

/// Reports progress on standard error. Standard output contains only the report.
enum Progress {
    static func report(_ text: String) {
        FileHandle.standardError.write(Data("vidscan-bench: \(text)\n".utf8))
    }
}
