import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference
import VidscanMedia

@Suite("Embeddings tell the people in a video apart")
struct FaceEmbeddingTests {
    private struct Sample {
        let person: String
        let embedding: FaceEmbedding
        let mirrorDistance: Double
    }

    /// The true face in each of the sample's frames that are a second apart, unless it is partly outside.
    private static func faces() throws -> [Int: (person: String, box: Rectangle)] {
        let table = try CSVTable(path: Checkout.truth)
        let (frames, visible, boxes) = (try table.numbers("frame"), try table.numbers("visible"), try table.boxes())
        let rows = table.rows.indices.filter { Int(frames[$0]) % 25 == 0 && visible[$0] == 1 }
        // In a frame with two faces, the first of them.
        return try Dictionary(
            rows.map { (Int(frames[$0]), (try table.text("person", $0), boxes[$0])) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func samples() throws -> [Sample] {
        let runtime = try InferenceRuntime()
        let mesh = try AttentionMesh(
            path: Checkout.models + "/attention_mesh.json", weights: Checkout.models + "/attention_mesh.weights"
        ).makeSession()
        let embedder = try FaceEmbedder(
            runtime: runtime, path: Checkout.models + "/face-reidentification-retail-0095.xml", concurrency: 1
        ).makeSession()
        let cropper = SquareCropper()
        let reader = try FrameReader(path: Checkout.clip, options: FrameReader.Options(rate: .of("1")))
        let faces = try faces()
        var samples: [Sample] = []
        var tensor = [Float](repeating: 0, count: FaceCrop.byteCount)
        while let frame = try reader.next() {
            guard let (person, box) = faces[Int(frame.index)] else { continue }
            var square = RotatedSquare(center: box.center, side: 1.6 * box.height, angle: 0)
            var found: FaceMesh?
            for _ in 0..<3 {
                try cropper.crop(
                    frame, square: square, resolution: AttentionMesh.resolution,
                    into: try #require(mesh.input.baseAddress))
                let fit = mesh.locate(in: square)
                square = MeshCrop.implied(by: fit.mesh)
                found = fit.mesh
            }
            try cropper.crop(
                frame, square: EmbeddingCrop.square(around: try #require(found)), resolution: FaceCrop.resolution,
                into: &tensor)
            let pixels = tensor.map { UInt8(min(max($0, 0), 255).rounded()) }
            let (embedding, distance) = try embedder.embed(FaceCrop(pixels: pixels))
            samples.append(Sample(person: person, embedding: embedding, mirrorDistance: distance))
        }
        return samples
    }

    @Test("One person's faces are near to each other, and two people's are far apart")
    func distances() throws {
        let samples = try Self.samples()
        try #require(Set(samples.map(\.person)).count == 2 && samples.count >= 12)
        for (index, one) in samples.enumerated() {
            #expect(one.mirrorDistance < 0.3)
            for other in samples[..<index] {
                let distance = one.embedding.distance(to: other.embedding)
                if one.person == other.person {
                    #expect(distance < 0.25)
                } else {
                    #expect(distance > 0.6)
                }
            }
        }
    }
}
