import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanResults

@Suite("A file of covers is read strictly, and fits one video")
struct CoverFileTests {
    private static let key = #"{"time": 1, "box": [10, 20, 30, 40]}"#

    private static func text(_ covers: String, bytes: Int = 100, format: String = "vidscan covers 1") -> String {
        #"{"format": "\#(format)", "video": {"name": "a.mp4", "bytes": \#(bytes)}, "covers": [\#(covers)]}"#
    }

    private static func cover(_ keyframes: String, what: String = "plate") -> String {
        #"{"do": "cover", "what": "\#(what)", "keyframes": [\#(keyframes)]}"#
    }

    /// Of a video of 100 bytes, without a known size and duration unless given.
    private static func record(duration: Double? = nil, width: Int? = nil) throws -> RunRecord {
        let folder = try TemporaryFolder()
        try SyntheticResult.write([], to: folder.path + "/r", video: "/a.mp4", keepsEmbeddings: false)
        var text = try folder.text("r/run.json")
        if let duration { text = text.replacing("\"codec\"", with: "\"duration_seconds\": \(duration), \"codec\"") }
        if let width {
            text = text.replacing("\"codec\"", with: "\"display_width\": \(width), \"display_height\": 100, \"codec\"")
        }
        try folder.write(text, to: "r/run.json")
        return try RecordFile.decode(RunRecord.self, folder: folder.path + "/r", name: "run.json")
    }

