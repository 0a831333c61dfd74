import AnalysisSupport
import VidscanAnalysis
import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanRender
import VidscanResults

@Suite("Anonymized faces cannot be recognized")
struct AnonymizeTests {
    /// Analyses with the settings of `analyze --anonymize`.
    private static func thorough(_ path: String) async throws -> AnalysisRun {
        try await AnalysisRun.shared(path) { $0.detectThoroughly() }
    }

    /// The faces that the detector finds in every frame at its highest resolution.
    private static func facesFound(in path: String) async throws -> Int {
        let run = try await AnalysisRun(path) {
            $0.sample.rate = .everyFrame
            $0.detect.accuracy = .high
            $0.detect.faces = .small
            $0.track.minimumSamples = 1
            $0.measure.metrics = []
            $0.track.smoothing = false
        }
        return run.summary.counts.faces
    }

    @Test("The detector finds no anonymized face, even at high accuracy and with small faces")
    func unseen() async throws {
        let source = try Variants.path("bpyramid.mp4")
        let analysis = try await Self.thorough(source)
        #expect(try await Self.facesFound(in: source) >= 75)
        for method in [AnonymizeOptions.Method.blur, .pixelate, .solid, .sticker] {
            let run = try await RenderedRun(analysis) {
                $0.rateFactor = 23
                $0.anonymize = AnonymizeOptions(method: method)
                if method == .sticker { $0.sticker = StickerOptions(path: Checkout.samples + "/frame.png") }
            }
            #expect(run.warnings == [])
            #expect(try await Self.facesFound(in: run.path) == 0, "\(method)")
        }
    }

    /// The share of one picture's fine detail in another: the detail is the difference from the neighbourhood's mean, and
    /// one picture's is projected on the other's. 1 for the picture itself, 0 for an unrelated one.
    private func carriedDetail(
        reach: Int, inside: (Int, Int) -> Bool, width: Int, height: Int, original: (Int, Int) -> Int,
        output: (Int, Int) -> Int
    ) -> (share: Double, samples: Int) {
        let detail = { (picture: (Int, Int) -> Int, x: Int, y: Int) -> Double in
            var sum = 0
            for dy in -reach...reach { for dx in -reach...reach { sum += picture(x + dx, y + dy) } }
            return Double(picture(x, y)) - Double(sum) / Double((2 * reach + 1) * (2 * reach + 1))
        }
        var (product, power, samples) = (0.0, 0.0, 0)
        for y in stride(from: reach, to: height - reach, by: 1) {
            for x in stride(from: reach, to: width - reach, by: 1) where inside(x, y) {
                let (a, b) = (detail(original, x, y), detail(output, x, y))
                product += a * b
                power += a * a
                samples += 1
            }
        }
        return (power > 0 ? abs(product) / power : 0, samples)
    }

    /// Brightness has nearly all the detail. The colour steps of the squares still follow the face's coarse shading.
    @Test(
        "Less than 2 % of a face's fine detail remains in brightness, and less than 20 % in colour",
        arguments: [AnonymizeOptions.Method.blur, .pixelate, .solid])
    func detail(method: AnonymizeOptions.Method) async throws {
        let source = try Variants.path("bpyramid.mp4")
        let analysis = try await Self.thorough(source)
        let run = try await RenderedRun(analysis) { $0.anonymize = AnonymizeOptions(method: method) }
        let (plain, hidden) = (try RawVideo(source, width: 640, height: 360), try run.pixels())
        let rows = try analysis.table("faces.csv").faces()
        for frame in [0, 12, 24, 30, 50, 74] {
            let box = try #require(rows.first { $0.frame == frame }).box
            // The face itself: an ellipse in its box, without the margin.
            let inside = { (x: Double, y: Double) in
                let (u, v) = (
                    (x - box.center.x) / (box.width / 2), (y - box.center.y) / (box.height / 2)
                )
                return u * u + v * v <= 1
            }
            let luma = carriedDetail(
                reach: 2, inside: { inside(Double($0) + 0.5, Double($1) + 0.5) }, width: 640, height: 360,
                original: { plain.luma(frame, $0, $1) }, output: { hidden.luma(frame, $0, $1) })
            try #require(luma.samples > 1000)
            #expect(luma.share < 0.02, "frame \(frame)")
            for plane in 1...2 {
                let chroma = carriedDetail(
                    reach: 2, inside: { inside(2 * Double($0) + 1, 2 * Double($1) + 1) }, width: 320,
                    height: 180, original: { plain.chroma(frame, plane, $0, $1) },
                    output: { hidden.chroma(frame, plane, $0, $1) })
                try #require(chroma.samples > 250)
                #expect(chroma.share < 0.2, "plane \(plane) of frame \(frame)")
            }
        }
    }

