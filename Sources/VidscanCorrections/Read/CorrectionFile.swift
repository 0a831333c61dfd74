package import VidscanBase
internal import VidscanResults

/// A file of corrections: `corrections.json`.
package struct CorrectionFile: Sendable {
    /// As the user wrote it.
    package private(set) var path = ""
    package private(set) var text = ""
    /// The name of the video for which the corrections were made, and its size.
    package let video: (name: String, bytes: Int64)
    package let corrections: [Correction]
    /// The same as the file has them.
    package let list: [JSONValue]

    package static let maximumBytes = 4 << 20
    static let format = "vidscan corrections 1"

    /// Throws an error that names the first correction that is wrong.
    package init(path: String) throws(VidscanError) {
        try self.init(text: try TextFile.text(named: path, limit: Self.maximumBytes), path: path)
    }

    /// `path` is for messages.
    package init(text: String, path: String) throws(VidscanError) {
        self = try StrictMembers.decode(text, listing: "corrections", path: path)
        (self.path, self.text) = (path, text)
    }
}

extension CorrectionFile: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder, ["format", "video", "corrections"])
        video = try members.video(format: Self.format)
        corrections = try members.list("corrections", count: 0...AppliedCorrections.maximum)
        list = try members.decode("corrections")
    }
}
