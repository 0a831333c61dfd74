import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference

/// The expected values come from OpenVINO's interface for Python, with `scripts/embedding/reference.py`.
@Suite("The embedding of a face equals the network's output in Python")
struct FaceEmbedderTests {
    private struct Golden: Decodable {
        struct Case: Decodable {
            /// The frame of the sample clip, and the top left corner of a square of 128 pixels in it.
            var frame: Int
            var x: Int
            var y: Int
            /// The sum of all red, green and blue values in the square.
            var sum: Int
            var embedding: [Float]
            var mirrorDistance: Double

            enum CodingKeys: String, CodingKey {
                case frame, x, y, sum, embedding
                case mirrorDistance = "mirror_distance"
            }
        }
        var cases: [Case]
    }

    /// Embeddings on processors with SSE4.2, AVX2 and AVX-512 differ by less.
    private static let tolerance = 1e-5

    @Test("The embeddings of four faces and of a background are those of the squares and their mirror images")
    func embedding() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/embedding.golden.json")
        let cases = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)).cases
        try #require(cases.count == 5)
        let embedder = try FaceEmbedder(
            runtime: InferenceRuntime(), path: Checkout.models + "/face-reidentification-retail-0095.xml",
            concurrency: 1)
        let session = try embedder.makeSession()
        for golden in cases {
            let found = try session.embed(try Self.crop(golden))
            #expect(abs(found.embedding.cosineDistance(to: FaceEmbedding(values: golden.embedding))) < Self.tolerance)
            #expect(abs(found.embedding.cosineDistance(to: found.embedding)) < 1e-6)
            #expect(abs(found.mirrorDistance - golden.mirrorDistance) < Self.tolerance)
        }
    }

    @Test("A model that is missing or not a model is an error that names the file")
    func badModels() throws {
        let folder = try TemporaryFolder()
        try folder.write("no model", to: "text.onnx")
        try folder.write("", to: "empty.onnx")
        for name in ["missing.onnx", "text.onnx", "empty.onnx"] {
            let error = #expect(throws: InferenceError.self) {
                try InferenceRuntime().compile(path: folder.path + "/" + name, concurrency: 1)
            }
            let reason = try #require(error?.reason)
            #expect(reason.hasPrefix("cannot read the model \(name)"))
            #expect(!reason.contains("\n"))
        }
    }

    /// Returns a square of the sample, converted to R'G'B' in integers as the reference does.
    private static func crop(_ golden: Golden.Case) throws -> FaceCrop {
        let size = PictureSize(width: 640, height: 360)
        let side = FaceCrop.resolution
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-vf", "select='eq(n,\(golden.frame))'",
            "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
        ])
        let area = size.width * size.height
        let planes = decoded.outputBytes
        try #require(planes.count == area * 3 / 2, "\(decoded.errors)")
        var pixels = [UInt8](repeating: 0, count: FaceCrop.byteCount)
        for row in 0..<side {
            for column in 0..<side {
                let (x, y) = (golden.x + column, golden.y + row)
                let luma = Int(planes[y * size.width + x])
                let chroma = area + y / 2 * size.width / 2 + x / 2
                let (u, v) = (Int(planes[chroma]) - 128, Int(planes[chroma + area / 4]) - 128)
                let colors = [luma + (359 * v) >> 8, luma - (88 * u + 183 * v) >> 8, luma + (454 * u) >> 8]
                for (channel, color) in colors.enumerated() {
                    pixels[(channel * side + row) * side + column] = UInt8(min(max(color, 0), 255))
                }
            }
        }
        // Otherwise the frame is another than the reference's.
        try #require(pixels.reduce(0) { $0 + Int($1) } == golden.sum)
        return FaceCrop(pixels: pixels)
    }
}
