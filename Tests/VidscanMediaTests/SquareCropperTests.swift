import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The input tensor of the mesh")
struct SquareCropperTests {
    private static let size = PictureSize(width: 319, height: 179)

    private static func video(_ pixels: String) throws -> GeneratedVideo {
        try GeneratedVideo(
            "picture.mkv",
            filter:
                "scale=\(size.width):\(size.height),format=\(pixels),setparams=range=tv:colorspace=bt709",
            encoding: ["-c:v", "ffv1"])
    }

    private static func crop(_ frame: SampledFrame, _ square: RotatedSquare, _ resolution: Int) throws -> [Float] {
        var tensor = [Float](repeating: -1, count: 3 * resolution * resolution)
        try SquareCropper().crop(frame, square: square, resolution: resolution, into: &tensor)
        return tensor
    }

    /// Enlarged, reduced by less than two and by averaged blocks, upright, rotated, partly and wholly outside.
    private static let squares = [
        RotatedSquare(center: Point(x: 160, y: 90), side: 20, angle: 0),
        RotatedSquare(center: Point(x: 170, y: 80), side: 70, angle: 0.3),
        RotatedSquare(center: Point(x: 150, y: 95), side: 150, angle: -2.1),
        RotatedSquare(center: Point(x: 310, y: 170), side: 260, angle: .pi / 2),
        RotatedSquare(center: Point(x: 5, y: 4), side: 400, angle: 0.8),
        RotatedSquare(center: Point(x: -900, y: 90), side: 60, angle: 0.1),
    ]

    @Test(
        "The tensor has the samples of the decoded planes at the square's points",
        arguments: ["yuv420p", "yuv422p", "yuv444p", "gray", "yuv420p10le", "gray12le"])
    func definition(pixels: String) throws {
        let video = try Self.video(pixels)
        let frame = try video.frame()
        let chroma = ["yuv420p": (2, 2), "yuv420p10le": (2, 2), "yuv422p": (2, 1), "yuv444p": (1, 1)][pixels]
        let depth = ["yuv420p10le": 10, "gray12le": 12][pixels] ?? 8
        let reference = CropperReference(
            levels(ofSamples: try video.bytes(pixels), depth: depth), size: Self.size, chroma: chroma)
        for square in Self.squares {
            let got = try Self.crop(frame, square, 45)
            let expected = reference.crop(square, resolution: 45)
            let differences = zip(got, expected).map { abs(Double($0) - $1) }
            // Both take positions in steps of 1/256 pixel. Where a position falls on the other side of a step, a sample at
            // an edge of 150 levels changes by 0.6, and a colour, which amplifies chroma, by 1.4.
            #expect((differences.max() ?? .infinity) < 1.5, "\(square)")
            #expect(differences.reduce(0, +) / Double(differences.count) < 0.02, "\(square)")
        }
    }

    @Test("A square of any place and size gives a tensor of colours in range")
    func extremes() throws {
        let frame = try Self.video("yuv420p").frame()
        for center in [0, -1e7, 1e9, 1e300, .infinity, .nan] {
            for side in [0, 1e-9, 5000, 1e6, 1e12, .infinity, .nan] {
                let square = RotatedSquare(center: Point(x: center, y: center), side: side, angle: 0.5)
                for resolution in [1, 17, 45] {
                    let tensor = try Self.crop(frame, square, resolution)
                    #expect(tensor.allSatisfy { 0...255 ~= $0 })
                }
            }
        }
    }

    @Test("A cropper that has cropped other frames and squares gives the same tensor")
    func reused() throws {
        let frames = try ["yuv444p", "gray", "yuv420p"].map { try Self.video($0).frame() }
        let cropper = SquareCropper()
        for frame in frames {
            for square in Self.squares + Self.squares.reversed() {
                var tensor = [Float](repeating: -1, count: 3 * 45 * 45)
                try cropper.crop(frame, square: square, resolution: 45, into: &tensor)
                #expect(tensor == (try Self.crop(frame, square, 45)))
            }
        }
    }
}
