import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference

/// The expected values come from dlib itself, with `scripts/embedding/reference.py`.
@Suite("The embedding of a face equals dlib's")
struct FaceEmbedderTests {
    private struct Golden: Decodable {
        struct Case: Decodable {
            /// The frame of the sample clip, and the top left corner of a square of 150 pixels in it.
            var frame: Int
            var x: Int
            var y: Int
            /// The sum of all red, green and blue values in the square.
            var sum: Int
            var embedding: [Float]
            /// The embedding of the square's mirror image.
            var mirrored: [Float]
        }
        var cases: [Case]
    }

    /// Embeddings on processors with SSE4.2, AVX2 and AVX-512 differ by less than half of this.
    private static let tolerance = 1e-5

    private let cases: [Golden.Case]
    private let session: FaceEmbedder.Session

    init() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/embedding.golden.json")
        cases = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)).cases
        let embedder = try FaceEmbedder(
            runtime: InferenceRuntime(), path: Checkout.models + "/face_embedding.xml", concurrency: 1,
            precision: .exact)
        session = try embedder.makeSession()
    }

    @Test("The embeddings of four faces and of a background equal dlib's")
    func embedding() throws {
        try #require(cases.count == 5)
        for golden in cases {
            try fillInput(golden)
            let found = try session.embed()
            #expect(found.distance(to: FaceEmbedding(values: golden.embedding)) < Self.tolerance)
        }
    }

    @Test("With its mirror image, an embedding is the mean of dlib's for both")
    func mirrorImage() throws {
        for golden in cases {
            try fillInput(golden)
            let found = try session.embedWithMirrorImage()
            let mean = zip(golden.embedding, golden.mirrored).map { ($0 + $1) / 2 }
            #expect(found.embedding.distance(to: FaceEmbedding(values: mean)) < Self.tolerance)
            let distance = FaceEmbedding(values: golden.embedding).distance(to: FaceEmbedding(values: golden.mirrored))
            #expect(abs(found.mirrorDistance - distance) < 2 * Self.tolerance)
            #expect(found.mirrorDistance > 0.1)
        }
    }

    /// Fills the input with a square of the sample, converted to R'G'B' in integers as the reference does.
    private func fillInput(_ golden: Golden.Case) throws {
        let size = PictureSize(width: 640, height: 360)
        let side = FaceEmbedder.resolution
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-vf", "select='eq(n,\(golden.frame))'",
            "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
        ])
        let area = size.width * size.height
        let planes = decoded.outputBytes
        try #require(planes.count == area * 3 / 2, "\(decoded.errors)")
        let tensor = try session.input()
        try #require(tensor.count == 3 * side * side)
        var sum = 0
        for row in 0..<side {
            for column in 0..<side {
                let (x, y) = (golden.x + column, golden.y + row)
                let luma = Int(planes[y * size.width + x])
                let chroma = area + y / 2 * size.width / 2 + x / 2
                let (u, v) = (Int(planes[chroma]) - 128, Int(planes[chroma + area / 4]) - 128)
                let colors = [luma + (359 * v) >> 8, luma - (88 * u + 183 * v) >> 8, luma + (454 * u) >> 8]
                for (channel, color) in colors.enumerated() {
                    let value = min(max(color, 0), 255)
                    sum += value
                    tensor[(channel * side + row) * side + column] = Float(value)
                }
            }
        }
        // Otherwise the frame is another than the reference's.
        try #require(sum == golden.sum)
    }
}
