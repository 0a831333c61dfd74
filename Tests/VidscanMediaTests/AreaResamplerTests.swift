import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The input tensor of a detector")
struct AreaResamplerTests {
    private struct Format {
        let name: String
        /// Filters and encoder options that make a file in this format.
        let filter: String
        let encoding: [String]
        /// FFmpeg's name of the pixel format that is averaged.
        let planes: String
        let layout: ResamplerReference.Layout
    }

    private static let small = PictureSize(width: 158, height: 90)
    private static let odd = PictureSize(width: 159, height: 91)

    private static func layout(
        _ size: PictureSize = small, chroma: (Int, Int), left: Bool = true, full: Bool = false, bt601: Bool = false,
        depth: Int = 8
    ) -> ResamplerReference.Layout {
        ResamplerReference.Layout(
            size: size, chromaX: chroma.0, chromaY: chroma.1, isChromaLeft: left, isFullRange: full,
            red: bt601 ? 0.299 : 0.2126, blue: bt601 ? 0.114 : 0.0722, depth: depth)
    }

    private static func format(
        _ name: String, pixels: String, tags: String, layout: ResamplerReference.Layout
    ) -> Format {
        Format(
            name: name, filter: "scale=\(layout.size.width):\(layout.size.height),format=\(pixels),setparams=\(tags)",
            encoding: ["-c:v", "ffv1"], planes: pixels, layout: layout)
    }

    private static let bt709 = "range=tv:colorspace=bt709"
    private static let formats = [
        format("4:2:0", pixels: "yuv420p", tags: bt709, layout: layout(chroma: (2, 2))),
        format("4:2:0 of odd size", pixels: "yuv420p", tags: bt709, layout: layout(odd, chroma: (2, 2))),
        format("4:2:2", pixels: "yuv422p", tags: bt709, layout: layout(chroma: (2, 1))),
        format("4:4:4", pixels: "yuv444p", tags: bt709, layout: layout(chroma: (1, 1))),
        format("4:1:0", pixels: "yuv410p", tags: bt709, layout: layout(chroma: (4, 4))),
        format(
            "BT.601", pixels: "yuv420p", tags: "range=tv:colorspace=smpte170m",
            layout: layout(chroma: (2, 2), bt601: true)),
        format(
            "full range", pixels: "yuv420p", tags: "range=pc:colorspace=bt709",
            layout: layout(chroma: (2, 2), full: true)),
        format(
            "untagged, below high definition", pixels: "yuv420p", tags: "range=tv:colorspace=unknown",
            layout: layout(chroma: (2, 2), bt601: true)),
        // JPEG puts chroma in the middle of its pixels.
        Format(
            name: "JPEG", filter: "scale=158:90,format=yuvj420p", encoding: ["-c:v", "mjpeg", "-q:v", "2"],
            planes: "yuvj420p", layout: layout(chroma: (2, 2), left: false, full: true, bt601: true)),
        format("grey", pixels: "gray", tags: bt709, layout: layout(chroma: (0, 0))),
        format("ten bits", pixels: "yuv420p10le", tags: bt709, layout: layout(odd, chroma: (2, 2), depth: 10)),
        format("sixteen bits", pixels: "yuv444p16le", tags: bt709, layout: layout(chroma: (1, 1), depth: 16)),
        format("grey of twelve bits", pixels: "gray12le", tags: bt709, layout: layout(chroma: (0, 0), depth: 12)),
    ]

    @Test("The tensor is the area average of the decoded planes", arguments: formats.indices)
    func areaAverage(number: Int) throws {
        let format = Self.formats[number]
        let video = try GeneratedVideo("picture.mkv", filter: format.filter, encoding: format.encoding)
        #expect(try video.frame().pixelFormatName == format.planes)
        let reference = ResamplerReference(try video.bytes(format.planes), layout: format.layout)
        // Reduced by a fraction; and reduced on one axis and enlarged on the other.
        for (picture, tensor) in [((80, 45), (80, 48)), ((174, 50), (176, 64))] {
            let target = PictureSize(width: picture.0, height: picture.1)
            let size = PictureSize(width: tensor.0, height: tensor.1)
            let got = try video.tensor(picture: target, tensor: size)
            let difference = compare(got, reference.pixels(target), picture: target, tensor: size)
            // Weights have a resolution of 1/256. At an edge of 150 levels this makes a third of a level.
            #expect(difference.worst < 0.5, "\(format.name) to \(target)")
            #expect(difference.mean < 0.01, "\(format.name) to \(target)")
            #expect(difference.padding == 0, "the rest of the tensor is black")
        }
    }

