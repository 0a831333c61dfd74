import AnalysisSupport
import Foundation
import TestSupport
import Testing
import VidscanAnalysis
import VidscanBase
import VidscanRender
import VidscanResults

/// The clip shows a face for 25 frames of 40 ms, and after a cut another one for 50, which moves.
@Suite("A person's covers are drawn, and releases uncover only what they name")
struct CoverTests {
    private static func analysis() async throws -> AnalysisRun {
        try await AnalysisRun.shared(try Variants.path("bpyramid.mp4")) { $0.detectThoroughly() }
    }

    private static func keyframe(_ seconds: Double, _ box: Rectangle) -> String {
        "{\"time\": \(seconds), \"box\": [\(box.x), \(box.y), \(box.width), \(box.height)]}"
    }

    private static func render(
        _ covers: String, of run: AnalysisRun? = nil, bytes: Int64? = nil,
        method: AnonymizeOptions.Method = .blur
    ) async throws -> RenderedRun {
        let shared = try await analysis()
        let analysis = run ?? shared
        let size = try bytes ?? analysis.record().input.bytes
        let path = try analysis.folder.write(
            """
            {"format": "vidscan covers 1", "video": {"name": "a.mp4", "bytes": \(size)}, "covers": [\(covers)]}
            """, to: UUID().uuidString + ".json")
        return try await RenderedRun(analysis) {
            $0.anonymize = AnonymizeOptions(method: method)
            $0.anonymize?.covers = path
        }
    }

    private static let place = Rectangle(x: 16, y: 312, width: 96, height: 40)

    /// The luma of the place, without the edge that chroma subsampling blurs.
    private static func pixels(_ video: RawVideo, frame: Int) -> [Int] {
        (316..<348).flatMap { y in (20..<108).map { x in video.luma(frame, x, y) } }
    }

    @Test("A plate is covered with one colour between its keyframes, also where faces are only blurred")
    func plate() async throws {
        // The second one reaches farther than Cairo can draw, and covers the top of the picture.
        let top = Rectangle(x: -9.9e6, y: 0, width: 1e7, height: 20)
        let covers = [Self.place, top].map { box in
            let keyframes = [0.4, 0.8].map { Self.keyframe($0, box) }.joined(separator: ", ")
            return "{\"do\": \"cover\", \"what\": \"plate\", \"keyframes\": [\(keyframes)]}"
        }
        let run = try await Self.render(covers.joined(separator: ", "))
        let plain = try RawVideo(try Variants.path("bpyramid.mp4"), width: 640, height: 360)
        let hidden = try run.pixels()
        // One frame more at each end, because the frame at a keyframe's time must not be missed.
        for frame in [9, 10, 15, 20, 21] {
            let pixels = Self.pixels(hidden, frame: frame)
            #expect(Set(pixels).count == 1, "frame \(frame)")
            #expect((0..<640).allSatisfy { hidden.luma(frame, $0, 8) == pixels[0] }, "frame \(frame)")
        }
        for frame in [0, 8, 22, 40] {
            #expect(Self.pixels(hidden, frame: frame) == Self.pixels(plain, frame: frame), "frame \(frame)")
        }
        #expect(run.summary.hidden?.contains(" frames, 2 covers of ") == true)
        let record = try String(contentsOfFile: run.path + ".json", encoding: .utf8)
        #expect(record.contains("\"covers\""))
    }

