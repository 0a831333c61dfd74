import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("A file that cannot be read")
struct RefusedFilesTests {
    private struct Refusal {
        let name: String
        let code: MediaError.Code
        /// What the message must say; ffmpeg's own words differ from version to version.
        let reason: String
    }

    private static let refusals = [
        Refusal(name: "text.mp4", code: .notMedia, reason: "not a video or picture in a format that FFmpeg knows"),
        Refusal(name: "empty.mp4", code: .notMedia, reason: "the file is empty"),
        Refusal(
            name: "truncated_nomoov.mp4", code: .notMedia,
            reason: "cannot read it as mov,mp4,m4a,3gp,3g2,mj2: moov atom not found"),
        Refusal(name: "audio.m4a", code: .noVideo, reason: "has no video stream"),
        Refusal(name: "cover_audio.m4a", code: .noVideo, reason: "has no video stream, only a cover picture"),
        Refusal(name: "zeroframe.mp4", code: .undecodable, reason: "holds a video stream without a single frame"),
        Refusal(
            name: "huge.png", code: .limitExceeded,
            reason: "its picture of 60000x60000 is over the limit of 100000000 pixels (--max-pixels raises it)"),
        Refusal(
            name: "playlist.m3u8", code: .refersElsewhere,
            reason: "is a playlist (hls): it points to other files, which are never opened"),
        Refusal(
            name: "concat.txt", code: .refersElsewhere,
            reason: "is a playlist (concat): it points to other files, which are never opened"),
    ]

    @Test("Says why, in words and as a code", arguments: refusals.indices)
    func refusal(number: Int) throws {
        let refusal = Self.refusals[number]
        let path = try Variants.path(refusal.name)
        let error = #expect(throws: MediaError.self) {
            _ = try FrameReading(path, FrameReader.Options(rate: .everyFrame))
        }
        #expect(error?.code == refusal.code)
        #expect(error?.reason == refusal.reason)
    }

    @Test("That is not there says so")
    func missing() throws {
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: "/nowhere/movie.mp4", options: FrameReader.Options(rate: .everyFrame))
        }
        #expect(error == MediaError(.notFound, "cannot open: No such file or directory"))
    }

    @Test("Within no limit is refused by it", arguments: ["bpyramid.mp4", "raw.h264", "still.png"])
    func pixelLimit(name: String) throws {
        let path = try Variants.path(name)
        let limits = MediaLimits(maximumPixels: 640 * 360 - 1)
        let error = #expect(throws: MediaError.self) {
            _ = try FrameReading(path, FrameReader.Options(rate: .everyFrame, limits: limits))
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.reason == "its picture of 640x360 is over the limit of 230399 pixels (--max-pixels raises it)")
        let exact = MediaLimits(maximumPixels: 640 * 360)
        #expect(throws: Never.self) {
            _ = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, limits: exact)).next()
        }
    }

    @Test("That lasts too long is refused")
    func durationLimit() throws {
        let path = try Variants.path("bpyramid.mp4")
        let limits = MediaLimits(maximumDurationSeconds: 2)
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, limits: limits))
        }
        #expect(error == MediaError(.limitExceeded, "lasts 3 s, over the limit of 2 s (--max-duration raises it)"))
    }

    @Test("For want of the stream asked for says which there are", arguments: [1, 7, -1])
    func noSuchStream(index: Int) throws {
        let path = try Variants.path("starttime.mp4")
        let error = #expect(throws: MediaError.self) {
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, streamIndex: index))
        }
        #expect(error == MediaError(.noSuchStream, "stream \(index) is no video stream (it has 0)"))
    }

    @Test("Once cancelled, reading ends with the code for that", arguments: ["bpyramid.mp4", "opengop.ts"])
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