    @Test("A face is covered in every frame, and no longer than its shot lasts")
    func hold() async throws {
        // Six seconds of the sample from 13 s. The scene without a face lasts from 14.52 to 17 s.
        let folder = try TemporaryFolder()
        let path = folder.path + "/part.mp4"
        let first = 325
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-an", "-vf",
            "trim=start_frame=\(first):end_frame=\(first + 150),setpts=PTS-STARTPTS", "-c:v", "libx264", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let analysis = try await Self.thorough(path)
        let run = try await RenderedRun(analysis) { $0.anonymize = AnonymizeOptions(method: .solid) }
        #expect(run.warnings == [])
        let (plain, hidden) = (try RawVideo(path, width: 640, height: 360), try run.pixels())
        try #require(plain.frameCount == 150 && hidden.frameCount == 150)
        let faces = try SampleTruth.faces().filter {
            $0.visible >= 0.9 && (first..<first + 150).contains($0.frame)
        }
        try #require(faces.count == 115)
        for face in faces { #expect(hidden.isCovered(face.box, frame: face.frame - first), "frame \(face.frame)") }
        // The frames at the cuts may show both shots.
        for frame in [363, 364, 424] {
            #expect(plain.frame(frame - first) != hidden.frame(frame - first), "frame \(frame)")
        }
        for frame in [365, 370, 400, 423] {
            #expect(plain.frame(frame - first) == hidden.frame(frame - first), "frame \(frame)")
        }
    }

    @Test("A face that returns after another shot is not covered in that shot")
    func cutAway() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cutaway.mp4"
        // A person for 30 frames, 35 frames of a texture, and the person again.
        let trims = [(240, 270), (365, 400), (270, 288)].enumerated().map { number, span in
            "[0:v]trim=start_frame=\(span.0):end_frame=\(span.1),setpts=PTS-STARTPTS[part\(number)]"
        }
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-filter_complex",
            trims.joined(separator: ";") + ";[part0][part1][part2]concat=n=3", "-c:v", "libx264", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let analysis = try await Self.thorough(path)
        #expect(Set(try analysis.table("faces.csv").faces().map(\.id)) == [1])
        let run = try await RenderedRun(analysis) { $0.anonymize = AnonymizeOptions(method: .solid) }
        let (plain, hidden) = (try RawVideo(path, width: 640, height: 360), try run.pixels())
        for frame in 0..<30 { #expect(plain.frame(frame) != hidden.frame(frame), "frame \(frame)") }
        // The cover ends with the shot, except for the two frames at the cut.
        for frame in 32..<63 { #expect(plain.frame(frame) == hidden.frame(frame), "frame \(frame)") }
        for frame in 65..<83 { #expect(plain.frame(frame) != hidden.frame(frame), "frame \(frame)") }
    }

    @Test("Inverted, everything except the faces is covered; people and faces can be chosen")
    func choice() async throws {
        let source = try Variants.path("bpyramid.mp4")
        let analysis = try await Self.thorough(source)
        let plain = try RawVideo(source, width: 640, height: 360)
        let face = try #require(try analysis.table("faces.csv").faces().first)
        let (x, y) = (Int(face.box.center.x), Int(face.box.center.y))
        let render = { (configure: (inout AnonymizeOptions) -> Void) in
            var options = AnonymizeOptions(method: .solid)
            configure(&options)
            return try await RenderedRun(analysis) { $0.anonymize = options }.pixels()
        }
        let inverted = try await render { $0.isInverted = true }
        #expect(inverted.luma(0, x, y) == plain.luma(0, x, y))
        #expect(Set([5, 300, 600].map { inverted.luma(0, $0, 5) }).count == 1)
        let person = try #require(try analysis.table("tracks.csv").numbers("person_id").first)
        let kept = try await render { $0.visible.people = .only([Int(person)]) }
        #expect(kept.frame(10) == plain.frame(10))
        #expect(kept.frame(60) != plain.frame(60))
        let hidden = try await render { $0.visible.people = .allBut([Int(person)]) }
        #expect(hidden.frame(10) != plain.frame(10))
        #expect(hidden.frame(60) == plain.frame(60))
        let named = try await render { $0.visible.keptFaces = [face.id] }
        #expect(named.frame(10) == plain.frame(10))
        #expect(named.frame(60) != plain.frame(60))
        let alone = try await render {
            $0.isInverted = true
            $0.visible.keptFaces = [face.id + 1]
        }
        #expect(alone.luma(10, x, y) != plain.luma(10, x, y))
    }

    @Test("The video has neither the source's metadata nor its cover picture")
    func metadata() async throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/named.mp4"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", try Variants.path("cover.mp4"), "-map", "0", "-c", "copy",
            "-metadata", "title=Portrait of somebody", source,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let run = try await RenderedRun(try await Self.thorough(source)) {
            $0.anonymize = AnonymizeOptions(method: .blur)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: run.path))
        #expect(bytes.range(of: Data("Portrait".utf8)) == nil)
        let listed = try ChildProcess.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", run.path,
        ])
        #expect(listed.output == "h264\naac\n")
    }

    @Test("A result that covers only part of the video or of its faces is refused")
    func refused() async throws {
        let source = try Variants.path("bpyramid.mp4")
        let part = try await AnalysisRun(source) { $0.sample.end = 1_000_000 }
        let few = try await AnalysisRun(source) { $0.track.maximumFaces = 1 }
        for (analysis, words) in [(part, "only a part of the video"), (few, "--max-faces or --min-face")] {
            let error = await #expect(throws: VidscanError.self) {
                _ = try await RenderedRun(analysis) { $0.anonymize = AnonymizeOptions(method: .blur) }
            }
            #expect(error?.reason.contains(words) == true)
        }
    }
}
