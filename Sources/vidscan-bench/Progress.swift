internal import Foundation

/// Tells on standard error what is under way; standard output is the report alone.
enum Progress {
    static func tell(_ text: String) {
        FileHandle.standardError.write(Data("vidscan-bench: \(text)\n".utf8))
    }
}