    @Test("A box moves in a straight line between keyframes, and exists at no other time")
    func interpolation() throws {
        let moving = Self.cover(#"\#(Self.key), {"time": 3, "box": [30, 20, 50, 60]}"#)
        let fixed = #"{"do": "release", "keyframes": [\#(Self.key)]}"#
        let file = try CoverFile(text: Self.text("\(moving), \(fixed)"), path: "c")
        let (region, release) = (file.regions[0], file.regions[1])
        #expect(region.what == .plate && release.what == nil && !region.follows)
        #expect(region.box(at: 1_000_000) == Rectangle(x: 10, y: 20, width: 30, height: 40))
        #expect(region.box(at: 1_500_000) == Rectangle(x: 15, y: 20, width: 35, height: 45))
        #expect(region.box(at: 3_000_000) == Rectangle(x: 30, y: 20, width: 50, height: 60))
        #expect(region.box(at: 999_999) == nil && region.box(at: 3_000_001) == nil)
        // Within the reach, the box of the nearest keyframe stays.
        #expect(region.box(at: 950_000, reach: 50_000) == region.box(at: 1_000_000))
        #expect(region.box(at: 3_050_001, reach: 50_000) == nil)
        #expect(release.box(at: 1_000_000) != nil && release.box(at: 1_000_001) == nil)
    }

    @Test(
        "A file that is wrong is refused with the cover and the reason",
        arguments: [
            ("", "not valid JSON"), ("[]", "wrong type"), ("{}", "'format' is missing"),
            (text("", format: "vidscan covers 2"), "'format' is 'vidscan covers 2', but"),
            (text("", bytes: -1), "must be from 0 to"),
            (text("{}"), "cover 1: 'do' is missing"),
            (text(#"{"do": "cover", "keyframes": [\#(key)]}"#), "cover 1: 'do' is neither"),
            (text(#"{"do": "release", "what": "face", "keyframes": [\#(key)]}"#), "cover 1: 'do' is neither"),
            (text(cover(key, what: "hat")), "cover 1: 'what' must be face, plate, caption, screen"),
            (
                text(#"{"do": "release", "follow": false, "keyframes": [\#(key)]}"#),
                "cover 1: 'follow' is only for 'cover'"
            ),
            (
                text(#"{"do": "cover", "what": "face", "follow": 1, "keyframes": [\#(key)]}"#),
                "cover 1: 'follow' must be true or false"
            ),
            (text(cover("")), "'keyframes' has 0 values"),
            (text(cover(key) + "," + cover("\(key), \(key)")), "cover 2: 'keyframes' are not in the order of time"),
            (text(cover(#"{"time": 1}"#)), "'keyframes.1.box' is missing"),
            (text(cover(#"{"time": 1, "box": [0, 0, 0, 5]}"#)), "a width and height above 0"),
            (text(cover(#"{"time": 1, "box": [1e300, 0, 1, 5]}"#)), "must have coordinates"),
            (text(cover(#"{"time": 1e300, "box": [1, 0, 1, 5]}"#)), "must be from"),
            (text(cover(#"{"time": "1", "box": [1, 0, 1, 5]}"#)), "must be a number"),
            (text(#"{"do": "release", "keyframes": [\#(key)], "face": 3}"#), "'face' is not a known key"),
            (text(#"{"do": "release", "keyframes": 1}"#), "'keyframes' must be"),
            (text(String(repeating: "1,", count: 10_000) + "1"), "has 10001 values"),
            (
                text("").replacing("\"covers\": []", with: "\"covers\": [], \"c\\u006fvers\": []"),
                "duplicate key 'covers'"
            ),
        ])
    func wrong(text: String, reason: String) throws {
        let error = #expect(throws: VidscanError.self) { try CoverFile(text: text, path: "covers.json") }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.input == "covers.json" && error?.reason.contains("\n") == false)
    }

    @Test("A file that cannot be read is an error: one that is too large, a folder, other text")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.text("") + String(repeating: " ", count: 4 << 20), to: "large.json")
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/bytes.json"))
        for name in ["large.json", "bytes.json", "", "missing.json"] {
            #expect(throws: VidscanError.self) { try CoverFile(path: "\(folder.path)/\(name)") }
        }
    }

    @Test("Covers of another video, after its end or beside the picture do not fit")
    func fitting() throws {
        let file = try CoverFile(text: Self.text(Self.cover(Self.key)), path: "covers.json")
        try file.check(Self.record(duration: 1, width: 11))
        for (record, bytes, words) in [
            (try Self.record(), 99, "covers.json does not fit: it is for the video a.mp4 of 99 bytes"),
            (try Self.record(duration: 0.9), 100, "cover 1 has a time outside the video"),
            (try Self.record(width: 10), 100, "cover 1 has a box outside the picture"),
        ] {
            let file = try CoverFile(text: Self.text(Self.cover(Self.key), bytes: bytes), path: "covers.json")
            let error = #expect(throws: VidscanError.self) { try file.check(record) }
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        }
        let early = Self.cover(#"{"time": -1, "box": [1, 2, 3, 4]}"#)
        #expect(throws: VidscanError.self) {
            try CoverFile(text: Self.text(early), path: "c").check(Self.record())
        }
    }

    @Test("The file beside the result is found, and a video that was made with covers is not made without them")
    func beside() throws {
        let folder = try TemporaryFolder()
        let result = folder.path + "/a.mp4.vidscan"
        try FileManager.default.createDirectory(atPath: result, withIntermediateDirectories: true)
        #expect(try CoverFile.path(beside: result, output: folder.path + "/w.mp4") == nil)
        let record = #"{"invert": false, "covers": {"count": 1, "sha256": ""}}"#
        try folder.write(record, to: "w.mp4.json")
        #expect(throws: VidscanError.self) { try CoverFile.path(beside: result, output: folder.path + "/w.mp4") }
        #expect(try CoverFile.path(beside: result) == nil)
        // A video that has lost its record may have been made with covers.
        try folder.write("video", to: "a.mp4.vidscan/anonymized.mp4")
        #expect(throws: VidscanError.self) { try CoverFile.path(beside: result) }
        try folder.write(record, to: "a.mp4.vidscan/anonymized.json")
        #expect(throws: VidscanError.self) { try CoverFile.path(beside: result) }
        // Even a link that leads nowhere: reading it fails, and no video is made.
        let path = folder.path + "/a.mp4.covers.json"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/none")
        #expect(try CoverFile.path(beside: result + "/") == path)
    }
}