    private func compare(
        _ got: [Float], _ expected: [[Double]], picture: PictureSize, tensor: PictureSize
    ) -> (worst: Double, mean: Double, padding: Float) {
        var (worst, sum, padding) = (0.0, 0.0, Float(0))
        for channel in 0..<3 {
            for row in 0..<tensor.height {
                for column in 0..<tensor.width {
                    let value = got[(channel * tensor.height + row) * tensor.width + column]
                    guard row < picture.height, column < picture.width else {
                        padding = max(padding, abs(value))
                        continue
                    }
                    let difference = abs(Double(value) - expected[channel][row * picture.width + column])
                    worst = max(worst, difference)
                    sum += difference
                }
            }
        }
        return (worst, sum / Double(3 * picture.width * picture.height), padding)
    }

    @Test("The tensor is the same for every stored orientation, bit for bit", arguments: 2...8)
    func orientations(orientation: Int) throws {
        // No side is a multiple of the target side, so that every weight is a fraction.
        let (source, target) = (PictureSize(width: 194, height: 110), PictureSize(width: 64, height: 36))
        let upright = try GeneratedVideo.turned(1, size: source).tensor(picture: target, tensor: target)
        let turned = try GeneratedVideo.turned(orientation, size: source).tensor(picture: target, tensor: target)
        #expect(upright == turned)
    }

    @Test("A part of the picture has the same values as the whole", arguments: 1...8)
    func part(orientation: Int) throws {
        let (source, size) = (PictureSize(width: 394, height: 110), PictureSize(width: 164, height: 36))
        let frame = try GeneratedVideo.turned(orientation, size: source).frame()
        var whole = [Float](repeating: 0, count: 3 * 164 * 36)
        try AreaResampler().resample(frame, pictureSize: size, tensorSize: size, into: &whole)
        for columns in [0..<1, 9..<17, 50..<130, 163..<164, 0..<164] {
            let part = PictureRegion(rows: (0..<36).map { $0 % 5 == 2 }, columns: columns)
            var tensor = [Float](repeating: -1, count: whole.count)
            try AreaResampler().resample(frame, pictureSize: size, tensorSize: size, part: part, into: &tensor)
            let needed = whole.indices.filter { part.rows[$0 / 164 % 36] && columns.contains($0 % 164) }
            #expect(needed.allSatisfy { tensor[$0] == whole[$0] }, "columns \(columns)")
            // Where rows stay rows, others are not filled.
            let others = whole.indices.filter { !part.rows[$0 / 164 % 36] }
            #expect(orientation > 4 || others.allSatisfy { tensor[$0] == -1 })
        }
    }

    @Test(
        "A picture of one colour gives a tensor of that colour, bit for bit",
        arguments: ["yuv420p", "yuvj420p", "yuv422p", "yuv420p10le", "yuv444p", "gray", "bgr0", "gbrp"])
    func constant(pixels: String) throws {
        let video = try GeneratedVideo(
            "colour.mkv", source: GeneratedVideo.color("0x3C78B4"), filter: "format=\(pixels)",
            encoding: ["-c:v", "ffv1"])
        let size = PictureSize(width: 45, height: 31)
        let tensor = try video.tensor(picture: size, tensor: size)
        let rgb = try video.bytes("rgb24").prefix(3)
        for (channel, value) in rgb.enumerated() {
            let plane = tensor[(channel * size.width * size.height)..<((channel + 1) * size.width * size.height)]
            let first = try #require(plane.first)
            #expect(plane.allSatisfy { $0 == first })
            // ffmpeg and the conversion of RGB to planes both round to eight bits.
            #expect(abs(first - Float(value)) <= 2, "channel \(channel)")
        }
    }

    @Test(
        "The colours are right for RGB, ten bits and palettes",
        arguments: ["rgb.mkv", "tenbit.mp4", "ten422.mkv", "anim.gif", "still.png"])
    func converted(name: String) throws {
        let path = try Variants.path(name)
        let reader = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
        let frame = try #require(try reader.next())
        let target = PictureSize(width: 80, height: 45)
        var tensor = [Float](repeating: 0, count: 3 * 80 * 45)
        try AreaResampler().resample(frame, pictureSize: target, tensorSize: target, into: &tensor)
        let scaled = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-frames:v", "1", "-vf",
            "scale=80:45:flags=area+accurate_rnd+full_chroma_int+full_chroma_inp:in_color_matrix=auto", "-f",
            "rawvideo",
            "-pix_fmt", "rgb24", "-",
        ]).outputBytes
        try #require(scaled.count == tensor.count)
        let differences = tensor.indices.map { abs(tensor[$0] - Float(scaled[3 * ($0 % 3600) + $0 / 3600])) }
        // Scalers differ by half a level on average. A wrong matrix or range makes several levels.
        #expect(differences.reduce(0, +) / Float(differences.count) < 0.75)
    }
}
