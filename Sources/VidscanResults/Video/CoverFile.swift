package import VidscanBase
internal import VidscanMedia

/// What a person decided about a video with hidden faces: what to cover that the detector missed, and which of its covers
/// are of no face. `covers.json`, or `NAME.covers.json` beside the result `NAME.vidscan`.
package struct CoverFile: Decodable, Sendable {
    /// A box that moves in straight lines from one keyframe to the next.
    package struct Region: Decodable, Sendable {
        /// What to cover; `nil` releases the covers of a face.
        package let what: What?
        /// Whether the cover also follows the picture from one keyframe to the next.
        package let follows: Bool
        /// In the order of time.
        package let keyframes: [FaceReference]

        package init(from decoder: any Decoder) throws {
            let members = try StrictMembers(decoder, ["do", "what", "follow", "keyframes"])
            let (action, releases) = (try members.text("do", maximum: 100), !members.has("what"))
            guard action == (releases ? "release" : "cover") else {
                throw members.problem("do", "is neither 'cover' with 'what' nor 'release' without it")
            }
            what = releases ? nil : What(rawValue: try members.text("what", maximum: 100))
            guard what != nil || releases else {
                throw members.problem("what", "must be \(What.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard !releases || !members.has("follow") else { throw members.problem("follow", "is only for 'cover'") }
            follows = members.has("follow") ? try members.decode("follow") : false
            keyframes = try members.list("keyframes", count: 1...CoverFile.maximum)
            guard zip(keyframes, keyframes.dropFirst()).allSatisfy({ $0.microseconds < $1.microseconds }) else {
                throw members.problem("keyframes", "are not in the order of time")
            }
        }

        /// In microseconds, on the clock of the tables.
        package var times: ClosedRange<Int64> {
            keyframes[0].microseconds...keyframes[keyframes.count - 1].microseconds
        }

        /// In pixels of the video as displayed; `nil` at another time than those of the keyframes, extended by `reach`.
        package func box(at microseconds: Int64, reach: Int64 = 0) -> Rectangle? {
            guard microseconds >= times.lowerBound - reach, microseconds <= times.upperBound + reach else { return nil }
            let next = keyframes.partitionIndex { $0.microseconds > microseconds }
            guard next > 0 else { return keyframes[0].box }
            let from = keyframes[next - 1]
            guard next < keyframes.count else { return from.box }
            let to = keyframes[next]
            let fraction = Double(microseconds - from.microseconds) / Double(to.microseconds - from.microseconds)
            return from.box.interpolated(to: to.box, fraction: fraction)
        }
    }

    package enum What: String, Sendable, CaseIterable { case face, plate, caption, screen }

    /// The name and SHA-256 of the file, for messages and the record.
    package private(set) var (name, sha256) = ("", "")
    private let video: (name: String, bytes: Int64)
    package let regions: [Region]
    package var releases: Int { regions.count { $0.what == nil } }

    /// `2 covers of a.covers.json, which releases a face in 12 frames`
    package func words(releasedFrames: Int) -> String {
        let drawn = "\(NumberText.count(regions.count - releases, "cover")) of \(name)"
        return drawn + (releases > 0 ? ", which releases a face in \(NumberText.count(releasedFrames, "frame"))" : "")
    }

    static let format = "vidscan covers 1"
    package static let ending = ".covers.json"
    package static let maximumBytes = 4 << 20
    private static let maximum = 10_000

    /// Throws an error that names the file in its reason, because its input is the video, and the first item that is wrong.
    package init(path: String) throws(VidscanError) {
        do throws(VidscanError) {
            try self.init(text: try TextFile.text(named: path, limit: Self.maximumBytes), path: path)
        } catch { throw .result("\(path): \(error.reason)") }
    }

    /// `path` is for messages.
    package init(text: String, path: String) throws(VidscanError) {
        self = try StrictMembers.decode(text, listing: "covers", path: path)
        (name, sha256) = (FilePath.name(of: path), FileDigest.sha256(text: text))
    }

    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder, ["format", "video", "covers"])
        video = try members.video(format: Self.format)
        regions = try members.list("covers", count: 0...Self.maximum)
    }

    /// Throws unless all regions lie in the video of the result.
    package func check(_ record: RunRecord) throws(VidscanError) {
        let problem = { (reason: String) in VidscanError.result("\(name) does not fit: \(reason)") }
        guard record.input.bytes == video.bytes else {
            throw problem("it is for the video \(Printable.line(video.name)) of \(video.bytes) bytes")
        }
        let size = [record.video.displayWidth, record.video.displayHeight].map { Double($0 ?? .max) }
        let picture = Rectangle(x: 0, y: 0, width: size[0], height: size[1])
        let end = record.video.durationSeconds.map { Int64(($0 * 1e6).rounded(.up)) } ?? .max
        for (index, region) in regions.enumerated() {
            guard region.times.lowerBound >= 0, region.times.upperBound <= end else {
                throw problem("cover \(index + 1) has a time outside the video")
            }
            guard region.keyframes.allSatisfy({ $0.box.intersectionArea(with: picture) > 0 }) else {
                throw problem("cover \(index + 1) has a box outside the picture")
            }
        }
    }

    /// Where the file of a result is looked for, or with another ending a file like it.
    package static func usualPath(beside result: String, ending: String = ending) -> String {
        let folder = FilePath.resolved(result)
        return (folder.hasSuffix(".vidscan") ? String(folder.dropLast(8)) : folder) + ending
    }

    /// Whether a result's video with hidden faces, if any, has the current covers: at the path, or beside the result.
    package static func areCurrent(in result: String, path: String?, isInverted: Bool) -> Bool {
        do {
            let record = "\(result)/\(isInverted ? "inverted" : "anonymized").json"
            guard let made = try HiddenVideoRecord.read(record) else { return true }
            let drawn = try (path ?? Self.path(beside: result)).map { try CoverFile(path: $0) }
            return made.covers?["sha256"] == drawn.map { .text($0.sha256) }
        } catch { return false }
    }

    /// Returns the path of the file beside a result, or `nil` if there is none. Throws if the video in the result, or the one
    /// at `output`, was made with covers, or the former has lost its record: without the file, covers would be lost.
    package static func path(beside result: String, output: String? = nil) throws(VidscanError) -> String? {
        let path = usualPath(beside: result)
        guard FileSystem.entry(path, followsLinks: false) == nil else { return path }
        let records = ["anonymized", "inverted"].map { "\(FilePath.absolute(result))/\($0).json" }
        for record in records + (output.map { [FilePath.absolute($0) + ".json"] } ?? []) {
            try require(
                HiddenVideoRecord.read(record)?.covers == nil, .result,
                "\(FilePath.name(of: record)) says that the earlier video was made with covers, and"
                    + " \(FilePath.name(of: path)) is missing; put it back, or one with an empty list")
        }
        let hidden = StoredResult.videosWithHiddenFaces(in: FilePath.absolute(result))
        try require(
            hidden.isEmpty || FileSystem.entry(records[0]) != nil, .result,
            "the record of its hidden video is missing; put its covers, or an empty list, into"
                + " \(FilePath.name(of: path))")
        return nil
    }
}

extension Rectangle {
    package func interpolated(to other: Rectangle, fraction: Double) -> Rectangle {
        Rectangle(
            x: x + (other.x - x) * fraction, y: y + (other.y - y) * fraction,
            width: width + (other.width - width) * fraction, height: height + (other.height - height) * fraction)
    }
}

/// A face, or another part of the picture, at a moment.
package struct FaceReference: Decodable, Sendable, Equatable {
    /// On the clock of the tables.
    package var microseconds: Int64
    /// In pixels of the source video as it is displayed.
    package var box: Rectangle

    package init(from decoder: any Decoder) throws {
        let members = try StrictMembers(decoder, ["time", "box"])
        (microseconds, box) = (try members.microseconds("time"), try members.box("box"))
    }
}

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
