import AnalysisSupport
import VidscanAnalysis
import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanRender
import VidscanResults

@Suite("An overlay is drawn where the faces are")
struct OverlayTests {
    private static let boxes = OverlayStyle(elements: [.box])

    /// The allowed distance of a drawn edge from the box's edge: half the line with its dark border, for a picture of
    /// 360 pixels, and one pixel for rounding.
    private static let reach = 0.5 * 1.5 * 2.2 + 1

    @Test(
        "In sampled frames, boxes are where the table says",
        arguments: ["vfr.mp4", "bpyramid.mp4", "orient6.mp4", "starttime.mp4"])
    func boxes(name: String) async throws {
        let source = try Variants.path(name)
        let run = try await RenderedRun(try await AnalysisRun.shared(source)) { $0.overlay = Self.boxes }
        let (plain, drawn) = (try RawVideo(source, width: 640, height: 360), try run.pixels())
        try #require(plain.frameCount == drawn.frameCount)
        let rows = try run.analysis.table("faces.csv").faces()
        try #require(rows.count >= 10)
        for row in rows {
            let found = try #require(
                plain.difference(from: drawn, frame: row.frame, threshold: 12), "frame \(row.frame)")
            let edges = zip(
                [found.left, found.top, found.right, found.bottom].map(Double.init),
                [row.box.x, row.box.y, row.box.x + row.box.width, row.box.y + row.box.height])
            // A line with the background's brightness may be invisible on one side.
            for (seen, said) in edges { #expect(abs(seen - said) <= Self.reach + 1, "frame \(row.frame)") }
        }
        // No line crosses the middle of a box.
        for row in rows {
            let (x, y) = (Int(row.box.center.x), Int(row.box.center.y))
            #expect(plain.luma(row.frame, x, y) == drawn.luma(row.frame, x, y))
        }
    }

    @Test("Nothing is drawn between the last sample before a cut and the first sample after it")
    func cut() async throws {
        // The cut is at 1 s, the sample before it at 0.8 s.
        let source = try Variants.path("bpyramid.mp4")
        let run = try await RenderedRun(try await AnalysisRun.shared(source)) { $0.overlay = Self.boxes }
        let (plain, drawn) = (try RawVideo(source, width: 640, height: 360), try run.pixels())
        for frame in [16, 18, 20, 25, 27, 60] { #expect(plain.frame(frame) != drawn.frame(frame), "frame \(frame)") }
        for frame in 21..<25 { #expect(plain.frame(frame) == drawn.frame(frame), "frame \(frame)") }
    }

    @Test("Between samples at 5 per second, the boxes' mean overlap with the truth is at least 0.7")
    func interpolation() async throws {
        // The two scenes from 3 to 9.6 s have one face each.
        let folder = try TemporaryFolder()
        let path = folder.path + "/part.mp4"
        let first = 75
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-an", "-vf",
            "trim=start_frame=\(first):end_frame=\(first + 165),setpts=PTS-STARTPTS", "-c:v", "libx264", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let analysis = try await AnalysisRun(path)
        let run = try await RenderedRun(analysis) { $0.overlay = Self.boxes }
        let sampled = Set(try analysis.table("frames.csv").numbers("frame").map(Int.init))
        let truth = Dictionary(grouping: try SampleTruth.faces().filter { $0.visible >= 0.9 }, by: \.frame)
        let (plain, drawn) = (try RawVideo(path, width: 640, height: 360), try run.pixels())
        try #require(plain.frameCount == 165 && drawn.frameCount == 165)
        var overlaps: [Double] = []
        var missing = 0
        for frame in 0..<165 where !sampled.contains(frame) {
            guard let faces = truth[frame + first], faces.count == 1 else { continue }
            guard let box = plain.difference(from: drawn, frame: frame, threshold: 12) else {
                missing += 1
                continue
            }
            let seen = Rectangle(
                x: Double(box.left), y: Double(box.top), width: Double(box.right - box.left),
                height: Double(box.bottom - box.top))
            overlaps.append(seen.intersectionOverUnion(with: faces[0].box))
        }
        try #require(overlaps.count > 110)
        #expect(overlaps.reduce(0, +) / Double(overlaps.count) >= 0.7)
        // At most four frames at the cut, at the next one and at the end.
        #expect(missing <= 12)
    }

    @Test("Every element and every sticker place draws something different")
    func styles() async throws {
        let source = try Variants.path("oneframe.mp4")
        let analysis = try await AnalysisRun.shared(source) { $0.write.landmarks = true }
        let plain = try RawVideo(source, width: 640, height: 360)
        var pictures: Set<[UInt8]> = [Array(plain.frame(0))]
        for element in OverlayStyle.Element.allCases where element != .trail && element != .emoji {
            let run = try await RenderedRun(analysis) { $0.overlay = OverlayStyle(elements: [element]) }
            #expect(pictures.insert(Array(try run.pixels().frame(0))).inserted, "\(element)")
        }
        for place in StickerOptions.Place.allCases {
            let run = try await RenderedRun(analysis) {
                $0.sticker = StickerOptions(path: Checkout.samples + "/../pipelines/mustache.png")
                $0.sticker?.place = place
            }
            #expect(pictures.insert(Array(try run.pixels().frame(0))).inserted, "\(place)")
        }
    }

    @Test("A mustache is between nose and mouth, and a frame is around the face")
    func stickers() async throws {
        let source = try Variants.path("oneframe.mp4")
        let analysis = try await AnalysisRun.shared(source)
        let table = try analysis.table("faces.csv")
        let face = try #require(try table.faces().first)
        let value = { (name: String) in try #require(try table.numbers(name).first) }
        let plain = try RawVideo(source, width: 640, height: 360)

        let mustache = try await RenderedRun(analysis) {
            $0.sticker = StickerOptions(path: Checkout.samples + "/../pipelines/mustache.png")
            $0.sticker?.place = .mustache
        }
        let hair = try #require(plain.difference(from: mustache.pixels(), frame: 0, threshold: 12))
        let middle = (x: Double(hair.left + hair.right) / 2, y: Double(hair.top + hair.bottom) / 2)
        let (noseX, noseY, mouthY) = (try value("nose_x"), try value("nose_y"), try value("mouth_y"))
        #expect(abs(middle.x - noseX) < face.box.width * 0.1)
        #expect((noseY...mouthY).contains(middle.y))
        #expect(Double(hair.right - hair.left) < face.box.width)

        let frame = try await RenderedRun(analysis) {
            $0.sticker = StickerOptions(path: Checkout.samples + "/frame.png")
            $0.sticker?.capInsets = StickerOptions.CapInsets(left: 28, top: 28, right: 28, bottom: 28)
        }
        let wood = try #require(plain.difference(from: frame.pixels(), frame: 0, threshold: 12))
        // The frame rotates with the head, so its corners reach slightly beyond the box.
        let reach = 0.06 * face.box.height
        #expect(abs(Double(wood.left) - face.box.x) <= reach && abs(Double(wood.top) - face.box.y) <= reach)
        #expect(abs(Double(wood.right) - face.box.x - face.box.width) <= reach)
        let center = (x: Int(face.box.center.x), y: Int(face.box.center.y))
        #expect(plain.luma(0, center.x, center.y) == (try frame.pixels().luma(0, center.x, center.y)))
    }
}
