import TestSupport
import Testing
import VidscanBase
import VidscanFaces

@Suite("Luma and sharpness of a frame are those that ffmpeg's pixels have")
struct FrameQualityTests {
    /// The size of the pictures, which is not a multiple of eight.
    private static let size = PictureSize(width: 339, height: 190)

    /// Returns pixels of the sample clip as ffmpeg gives them.
    private static func pixels(seconds: Double, format: String, blur: Bool = false) throws -> [UInt8] {
        let filter = "scale=\(size.width):\(size.height):flags=area\(blur ? ",gblur=sigma=3" : ""),format=\(format)"
        let outcome = try ChildProcess.run([
            "ffmpeg", "-v", "error", "-ss", "\(seconds)", "-i", Checkout.clip, "-frames:v", "1", "-vf", filter, "-f",
            "rawvideo", "-",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.outputBytes
    }

    private static func quality(_ rgb: [UInt8]) throws -> FrameQuality {
        let (width, height) = (size.width, size.height)
        // The tensor is larger than the picture, as the detector's may be. Its padding must not count.
        let tensor = PictureSize(width: width + 13, height: height + 2)
        var values = [Float](repeating: 255, count: 3 * tensor.width * tensor.height)
        for y in 0..<height {
            for x in 0..<width {
                for plane in 0..<3 {
                    values[plane * tensor.width * tensor.height + y * tensor.width + x] =
                        Float(rgb[3 * (y * width + x) + plane])
                }
            }
        }
        return try values.withUnsafeBufferPointer { buffer in
            FrameQuality(TensorPicture(base: try #require(buffer.baseAddress), size: size, tensorSize: tensor))
        }
    }

    @Test("A frame has the mean and the variance of the Laplacian of its luma", arguments: [0.0, 5, 13])
    func golden(seconds: Double) throws {
        let rgb = try Self.pixels(seconds: seconds, format: "rgb24")
        let quality = try Self.quality(rgb)
        // The same definitions, in plain loops over doubles.
        let (width, height) = (Self.size.width, Self.size.height)
        var luma: [Double] = []
        for index in 0..<width * height {
            let (red, green, blue) = (Double(rgb[3 * index]), Double(rgb[3 * index + 1]), Double(rgb[3 * index + 2]))
            luma.append(0.299 * red + 0.587 * green + 0.114 * blue)
        }
        var edges: [Double] = []
        for y in 1..<height - 1 {
            for x in 1..<width - 1 {
                let index = y * width + x
                let beside = luma[index - 1] + luma[index + 1]
                let aboveAndBelow = luma[index - width] + luma[index + width]
                edges.append(beside + aboveAndBelow - 4 * luma[index])
            }
        }
        let mean = edges.reduce(0, +) / Double(edges.count)
        let variance = edges.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(edges.count)
        #expect(abs(quality.luma - luma.reduce(0, +) / Double(luma.count) / 2.55) < 0.001)
        #expect(abs(quality.sharpness / variance - 1) < 1e-4)
        // ffmpeg's own luma is rounded to 8 bits, and has other weights (BT.709) than R'G'B' in BT.601.
        let gray = try Self.pixels(seconds: seconds, format: "gray")
        let level = gray.reduce(0) { $0 + Double($1) } / Double(gray.count) / 2.55
        #expect(abs(quality.luma - level) < 1, "\(quality.luma), \(level)")
    }

    @Test("A blurred frame is less sharp and as bright")
    func blurred() throws {
        let sharp = try Self.quality(try Self.pixels(seconds: 5, format: "rgb24"))
        let blurred = try Self.quality(try Self.pixels(seconds: 5, format: "rgb24", blur: true))
        #expect(blurred.sharpness < 0.1 * sharp.sharpness)
        #expect(abs(blurred.luma - sharp.luma) < 0.5)
    }

    @Test("A picture of one pixel has a luma and no sharpness")
    func onePixel() {
        let quality = withUnsafeTemporaryAllocation(of: Float.self, capacity: 3) { values in
            values.initialize(repeating: 255)
            let size = PictureSize(width: 1, height: 1)
            return values.baseAddress.map { FrameQuality(TensorPicture(base: $0, size: size, tensorSize: size)) }
        }
        #expect(quality == FrameQuality(luma: 100, sharpness: 0))
    }
}
