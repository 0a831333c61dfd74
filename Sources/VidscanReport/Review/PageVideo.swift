internal import Foundation
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// The video that a page plays.
struct PageVideo {
    let path: String
    let isPicture: Bool
    /// What to do if the browser cannot play it.
    let advice: String
    /// Whether its codec and its container are ones that browsers play.
    let isWidelyPlayable: Bool

    private static let pictures: Set = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "avif"]
    private static let codecs: [String: Set<String>] = [
        "h264": ["mp4", "m4v", "mov"], "vp8": ["webm"], "vp9": ["webm", "mp4"], "av1": ["webm", "mp4"],
    ]

    /// - Parameters:
    ///   - path: The file.
    ///   - result: The result that the page shows.
    ///   - isSource: Whether the file is the analysed video.
    init(path: String, of result: StoredResult, isSource: Bool) {
        self.path = path
        let suffix = (path as NSString).pathExtension.lowercased()
        let video = result.record.video
        isPicture = Self.pictures.contains(suffix) && video.durationSeconds == nil
        // Videos other than the source are ones that vidscan wrote, or that the user chose for the purpose.
        isWidelyPlayable = isPicture || !isSource || Self.codecs[video.codec]?.contains(suffix) == true
        advice =
            isSource
            ? "A copy that every browser plays: vidscan report --proxy --force \(FilePath.name(of: FilePath.absolute(result.name)))"
            : "Browsers play H.264 in MP4 files."
    }
}
