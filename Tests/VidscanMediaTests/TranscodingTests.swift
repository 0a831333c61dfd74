import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

/// Transcodes a file into a folder of its own.
struct Transcoded {
    let folder: TemporaryFolder
    let path: String
    let transcoder: Transcoder

    init(
        _ source: String, options: Transcoder.Options = Transcoder.Options(rateFactor: 40),
        edit: (EditableFrame) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        transcoder = try Transcoder(source: source, options: options)
        let container = transcoder.preferredContainer
        path = folder.path + "/new." + container.rawValue
        try transcoder.run(to: path, container: container, edit: edit)
    }

    /// The first twelve frames, without loss.
    static let lossless = {
        var options = Transcoder.Options(rateFactor: 0)
        options.reading.end = 480_000
        return options
    }()
}

@Suite("A transcoded video")
struct TranscodingTests {
    private static let timed = [
        "bpyramid.mp4", "vfr.mp4", "vfr.mkv", "audiofirst.mp4", "audiofirst.mkv", "starttime.mp4", "starttime.ts",
        "editlist.mp4", "fragmented.mp4", "oneframe.mp4", "opengop.mkv", "hevc_opengop.mkv", "mpeg2.mpg", "mpeg4.avi",
        "h264.avi", "interlaced.ts", "oddsize.webm", "sar.mp4", "orient6.mp4", "tenbit.mp4", "rgb.mkv", "gray.mp4",
        "corrupt.ts", "truncated.mkv", "anim.gif",
    ]

    @Test(
        "The mean luma of parts is that of the pixels of the new video: upright, square, in 8 bits, at any size",
        arguments: [("orient6.mp4", nil), ("sar.mp4", nil), ("tenbit.mp4", nil), ("bpyramid.mp4", 180)])
    func luma(name: String, height: Int?) throws {
        var options = Transcoded.lossless
        options.height = height
        var (means, size, scale) = ([[Float]](), PictureSize(width: 0, height: 0), 1.0)
        // Cells of 8 × 4 pixels, the second time left of the frame.
        let places = [16.0, -64].map { Rectangle(x: $0, y: 32, width: 64, height: 32) }
        let new = try Transcoded(try Variants.path(name), options: options) { frame in
            guard means.isEmpty else { return }
            (size, scale) = (frame.size, 1 / frame.scaleY)
            let zoom = AffineTransform(xx: scale, xy: 0, x: 0, yx: 0, yy: scale, y: 0)
            means = places.map { frame.luma(of: $0.bounds(after: zoom), side: 8) }
        }
        #expect(scale == (height == nil ? 1 : 2))
        let video = try RawVideo(new.path, width: size.width, height: size.height)
        for (place, luma) in zip(places, means) {
            let expected = (0..<64).map { cell in
                let (left, top) = (Int(place.x) + cell % 8 * 8, Int(place.y) + cell / 8 * 4)
                let pixels = (0..<32).map { video.luma(0, max(left + $0 % 8, 0), top + $0 / 8) }
                return Float(pixels.reduce(0, +)) / 32
            }
            #expect(luma == expected)
        }
    }

