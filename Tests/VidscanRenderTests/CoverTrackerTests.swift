import Testing
import VidscanBase
import VidscanRender
import VidscanResults

@Suite("A cover that follows the picture covers what it shows, and never less than the straight path")
struct CoverTrackerTests {
    /// A textured patch of 40 × 30 pixels before another, darker texture, in frames of 40 ms.
    private struct Scene {
        /// The top left corner of the patch in a frame; `nil` if it is not there.
        var place: (Int) -> Point?
        /// Changes the luma of the patch.
        var light: (Float) -> Float = { $0 }
        /// Whether all rows are the same, also above and below the patch.
        var isStriped = false

        static let size = Point(x: 40, y: 30)

        func patch(_ frame: Int) -> Rectangle? {
            place(frame).map { Rectangle(x: $0.x, y: $0.y, width: Self.size.x, height: Self.size.y) }
        }

        /// Interpolated linearly between random values, 5 pixels apart.
        private static func texture(_ point: Point, seed: Int) -> Double {
            func value(_ x: Int, _ y: Int) -> Double {
                var bits = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263 &+ seed &* 974_634_777)
                bits = (bits ^ bits >> 13) &* 1_274_126_177
                return Double((bits ^ bits >> 16) & 255)
            }
            let (left, top) = ((point.x / 5).rounded(.down), (point.y / 5).rounded(.down))
            let (x, y) = (point.x / 5 - left, point.y / 5 - top)
            let (column, row) = (Int(left), Int(top))
            return (value(column, row) * (1 - x) + value(column + 1, row) * x) * (1 - y)
                + (value(column, row + 1) * (1 - x) + value(column + 1, row + 1) * x) * y
        }

        func luma(_ frame: Int, _ box: Rectangle, _ side: Int) -> [Float] {
            (0..<side * side).map { cell in
                let x = box.x + (Double(cell % side) + 0.5) * box.width / Double(side)
                let y = box.y + (Double(cell / side) + 0.5) * box.height / Double(side)
                let own = place(frame).map { Point(x: x, y: y) - $0 }
                let isPatch =
                    own.map { own in
                        0..<Self.size.x ~= own.x && (isStriped || 0..<Self.size.y ~= own.y)
                    } ?? false
                var point = isPatch ? own ?? .zero : Point(x: x, y: y)
                if isStriped { point.y = 0 }
                let value = Float(Self.texture(point, seed: isPatch ? 1 : 2))
                return isPatch ? light(value) : value / 4
            }
        }

