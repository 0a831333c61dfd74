import Testing
import VidscanBase
import VidscanRender

@Suite("A panel covers no other face, and an eye that is turned away is not drawn; a sticker is seen on its cover")
struct PanelPlaceTests {
    private static let face = Rectangle(x: 200, y: 100, width: 100, height: 120)

    /// Left and top edge of a panel of 80 x 40 in a picture of 640 x 360.
    private static func place(
        beside face: Rectangle = Self.face, _ others: [Rectangle], width: Double = 80
    ) -> [Double]? {
        OverlayPainter.place(
            width: width, height: 40, beside: face, gap: 5, others: others, in: (width: 640, height: 360)
        ).map { [$0.x, $0.y] }
    }

    @Test("It lies on the first side without a neighbour: right, left, below, over the box; or nowhere")
    func sides() {
        let (right, left) = (
            Rectangle(x: 310, y: 90, width: 60, height: 60), Rectangle(x: 130, y: 90, width: 60, height: 60)
        )
        let below = Rectangle(x: 210, y: 250, width: 60, height: 60)
        #expect(Self.place([]) == [305, 100])
        #expect(Self.place([right]) == [115, 100])
        #expect(Self.place([right, left]) == [200, 225])
        #expect(Self.place([right, left, below]) == [200, 180])
        #expect(Self.place([right, left, below, Rectangle(x: 220, y: 190, width: 20, height: 20)]) == nil)
    }

    @Test("It stays inside the picture")
    func edges() {
        let wide = Rectangle(x: 0, y: 0, width: 640, height: 360)
        #expect(Self.place(beside: wide, []) == [0, 320])
        #expect(Self.place(beside: Rectangle(x: 560, y: 340, width: 60, height: 60), []) == [475, 320])
        #expect(Self.place([], width: 700) == nil)
    }

    @Test("A dark sticker is one whose visible pixels are dark, however much of it is transparent")
    func darkness() {
        let image = { (pixels: [[UInt8]]) in
            RasterImage(size: PictureSize(width: pixels.count, height: 1), bytes: pixels.flatMap { $0 })
        }
        #expect(StickerPainter.isDark(image([[22, 30, 46, 255], [0, 0, 0, 0]])))
        #expect(!StickerPainter.isDark(image([[200, 200, 200, 255], [0, 0, 0, 0], [0, 0, 0, 0]])))
        // Half covered, and white.
        #expect(!StickerPainter.isDark(image([[128, 128, 128, 128]])))
    }

    @Test("Both eyes up to a yaw of 40 degrees, then the nearer one")
    func eyes() {
        for yaw in [nil, 0, 40, -40] as [Double?] {
            #expect(OverlayPainter.sees(leftEye: true, of: yaw) && OverlayPainter.sees(leftEye: false, of: yaw))
        }
        // A subject who turns to their left shows the right side.
        #expect(!OverlayPainter.sees(leftEye: true, of: 50) && OverlayPainter.sees(leftEye: false, of: 50))
        #expect(OverlayPainter.sees(leftEye: true, of: -80) && !OverlayPainter.sees(leftEye: false, of: -80))
    }
}
