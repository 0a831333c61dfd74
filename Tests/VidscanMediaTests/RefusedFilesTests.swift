import Foundation
import Glibc
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("Files that cannot be read")
struct RefusedFilesTests {
    private struct Refusal {
        let name: String
        let code: MediaError.Code
        /// The whole message.
        let reason: String
        var remedy: MediaError.Remedy?
    }

    private static let refusals = [
        Refusal(name: "text.mp4", code: .notMedia, reason: "not a video or picture in a format that FFmpeg supports"),
        Refusal(name: "empty.mp4", code: .notMedia, reason: "the file is empty"),
        Refusal(
            name: "truncated_nomoov.mp4", code: .notMedia,
            reason: "cannot read it as mov,mp4,m4a,3gp,3g2,mj2: moov atom not found"),
        Refusal(name: "audio.m4a", code: .noVideo, reason: "has no video stream"),
        Refusal(name: "cover_audio.m4a", code: .noVideo, reason: "has no video stream, only a cover picture"),
        Refusal(name: "zeroframe.mp4", code: .undecodable, reason: "has a video stream without frames"),
        Refusal(
            name: "huge.png", code: .limitExceeded,
            reason: "a frame of 60000x60000 is larger than FFmpeg can handle, which is about 16000x16000"),
        Refusal(
            name: "playlist.m3u8", code: .refersElsewhere,
            reason: "is a playlist (hls), which refers to other files; they are never opened"),
        Refusal(
            name: "concat.txt", code: .refersElsewhere,
            reason: "is a playlist (concat), which refers to other files; they are never opened"),
    ]

