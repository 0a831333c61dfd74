package import VidscanBase

/// What the record beside a video with hidden faces says of it.
package struct HiddenVideoRecord: Decodable {
    /// Who was to stay visible.
    struct Visible: Decodable { let keptPersonIds, hiddenPersonIds, keptFaceIds: [Int]? }
    package let invert: Bool?
    package let sha256: String?
    /// Those who were kept visible: first and last time in seconds, and the four numbers of a box.
    package let visibleFaces: [[Double]]?
    let corrections: String?
    let covers: [String: JSONValue]?
    let visible: Visible?
    let weaknesses: [String]?

    /// Returns `nil` if there is none. One that cannot be read is an error, because what it says may protect somebody.
    package static func read(_ path: String) throws(VidscanError) -> Self? {
        guard FileSystem.entry(path) != nil else { return nil }
        return try RecordFile.decode(
            Self.self, folder: FilePath.folder(of: path), name: FilePath.name(of: path), limit: ReadLimits.hidingRecord)
    }
}