    @Test("A cover that follows the picture is that of its keyframes there, and covers at least as much between them")
    func follow() async throws {
        let faces = try await Self.analysis().table("faces.csv").faces()
        let (first, last) = (try #require(faces.first { $0.frame == 50 }), try #require(faces.last { $0.frame == 74 }))
        let keyframes = [first, last].map { Self.keyframe($0.seconds, $0.box) }.joined(separator: ", ")
        let cover = { (follows: Bool) in
            "{\"do\": \"cover\", \"what\": \"screen\", \"follow\": \(follows), \"keyframes\": [\(keyframes)]}"
        }
        let straight = try await Self.render(cover(false)).pixels()
        let follows = try await Self.render(cover(true)).pixels()
        for frame in 0..<75 {
            let isBetween = 51..<74 ~= frame
            #expect((straight.frame(frame) != follows.frame(frame)) == isBetween, "frame \(frame)")
            guard isBetween else { continue }
            let path = first.box.interpolated(to: last.box, fraction: Double(frame - 50) / 24)
            let middle = straight.luma(frame, Int(path.center.x), Int(path.center.y))
            for y in Int(path.y) + 2..<Int(path.y + path.height) - 2 {
                for x in Int(path.x) + 2..<Int(path.x + path.width) - 2 where follows.luma(frame, x, y) != middle {
                    Issue.record("(\(x), \(y)) of frame \(frame) is not covered")
                    return
                }
            }
        }
    }

    @Test("A release that follows a track uncovers it in its time, and a place that somebody passes uncovers nobody")
    func releases() async throws {
        let faces = try await Self.analysis().table("faces.csv").faces()
        let late = faces.filter { $0.frame >= 50 }
        try #require(Set(late.map(\.id)).count == 1 && late.count == 25)
        let following = late.map { Self.keyframe($0.seconds, $0.box) }.joined(separator: ", ")
        let run = try await Self.render("{\"do\": \"release\", \"keyframes\": [\(following)]}")
        #expect(run.summary.hidden?.contains(", which releases a face in 25 frames") == true)
        #expect(!run.warnings.contains { $0.contains("no face was found") })
        #expect(try String(contentsOfFile: run.path + ".json", encoding: .utf8).contains("\"released_frames\" : 25"))
        let released = try run.pixels()
        let plain = try RawVideo(try Variants.path("bpyramid.mp4"), width: 640, height: 360)
        for frame in 50..<75 { #expect(plain.frame(frame) == released.frame(frame), "frame \(frame)") }
        for frame in [0, 40, 49] { #expect(plain.frame(frame) != released.frame(frame), "frame \(frame)") }

        let stop = try #require(late.first { $0.frame == 50 })
        let staying = "\(Self.keyframe(2.0, stop.box)), \(Self.keyframe(2.96, stop.box))"
        let passed = try await Self.render("{\"do\": \"release\", \"keyframes\": [\(staying)]}").pixels()
        for frame in 50..<75 { #expect(plain.frame(frame) != passed.frame(frame), "frame \(frame)") }
        // What a person covers stays covered, whatever is released.
        let cover = "{\"do\": \"cover\", \"what\": \"face\", \"keyframes\": [\(following)]}"
        let both = try await Self.render("{\"do\": \"release\", \"keyframes\": [\(following)]}, \(cover)").pixels()
        for frame in [50, 60, 74] { #expect(plain.frame(frame) != both.frame(frame), "frame \(frame)") }
    }

    @Test("A cover that begins while a frame is on the screen covers that frame")
    func longFrame() async throws {
        let folder = try TemporaryFolder()
        // The third frame is shown from 0.4 to 1.4 s.
        _ = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=640x360:r=5:d=2", "-vf",
            "setpts='PTS+if(gte(N,3),0.8/TB,0)'", "-fps_mode", "vfr", "-c:v", "libx264", "-g", "1",
            folder.path + "/long.mp4",
        ])
        let analysis = try await AnalysisRun(folder.path + "/long.mp4") { $0.detectThoroughly() }
        let keyframes = [1.0, 1.6].map { Self.keyframe($0, Self.place) }.joined(separator: ", ")
        let cover = "{\"do\": \"cover\", \"what\": \"screen\", \"keyframes\": [\(keyframes)]}"
        let run = try await Self.render(cover, of: analysis)
        let hidden = try run.pixels()
        let covered = (0..<10).filter { Set(Self.pixels(hidden, frame: $0)).count == 1 }
        #expect(covered == [2, 3, 4])
    }

    @Test("No video is made with covers of another video, or after its end, or that cannot be read")
    func refused() async throws {
        let analysis = try await Self.analysis()
        let cover = { (seconds: Double) in
            "{\"do\": \"cover\", \"what\": \"screen\", \"keyframes\": [\(Self.keyframe(seconds, Self.place))]}"
        }
        await #expect(throws: VidscanError.self) { try await Self.render(cover(1), bytes: 1) }
        await #expect(throws: VidscanError.self) { try await Self.render(cover(3.5)) }
        await #expect(throws: VidscanError.self) { try await Self.render("{}") }
        await #expect(throws: VidscanError.self) {
            try await RenderedRun(analysis) {
                $0.anonymize = AnonymizeOptions(method: .blur)
                $0.anonymize?.covers = analysis.folder.path + "/missing.json"
            }
        }
    }
}