        /// What is covered in each frame, and the straight path.
        func covers(
            _ keyframes: [(seconds: Double, box: Rectangle)], frames: ClosedRange<Int>, cut: Int? = nil
        ) throws -> [(frame: Int, straight: Rectangle, cover: Rectangle)] {
            let list = keyframes.map { time, box in
                #"{"time": \#(time), "box": [\#(box.x), \#(box.y), \#(box.width), \#(box.height)]}"#
            }
            let text = """
                {"format": "vidscan covers 1", "video": {"name": "a", "bytes": 1}, "covers": [
                {"do": "cover", "what": "plate", "follow": true, "keyframes": [\(list.joined(separator: ","))]}]}
                """
            let region = try #require(CoverFile(text: text, path: "c").regions.first)
            #expect(region.follows)
            var tracker = CoverTracker()
            return try frames.map { frame in
                let time = Int64(frame) * 40_000
                let straight = try #require(region.box(at: time, reach: 50_000))
                let box = tracker.box(of: region, straight: straight, at: time, isCut: frame == cut) {
                    luma(frame, $0, $1)
                }
                return (frame, straight, box)
            }
        }
    }

    /// 50 frames along an arch 60 pixels high.
    private static func arch(_ frame: Int) -> Point {
        let fraction = Double(frame) / 50
        return Point(x: 100 + 150 * fraction, y: 200 - 240 * fraction * (1 - fraction))
    }

    private static func covers(_ cover: Rectangle, _ box: Rectangle) -> Bool {
        cover.intersectionArea(with: box) > box.area * (1 - 1e-9)
    }

    private static func keyframe(_ scene: Scene, _ frame: Int) throws -> (seconds: Double, box: Rectangle) {
        (Double(frame) / 25, try #require(scene.patch(frame)))
    }

    @Test("A patch on a curve stays covered in every frame, which the straight path does not do")
    func curve() throws {
        // It gets darker and loses contrast meanwhile.
        for light in [{ $0 }, { 20 + 0.4 * $0 }] as [(Float) -> Float] {
            let scene = Scene(place: Self.arch, light: light)
            let covers = try scene.covers(
                [try Self.keyframe(scene, 0), try Self.keyframe(scene, 50)], frames: 0...50)
            for (frame, straight, cover) in covers {
                let patch = try #require(scene.patch(frame))
                #expect(Self.covers(cover, patch) && Self.covers(cover, straight), "frame \(frame)")
                if 10...40 ~= frame { #expect(straight.intersectionArea(with: patch) < 0.5 * patch.area) }
            }
            // Exactly what the person drew, where the person drew it.
            for end in [covers[0], covers[50]] { #expect(end.cover == end.straight) }
        }
    }

    @Test("A keyframe shows the frame that is on the screen at its time, also if that is rounded")
    func times() throws {
        // 8 pixels a frame up and down; it turns at the keyframe in frame 15.
        let scene = Scene(place: { Point(x: 100, y: 100 + 8 * Double(abs(($0 + 5) % 20 - 10))) })
        for shift in [0.0005, -0.0005, 0.03] {
            let keys = try [1, 15, 35].map { frame in
                let key = try Self.keyframe(scene, frame)
                return (key.seconds + shift, key.box)
            }
            for (frame, _, cover) in try scene.covers(keys, frames: 1...35) {
                #expect(Self.covers(cover, try #require(scene.patch(frame))), "frame \(frame), \(shift)")
            }
        }
    }

    @Test("What is not found again stays covered where it was last, and the straight path too, up to the next keyframe")
    func lost() throws {
        // After 50 frames, on the other side of the straight path.
        let scene = Scene(place: { frame in
            let point = Self.arch(frame)
            return frame < 20 ? point : frame < 50 ? nil : Point(x: point.x, y: 400 - point.y)
        })
        let covers = try scene.covers(try [0, 50, 75].map { try Self.keyframe(scene, $0) }, frames: 0...75)
        let before = covers[19]
        let last = Point(x: before.cover.x - before.straight.x, y: before.cover.y - before.straight.y)
        #expect(last.y < -40)
        for (frame, straight, cover) in covers[20..<50] {
            #expect(Self.covers(cover, straight), "frame \(frame)")
            #expect(abs(cover.y - straight.y - last.y) < 1e-9, "frame \(frame)")
        }
        #expect(covers[50].cover == covers[50].straight)
        for (frame, _, cover) in covers[50...] {
            #expect(Self.covers(cover, try #require(scene.patch(frame))), "frame \(frame)")
        }
    }

    @Test("Along stripes, where all places look alike, the cover stays")
    func stripes() throws {
        let scene = Scene(place: { _ in Point(x: 100, y: 100) }, isStriped: true)
        let covers = try scene.covers(try [0, 10].map { try Self.keyframe(scene, $0) }, frames: 0...10)
        for (frame, straight, cover) in covers {
            #expect(straight.intersectionOverUnion(with: cover) > 0.8, "frame \(frame)")
        }
    }

    @Test("A picture without contrast has nothing to follow: exactly the straight path is covered")
    func flat() throws {
        let scene = Scene(place: Self.arch, light: { 100 + $0 / 100 })
        let covers = try scene.covers([try Self.keyframe(scene, 0), try Self.keyframe(scene, 50)], frames: 0...50)
        for (frame, straight, cover) in covers { #expect(cover == straight, "frame \(frame)") }
    }

    @Test("After a cut, the straight path is covered up to the next keyframe, from which the cover follows again")
    func cut() throws {
        let scene = Scene(place: { Self.arch($0 % 50) })
        let keys = try [0, 50, 99].map { try Self.keyframe(scene, $0) }
        let covers = try scene.covers(keys, frames: 0...99, cut: 25)
        for (frame, straight, cover) in covers {
            let patch = try #require(scene.patch(frame))
            if frame < 25 || frame >= 50 { #expect(Self.covers(cover, patch), "frame \(frame)") }
            if 25...50 ~= frame { #expect(cover == straight, "frame \(frame)") }
        }
        // A keyframe in the first frame of a shot is one of that shot.
        for (frame, _, cover) in try scene.covers(keys, frames: 0...99, cut: 50) {
            #expect(Self.covers(cover, try #require(scene.patch(frame))), "frame \(frame)")
        }
    }

    @Test("A box as large as can be written, and one of a thousandth of a pixel, cover at least the straight path")
    func extremes() throws {
        let scene = Scene(place: Self.arch)
        let boxes = [
            Rectangle(x: -9e6, y: -9e6, width: 1e7, height: 1e7), Rectangle(x: 5, y: 5, width: 1e-3, height: 1e-3),
        ]
        for keys in [[boxes[0], boxes[1]], [boxes[1], boxes[0]]] {
            let covers = try scene.covers([(0, keys[0]), (0.4, keys[1])], frames: 0...10)
            for (frame, straight, cover) in covers { #expect(Self.covers(cover, straight), "frame \(frame)") }
        }
    }
}
