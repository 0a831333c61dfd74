import Testing
import VidscanBase

@Suite("Boxes, orientations and maps follow the rules of geometry")
struct GeometryTests {
    /// The linear part of the display matrix of each EXIF orientation. It maps the coded position (x, y) to the display
    /// position (a·x + c·y, b·x + d·y).
    private static let matrices: [(Double, Double, Double, Double, Orientation)] = [
        (1, 0, 0, 1, Orientation(swapsAxes: false, mirrorsX: false, mirrorsY: false)),
        (-1, 0, 0, 1, Orientation(swapsAxes: false, mirrorsX: true, mirrorsY: false)),
        (-1, 0, 0, -1, Orientation(swapsAxes: false, mirrorsX: true, mirrorsY: true)),
        (1, 0, 0, -1, Orientation(swapsAxes: false, mirrorsX: false, mirrorsY: true)),
        (0, 1, 1, 0, Orientation(swapsAxes: true, mirrorsX: false, mirrorsY: false)),
        (0, 1, -1, 0, Orientation(swapsAxes: true, mirrorsX: true, mirrorsY: false)),
        (0, -1, -1, 0, Orientation(swapsAxes: true, mirrorsX: true, mirrorsY: true)),
        (0, -1, 1, 0, Orientation(swapsAxes: true, mirrorsX: false, mirrorsY: true)),
    ]

    @Test("Each of the eight display matrices gives its orientation at any scale", arguments: matrices)
    func orientations(a: Double, b: Double, c: Double, d: Double, orientation: Orientation) throws {
        for scale in [1, 65_536, 0.5] {
            let nearest = try #require(
                Orientation.nearest(a: a * scale, b: b * scale, c: c * scale, d: d * scale))
            #expect(nearest.orientation == orientation)
            #expect(nearest.isExact)
        }
        let size = orientation.apply(to: PictureSize(width: 640, height: 360))
        #expect(size == (b == 0 ? PictureSize(width: 640, height: 360) : PictureSize(width: 360, height: 640)))
    }

    @Test("A slanted matrix gives the nearest orientation, marked as inexact")
    func slanted() throws {
        let nearest = try #require(Orientation.nearest(a: 0.9, b: 0.43, c: -0.43, d: 0.9))
        #expect(nearest.orientation == .upright)
        #expect(!nearest.isExact)
        #expect(Orientation.nearest(a: 0, b: 0, c: 0, d: 0) == nil)
        #expect(Orientation.nearest(a: 1, b: 1, c: 1, d: 1) == nil)
    }

    @Test("Overlap is measured as intersection over union")
    func overlap() {
        let box = Rectangle(x: 0, y: 0, width: 4, height: 2)
        #expect(box.intersectionOverUnion(with: box) == 1)
        #expect(box.intersectionOverUnion(with: box.offset(dx: 2, dy: 0)) == 4.0 / 12)
        #expect(box.intersectionOverUnion(with: box.offset(dx: 4, dy: 0)) == 0)
        #expect(box.intersectionOverUnion(with: Rectangle(x: 1, y: 1, width: 0, height: 0)) == 0)
    }

    @Test("A box is clamped to the frame")
    func clamped() {
        let size = PictureSize(width: 100, height: 50)
        #expect(
            Rectangle(x: -10, y: 40, width: 30, height: 30).clamped(to: size)
                == Rectangle(x: 0, y: 40, width: 20, height: 10))
        #expect(Rectangle(x: 120, y: 60, width: 5, height: 5).clamped(to: size).area == 0)
    }

    @Test("Composed affine maps apply the inner map first")
    func composition() {
        let turn = AffineTransform(xx: 0, xy: -1, x: 10, yx: 1, yy: 0, y: 0)
        let stretch = AffineTransform(xx: 2, xy: 0, x: 1, yx: 0, yy: 3, y: -1)
        let point = Point(x: 4, y: 5)
        #expect(turn.after(stretch).apply(to: point) == turn.apply(to: stretch.apply(to: point)))
    }

    @Test("A rotated square maps the middle of its grid to its centre and the edges to half a side from it")
    func rotatedSquare() {
        let square = RotatedSquare(center: Point(x: 100, y: 60), side: 40, angle: .pi / 2)
        let map = square.transform(resolution: 192)
        let middle = map.apply(to: Point(x: 96, y: 96))
        // The grid is rotated by a quarter turn clockwise, so its right edge is below the centre.
        let right = map.apply(to: Point(x: 192, y: 96))
        for (value, expected) in [(middle.x, 100.0), (middle.y, 60), (right.x, 100), (right.y, 80)] {
            #expect(abs(value - expected) < 1e-9)
        }
    }
}
