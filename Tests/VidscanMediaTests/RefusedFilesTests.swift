import Foundation
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
            reason: "a frame of 60000x60000 exceeds the limit of 100000000 pixels", remedy: .raisePixelLimit),
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
        #expect(error == MediaError(.noSuchStream, "stream \(index) is not a video stream; the video stream is 0"))
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