    @Test("The error has a code and a reason", arguments: refusals.indices)
    func refusal(number: Int) throws {
        let refusal = Self.refusals[number]
        let path = try Variants.path(refusal.name)
        let error = #expect(throws: MediaError.self) {
            _ = try FrameReading(path, FrameReader.Options(rate: .everyFrame))
        }
        #expect(error?.code == refusal.code)
        #expect(error?.reason == refusal.reason)
        #expect(error?.remedy == refusal.remedy)
    }

    @Test(
        "A format that is not on the list is refused, whatever the name says",
        arguments: [
            (
                "index.mp4", "vobsub",
                "# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\nid: en, index: 0\n"
            ),
            ("lines.mkv", "srt", "1\n00:00:01,000 --> 00:00:02,000\nA line.\n\n2\n00:00:03,000 --> 00:00:04,000\nB.\n"),
            ("tags.avi", "ffmetadata", ";FFMETADATA1\ntitle=A title\n"),
        ])
    func notAdmitted(name: String, format: String, content: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(content, to: name)
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
        }
        let reason =
            "its format (\(format)) is not among the video and picture formats that vidscan reads; if it is a video, convert"
            + " it to MP4 or MKV"
        #expect(error == MediaError(.notMedia, reason))
    }

    /// The extensions for which a batch looks, and what ffmpeg needs to write such a file.
    private static let readable: [(String, [String])] = [
        ("mp4", []), ("m4v", ["-f", "mp4"]), ("mov", []), ("3gp", ["-s", "176x144", "-c:v", "mpeg4"]), ("mkv", []),
        ("webm", ["-c:v", "libvpx", "-deadline", "realtime"]), ("avi", ["-c:v", "mpeg4"]), ("mpg", []), ("vob", []),
        ("ts", []), ("m2ts", []), ("wmv", []), ("flv", []), ("ogv", ["-c:v", "libtheora"]), ("mxf", []),
        ("gxf", ["-s", "720x576"]),
        ("nut", []), ("dv", ["-s", "720x576", "-pix_fmt", "yuv420p"]),
        ("ivf", ["-c:v", "libvpx", "-deadline", "realtime"]),
        ("wtv", []), ("h264", ["-c:v", "libx264"]),
        ("hevc", ["-c:v", "libx265", "-x265-params", "log-level=0"]),
        ("m1v", []), ("m2v", []), ("mjpeg", []), ("y4m", []), ("gif", []), ("png", []), ("jpg", []), ("webp", []),
        ("bmp", []),
        ("tif", []), ("apng", []), ("ppm", []),
    ]

    @Test("Every format of video and picture files is read", arguments: readable.indices)
    func admitted(number: Int) throws {
        let (name, options) = Self.readable[number]
        let folder = try TemporaryFolder()
        let path = folder.path + "/file." + name
        let isPicture = ["png", "jpg", "webp", "bmp", "tif", "ppm"].contains(name)
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-an", "-r", "25", "-frames:v",
                isPicture ? "1" : "10",
            ]
                + options + [path])
        if made.errors.contains("Unknown encoder") { try skip(missing: .encoder(name)) }
        try #require(made.status == 0, "\(made.errors)")
        let reader = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
        #expect(try reader.next() != nil)
        #expect(reader.info.isPicture == isPicture)
    }

    @Test("A named pipe, a folder and a device are refused at once")
    func notAFile() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.path + "/pipe.mp4", 0o600) == 0)
        for path in [folder.path + "/pipe.mp4", folder.path, "/dev/zero"] {
            let error = #expect(throws: MediaError.self) {
                try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
            }
            #expect(error == MediaError(.notAFile, "is not a regular file"))
        }
    }

    @Test("A missing file is reported as not found")
    func missing() throws {
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: "/nowhere/movie.mp4", options: FrameReader.Options(rate: .everyFrame))
        }
        #expect(error == MediaError(.notFound, "cannot open: No such file or directory"))
    }

    @Test("A frame over the pixel limit is refused", arguments: ["bpyramid.mp4", "raw.h264", "still.png"])
    func pixelLimit(name: String) throws {
        let path = try Variants.path(name)
        let limits = MediaLimits(maximumPixels: 640 * 360 - 1)
        let error = #expect(throws: MediaError.self) {
            _ = try FrameReading(path, FrameReader.Options(rate: .everyFrame, limits: limits))
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.reason == "a frame of 640x360 exceeds the limit of 230399 pixels")
        #expect(error?.remedy == .raisePixelLimit)
        let exact = MediaLimits(maximumPixels: 640 * 360)
        #expect(throws: Never.self) {
            _ = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, limits: exact)).next()
        }
    }

    @Test(
        "A picture exactly at the limit is read, whatever its width",
        arguments: [(100, 100), (65, 7), (31, 33), (3, 400)])
    func exactly(width: Int, height: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/exact.png"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=\(width)x\(height)", "-frames:v", "1",
            path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let read = { (limit: Int) in
            try FrameReader(
                path: path,
                options: FrameReader.Options(rate: .everyFrame, limits: MediaLimits(maximumPixels: limit))
            ).next()
        }
        #expect(try read(width * height) != nil)
        let error = #expect(throws: MediaError.self) { _ = try read(width * height - 1) }
        #expect(error?.reason == "a frame of \(width)x\(height) exceeds the limit of \(width * height - 1) pixels")
    }

    @Test("A video over the duration limit is refused")
    func durationLimit() throws {
        let path = try Variants.path("bpyramid.mp4")
        let limits = MediaLimits(maximumDurationSeconds: 2)
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, limits: limits))
        }
        let expected = MediaError(
            .limitExceeded, "its duration of 3 s exceeds the limit of 2 s", remedy: .raiseDurationLimit)
        #expect(error == expected)
    }

    @Test("The error about a missing stream lists the video streams", arguments: [1, 7, -1])
    func noSuchStream(index: Int) throws {
        let path = try Variants.path("starttime.mp4")
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, streamIndex: index))
        }
        #expect(error == MediaError(.noSuchStream, "stream \(index) is not a video stream; choose from 0"))
    }

    @Test("Cancellation ends reading with its own code", arguments: ["bpyramid.mp4", "opengop.ts"])
    func cancelled(name: String) throws {
        let path = try Variants.path(name)
        let options = FrameReader.Options(rate: .everyFrame)
        let flag = CancellationFlag()
        let reader = try FrameReader(path: path, options: options, cancellation: flag)
        _ = try reader.next()
        flag.set()
        let error = #expect(throws: MediaError.self) {
            while try reader.next() != nil {}
        }
        #expect(error?.code == .cancelled)
        let opening = #expect(throws: MediaError.self) {
            _ = try FrameReader(path: path, options: options, cancellation: flag).next()
        }
        #expect(opening?.code == .cancelled)
    }
}
