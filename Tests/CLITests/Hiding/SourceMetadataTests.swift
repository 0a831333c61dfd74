import Foundation
import Testing
import TestSupport
import VidscanMedia

@Suite("An anonymized video has nothing that its source says about itself")
struct SourceMetadataTests {
    @Test(
        "No title, location, device, date, chapter, attachment, caption or message is copied",
        arguments: zip(
            PlantedSource.all, [["mp4", "mov", "mkv"], ["mp4"], ["mp4", "mov", "mkv"], ["mkv"], ["mov"]]))
    func nothing(name: String, containers: [String]) throws {
        let folder = try TemporaryFolder()
        let source = try PlantedSource.make(name, in: folder)
        let planted = try folder.bytes(name)
        for secret in source.secrets { try #require(Self.isIn(planted, secret), "\(secret) was not planted") }
        let hasCaptions = !name.hasSuffix("jpg")
        #expect((planted.range(of: Data(PlantedSource.captionBytes)) != nil) == hasCaptions)

        let made = try Tool.run("analyze", "-q", name, "--anonymize", "solid", "--tables", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let result = name + ".vidscan"
        let first = try #require(
            folder.entries.first { $0.contains("/anonymized.m") || $0.hasSuffix("/anonymized.jpg") })
        try check(first, in: folder)
        for container in containers {
            let output = "other." + container
            let other = try Tool.run("render", "-q", result, "--anonymize", "solid", "--output", output, in: folder)
            try #require(other.status == 0, "\(other.errors)")
            try check(output, in: folder)
        }
    }

    @Test("Nothing is copied with any codec", arguments: ["hevc", "vp9", "av1", "ffv1"])
    func codecs(codec: String) throws {
        let folder = try TemporaryFolder()
        let source = try PlantedSource.make("SECsource.mp4", in: folder)
        let made = try Tool.run(
            "analyze", "-q", source.name, "--anonymize", "solid", "--codec", codec, in: folder)
        if made.status != 0, made.errors.contains("this FFmpeg has no encoder") {
            try skip(missing: .encoder(codec))
        }
        try #require(made.status == 0, "\(made.errors)")
        #expect(!made.errors.contains("Svt"))
        try check(try #require(folder.entries.first { $0.contains("/anonymized.m") }), in: folder)
    }

    @Test("A video that cannot be begun ends the run, with every codec", arguments: ["h264", "av1"])
    func fullDisk(codec: String) throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-ss", "1", "-i", Checkout.clip, "-t", "0.4", "-an", "clip.mp4"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        try #require(try Tool.run("analyze", "clip.mp4", in: folder).status == 0)
        // No file may grow, as on a full disk.
        let outcome = try Tool.shell(
            "trap '' XFSZ; ulimit -f 0; timeout -k 1 60 \"$0\" render -q clip.mp4.vidscan --codec \(codec)", in: folder)
        if outcome.errors.contains("this FFmpeg has no encoder") { try skip(missing: .encoder(codec)) }
        #expect(outcome.status == 1 && outcome.errors.contains("File too large"), "\(outcome.status) \(outcome.errors)")
    }

    @Test("Sound is encoded again, and a track that cannot be decoded is left out; one line says so")
    func sound() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-ss", "1", "-i", Checkout.clip, "-f", "lavfi", "-i",
                "sine=440:d=0.4", "-map", "0:v", "-map", "1", "-map", "1", "-t", "0.4", "-c:v", "libx264",
                "-c:a:0", "aac", "-c:a:1", "ac3", "clip.mp4",
            ], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        // MPEG-H, which FFmpeg knows but cannot decode.
        var bytes = try folder.bytes("clip.mp4")
        bytes.replaceSubrange(try #require(bytes.range(of: Data("ac-3".utf8))), with: Data("mhm1".utf8))
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/clip.mp4"))
        let hidden = try Tool.run("analyze", "clip.mp4", "--anonymize", "solid", "--tables", in: folder)
        try #require(hidden.status == 0)
        for line in [
            "clip.mp4: left out stream 2 (mpegh_3d_audio): this FFmpeg has no decoder for it",
            "frames; the sound is that of the original, encoded again as AAC (--no-audio leaves it out)",
        ] { #expect(hidden.errorLines.count { $0.hasSuffix(line) } == 1, "\(hidden.errors)") }
        let codecs = try Self.streams("clip.mp4.vidscan/anonymized.mp4", in: folder).map { $0["codec_name"] as? String }
        #expect(codecs == ["h264", "aac"])
        // A video that is not anonymized has copies.
        let plain = try Tool.run("render", "clip.mp4.vidscan", "--output", "plain.mkv", in: folder)
        #expect(!plain.errors.contains("encoded again"), "\(plain.errors)")
    }

    @Test("A second video stream is left out, and one line says so")
    func pictures() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-ss", "1", "-i", Checkout.clip, "-map", "0:v", "-map", "0:v",
                "-t", "0.4", "-c:v:0", "libx264", "-c:v:1", "mpeg4", "-s:v:1", "160x120", "clip.mp4",
            ], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let hidden = try Tool.run("analyze", "clip.mp4", "--anonymize", "solid", in: folder)
        let line = "vidscan: warning: clip.mp4: left out stream 1 (mpeg4): another video stream"
        #expect(hidden.errorLines.count { $0 == line } == 1, "\(hidden.errors)")
        #expect(try Self.streams("clip.mp4.vidscan/anonymized.mp4", in: folder).count == 1)
    }

    // MARK: Looking

    /// Whether the bytes contain a secret as UTF-8 or UTF-16, which containers and colour profiles use.
    private static func isIn(_ bytes: Data, _ secret: String) -> Bool {
        [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian].contains { encoding in
            secret.data(using: encoding).map { bytes.range(of: $0) != nil } ?? false
        }
    }

    private func check(_ path: String, in folder: TemporaryFolder) throws {
        let bytes = try folder.bytes(path)
        // Every secret and the source's name begin with these letters.
        #expect(!Self.isIn(bytes, "SEC"), "\(path)")
        #expect(bytes.range(of: Data(PlantedSource.captionBytes)) == nil, "\(path)")
        let streams = try Self.streams(path, in: folder)
        #expect(streams.compactMap { $0["codec_type"] as? String }.sorted().reversed().first == "video")
        #expect(streams.allSatisfy { ["video", "audio"].contains($0["codec_type"] as? String) })
        let outcome = try ChildProcess.run(
            ["ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_chapters", path], in: folder.path)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.outputBytes)) as? [String: Any] ?? [:]
        #expect((object["chapters"] as? [Any])?.isEmpty == true)
        for described in streams + [object["format"] as? [String: Any] ?? [:]] {
            for (key, value) in described["tags"] as? [String: String] ?? [:] {
                #expect(Self.isOurs(key.lowercased(), value), "\(path): \(key)=\(value)")
            }
        }
    }

    /// Whether FFmpeg writes this tag with this value into every new file.
    private static func isOurs(_ key: String, _ value: String) -> Bool {
        switch key {
        case "major_brand", "minor_version", "compatible_brands", "duration": true
        case "encoder": value.hasPrefix("Lav")
        case "handler_name": ["VideoHandler", "SoundHandler"].contains(value)
        case "language": value == "und"
        case "vendor_id": ["[0][0][0][0]", "FFMP"].contains(value)
        default: false
        }
    }

    private static func streams(_ path: String, in folder: TemporaryFolder) throws -> [[String: Any]] {
        let outcome = try ChildProcess.run(
            ["ffprobe", "-v", "error", "-of", "json", "-show_streams", path], in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.outputBytes)) as? [String: Any]
        return object?["streams"] as? [[String: Any]] ?? []
    }
}