    @Test(
        "Frames, times and duration are those of the source, and ffmpeg decodes the video without errors",
        arguments: timed)
    func times(name: String) throws {
        let source = try Variants.path(name)
        // Small pictures, because only their times matter here.
        var options = Transcoder.Options(rateFactor: 40)
        options.height = 90
        let new = try Transcoded(source, options: options)
        // The clocks of MPEG streams start at any time. The new video starts at 0.
        let isStream = name.hasSuffix(".ts") || name.hasSuffix(".mpg")
        let shift = isStream ? Double(new.transcoder.info.containerStartMicroseconds) / 1e6 : 0
        let expected = try Probe(path: source).frameTimes(stream: "\(new.transcoder.info.streamIndex)")
        let times = try Probe(path: new.path).frameTimes()
        try #require(times.count == expected.count)
        #expect(new.transcoder.frameCount == expected.count)
        #expect(new.transcoder.movedFrames == 0)
        // ffprobe prints six decimals.
        #expect(expected.count { $0 != nil } > expected.count / 2)
        for (time, other) in zip(times, expected) {
            // AVI has no times for the frames of its last packets.
            guard let other else { continue }
            #expect(abs(try #require(time) - (other - shift)) < 2e-6)
        }

        let old = try Probe(path: source).stream("\(new.transcoder.info.streamIndex)")
        let stream = try Probe(path: new.path).stream()
        // AVI counts frames in decoding order, not in presentation order.
        if let duration = (old["duration"] as? String).flatMap(Double.init), !name.hasSuffix(".avi") {
            let newDuration = try #require((stream["duration"] as? String).flatMap(Double.init))
            #expect(abs(newDuration - duration) < 2e-6)
        }
        #expect(stream["codec_name"] as? String == "h264")
        #expect(["yuv420p", "yuvj420p"].contains(stream["pix_fmt"] as? String))
        let sides = try ["width", "height"].map { try #require(stream[$0] as? Int) }
        #expect(sides.allSatisfy { $0 % 2 == 0 })
        let played = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", new.path, "-fps_mode", "passthrough",
            "-enc_time_base", "-1", "-f", "null", "-",
        ])
        #expect(played.status == 0)
        #expect(played.errors == "")
    }

    @Test("The picture is upright for every stored orientation, bit for bit", arguments: 1...8)
    func upright(orientation: Int) throws {
        let new = try Transcoded(try Variants.path("orient\(orientation).mp4"), options: Transcoded.lossless)
        let digests = try Self.digests(new.path)
        try #require(digests.count == 12)
        #expect(try digests == Array(Self.uprightDigests.get().prefix(12)))
    }

    private static let uprightDigests = Result { try digests(try Variants.path("orient1.mp4")) }

    private static func digests(_ path: String) throws -> [String] {
        let outcome = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-an", "-pix_fmt", "yuv420p", "-f", "framemd5", "-",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last.map { String($0).trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test(
        "The video has the display size or the requested height",
        arguments: [
            ("sar.mp4", nil, 640, 360), ("sar_tall.mp4", nil, 480, 270), ("oddsize.webm", nil, 320, 180),
            ("bpyramid.mp4", 180, 320, 180), ("orient6.mp4", 90, 160, 90), ("oddsize.webm", 240, 428, 240),
        ] as [(String, Int?, Int, Int)])
    func size(name: String, height: Int?, expectedWidth: Int, expectedHeight: Int) throws {
        var options = Transcoder.Options(rateFactor: 40)
        options.height = height
        let new = try Transcoded(try Variants.path(name), options: options)
        let stream = try Probe(path: new.path).stream()
        #expect(stream["width"] as? Int == expectedWidth)
        #expect(stream["height"] as? Int == expectedHeight)
        #expect([nil, "1:1"].contains(stream["sample_aspect_ratio"] as? String))
    }

    @Test(
        "Colour tags are kept, and R'G'B' becomes BT.709",
        arguments: [
            ("bpyramid.mp4", "bt709", "tv"), ("bt601.mp4", "smpte170m", "tv"), ("fullrange.mp4", "bt709", "pc"),
            ("rgb.mkv", "bt709", "tv"), ("tenbit.mp4", "bt709", "tv"),
        ])
    func tags(name: String, matrix: String, range: String) throws {
        let new = try Transcoded(try Variants.path(name))
        let stream = try Probe(path: new.path).stream()
        #expect(stream["color_space"] as? String == matrix)
        #expect(stream["color_range"] as? String == range)
    }

    @Test(
        "An untagged video gets the matrix that players assume for the source if its size changes, else none",
        arguments: [
            (720, 360, "bt709"), (180, 90, "smpte170m"), (720, nil, nil), (180, nil, nil),
        ] as [(Int, Int?, String?)])
    func untagged(height: Int, newHeight: Int?, matrix: String?) throws {
        let video = try GeneratedVideo(
            "plain.mkv", filter: "scale=-2:\(height),setparams=colorspace=unknown", encoding: ["-c:v", "ffv1"])
        var options = Transcoder.Options()
        options.height = newHeight
        let new = try Transcoded(video.path, options: options)
        let stream = try Probe(path: new.path).stream()
        #expect(stream["color_space"] as? String == matrix)
    }

    /// A patch of one colour with this opacity.
    private func paint(
        _ picture: EditableFrame, _ area: PixelRectangle, blue: UInt8, green: UInt8, red: UInt8, alpha: UInt8
    ) throws {
        var bytes: [UInt8] = []
        let premultiplied = [blue, green, red].map { UInt8((Int($0) * Int(alpha) + 127) / 255) } + [alpha]
        for _ in 0..<area.width * area.height { bytes += premultiplied }
        try bytes.withUnsafeBufferPointer { buffer in
            let base = try #require(buffer.baseAddress)
            try picture.blend(PixelPatch(base: base, stride: 4 * area.width, area: area))
        }
    }

    @Test(
        "A blended patch has its colour in every matrix and range, and no other pixel changes",
        arguments: [
            ("bpyramid.mp4", 255), ("bpyramid.mp4", 128), ("bt601.mp4", 128), ("fullrange.mp4", 255), ("gray.mp4", 128),
        ] as [(String, UInt8)])
    func painting(name: String, alpha: UInt8) throws {
        let source = try Variants.path(name)
        let area = PixelRectangle(x: 62, y: 40, width: 34, height: 22)
        let plain = try Transcoded(source, options: Transcoded.lossless)
        let painted = try Transcoded(source, options: Transcoded.lossless) { picture in
            try paint(picture, area, blue: 40, green: 90, red: 210, alpha: alpha)
        }
        let (before, after) = (try Self.colors(plain.path), try Self.colors(painted.path))
        let share = Double(alpha) / 255
        for (x, y) in [(70, 48), (78, 50), (86, 54)] {
            for (channel, ink) in [210.0, 90, 40].enumerated() {
                let index = 3 * (y * 640 + x) + channel
                let expected = ink * share + Double(before[index]) * (1 - share)
                // The resolution of 8-bit Y'CbCr in limited range.
                #expect(abs(Double(after[index]) - expected) <= 4, "\(channel) at \(x), \(y)")
            }
        }
        let (planes, paintedPlanes) = (try Self.planes(plain.path), try Self.planes(painted.path))
        var outside = 0
        for y in 0..<360 {
            for x in 0..<640 where planes[y * 640 + x] != paintedPlanes[y * 640 + x] {
                let isInside =
                    (area.x..<area.x + area.width).contains(x) && (area.y..<area.y + area.height).contains(y)
                if !isInside { outside += 1 }
            }
        }
        #expect(outside == 0)
    }

    /// One colour, half of which is transparent.
    private func translucent(
        _ format: String, _ options: [String], in folder: TemporaryFolder, _ name: String
    ) throws -> String {
        let path = folder.path + "/" + name
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=c=0xC86432@0.5:s=\(format)"] + options + [
                path
            ])
        if made.errors.contains("Unknown encoder") { try skip(missing: .encoder(options.joined(separator: " "))) }
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    @Test(
        "What is transparent becomes black: the colour below is not seen",
        arguments: [
            ("argb", ["-c:v", "qtrle"], "half.mov"),
            ("yuva420p", ["-c:v", "libvpx-vp9", "-auto-alt-ref", "0"], "half.webm"),
            ("yuva420p", ["-c:v", "libvpx", "-auto-alt-ref", "0"], "half.webm"),
        ])
    func flattening(format: String, encoding: [String], name: String) throws {
        let folder = try TemporaryFolder()
        let source = try translucent("640x48:d=0.2,format=\(format)", encoding, in: folder, name)
        let new = try Transcoded(source, options: Transcoded.lossless)
        let colors = try Self.colors(new.path)
        for (channel, expected) in [100, 50, 25].enumerated() { #expect(abs(Int(colors[channel]) - expected) <= 4) }
    }

    private static func planes(_ path: String) throws -> [UInt8] { try raw(path, "yuv420p", filter: "null") }
    private static func colors(_ path: String) throws -> [UInt8] {
        try raw(path, "rgb24", filter: "scale=flags=accurate_rnd+full_chroma_int")
    }

    private static func raw(_ path: String, _ format: String, filter: String) throws -> [UInt8] {
        let outcome = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-frames:v", "1", "-vf", filter, "-f", "rawvideo",
            "-pix_fmt", format, "-",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.outputBytes
    }

    @Test("Subtitles and metadata are copied by default and left out on request")
    func subtitles() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("1\n00:00:00,500 --> 00:00:02,000\nA line.\n", to: "text.srt")
        let source = folder.path + "/titled.mkv"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", try Variants.path("audiofirst.mp4"), "-i", text, "-map", "0",
            "-map", "1", "-c", "copy", "-metadata", "title=Whose video", "-metadata", "location=Somewhere", source,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let new = try Transcoded(source)
        #expect(new.path.hasSuffix(".mkv"))
        #expect(new.transcoder.unsupportedCodecs(in: .mp4) == ["subrip"])
        #expect(try Probe(path: new.path).packets("s:0") == Probe(path: source).packets("s:0"))
        let tags = try Probe(path: new.path).format()["tags"] as? [String: String] ?? [:]
        #expect(tags["title"] == "Whose video")
        var options = Transcoder.Options(rateFactor: 40)
        (options.keepsMetadata, options.copiesAudio, options.copiesSubtitles) = (false, false, false)
        let bare = try Transcoded(source, options: options)
        #expect(bare.path.hasSuffix(".mp4"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: bare.path))
        for word in ["Whose video", "Somewhere", "A line."] { #expect(bytes.range(of: Data(word.utf8)) == nil) }
    }

    @Test("An image with transparency is read with premultiplied colours")
    func transparency() throws {
        let folder = try TemporaryFolder()
        let path = try translucent("6x4,format=rgba", ["-frames:v", "1"], in: folder, "half.png")
        let image = try PictureFile.read(path)
        #expect(image.size == PictureSize(width: 6, height: 4))
        for pixel in 0..<24 {
            let expected = [25, 50, 100, 127]
            for channel in 0..<4 { #expect(abs(Int(image.bytes[4 * pixel + channel]) - expected[channel]) <= 1) }
        }
    }
}
