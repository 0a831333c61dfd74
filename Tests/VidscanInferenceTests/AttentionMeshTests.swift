import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanInference

@Suite("The attention mesh lies on the face")
struct AttentionMeshTests {
    /// Around the face of the clip's first picture, in display pixels.
    private static let square = RotatedSquare(center: Point(x: 320, y: 165), side: 180, angle: 0)
    /// What is the crop itself.
    private static let whole = RotatedSquare(center: Point(x: 96, y: 96), side: 192, angle: 0)

    private let mesh: AttentionMesh

    init() throws {
        mesh = try AttentionMesh(
            path: Checkout.models + "/attention_mesh.json", weights: Checkout.models + "/attention_mesh.weights")
    }

    private func fill(_ session: MeshSession, seconds: Double, filter: String) throws {
        let side = AttentionMesh.resolution
        let picture = try TestPicture(
            seconds: seconds, filter: filter, size: PictureSize(width: side, height: side))
        try #require(session.input.count == picture.planes.count)
        picture.fill(try #require(session.input.baseAddress))
    }

    private func locate(seconds: Double) throws -> (mesh: FaceMesh, presence: Double) {
        let session = mesh.makeSession()
        let side = AttentionMesh.resolution
        try fill(session, seconds: seconds, filter: "crop=180:180:230:75,scale=\(side):\(side)")
        return session.locate(in: Self.square)
    }

    @Test("Every point lies on the face, and the presence is high")
    func onFace() throws {
        let (mesh, presence) = try locate(seconds: 0)
        #expect(presence > 0.87)
        let box = Rectangle(x: 276.08, y: 111.01, width: 87.85, height: 107.97)
        let inside = (0..<FaceMesh.pointCount).count {
            (box.x - 15...box.x + box.width + 15).contains(mesh[$0].x)
                && (box.y - 15...box.y + box.height + 15).contains(mesh[$0].y)
        }
        #expect(inside == FaceMesh.pointCount)
        // The subject's left eye is on the right of the picture, and each iris is in its eye.
        #expect(mesh[MeshPoint.rightEyeOuter].x < mesh[MeshPoint.rightIris].x)
        #expect(mesh[MeshPoint.rightIris].x < mesh[MeshPoint.rightEyeInner].x)
        #expect(mesh[MeshPoint.rightEyeInner].x < mesh[MeshPoint.leftEyeInner].x)
        #expect(mesh[MeshPoint.leftEyeInner].x < mesh[MeshPoint.leftIris].x)
        #expect(mesh[MeshPoint.leftIris].x < mesh[MeshPoint.leftEyeOuter].x)
        #expect(mesh[MeshPoint.noseTip].y < mesh[MeshPoint.upperLipInner].y)
        #expect(mesh[MeshPoint.lowerLipInner].y < mesh[MeshPoint.chin].y)
    }

    @Test("The presence is low where there is no face")
    func onBackground() throws {
        #expect(try locate(seconds: 15.5).presence < 0.5)
    }

    // MARK: The network

    /// What OpenVINO computes; `scripts/conversion/golden.py` writes it.
    private struct Golden: Decodable {
        struct Case: Decodable {
            var seconds: Double
            /// ffmpeg's filter that cuts the crop.
            var filter: String
            var presence: Double
            /// 478 × 3, in pixels of the crop.
            var points: [[Double]]
        }
        var cases: [Case]

        static func load() throws -> [Case] {
            let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/mesh.golden.json")
            return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)).cases
        }
    }

    @Test("The points and the presence equal OpenVINO's", arguments: InstructionSet.allCases)
    func golden(set: InstructionSet) throws {
        let session = try mesh.makeSession(kernels: set.kernels())
        let cases = try Golden.load()
        try #require(cases.count == 4)
        for golden in cases {
            try fill(session, seconds: golden.seconds, filter: golden.filter)
            let (points, presence) = session.locate(in: Self.whole)
            #expect(abs(presence - golden.presence) < 1e-5)
            let distances = golden.points.enumerated().flatMap { index, point in
                [points[index].x - point[0], points[index].y - point[1], points.z(index) - point[2]].map(abs)
            }
            #expect(try #require(distances.max()) < 2e-3, "\(golden.filter)")
        }
    }

    @Test("Processors with AVX2 and with AVX-512 give the same bits")
    func sameBits() throws {
        let sessions = try [InstructionSet.avx2, .avx512].map { try mesh.makeSession(kernels: $0.kernels()) }
        for golden in try Golden.load() {
            let found = try sessions.map { session in
                try fill(session, seconds: golden.seconds, filter: golden.filter)
                return session.locate(in: Self.whole)
            }
            #expect(found[0].mesh == found[1].mesh && found[0].presence == found[1].presence, "\(golden.filter)")
        }
    }

    @Test("Another crop before it does not change a result")
    func anotherRun() throws {
        let session = mesh.makeSession()
        let cases = try Golden.load()
        // The second case's values are still in the memory between the layers when the first one is computed again.
        let found = try [cases[0], cases[1], cases[0]].map { golden in
            try fill(session, seconds: golden.seconds, filter: golden.filter)
            return session.locate(in: Self.whole)
        }
        #expect(found[0].mesh == found[2].mesh && found[0].presence == found[2].presence)
        #expect(found[0].mesh != found[1].mesh)
    }

    @Test("Points that are not numbers, and a part that lies beyond the picture, are survived")
    func strangeInput() throws {
        let session = mesh.makeSession()
        for value in [Float.nan, .infinity, -1e30, 1e30] {
            for index in session.input.indices { session.input[index] = value }
            _ = session.locate(in: Self.whole)
        }
    }

    // MARK: Its files

    @Test("A file that is missing, cut short or not the network's is refused by name")
    func files() throws {
        let folder = try TemporaryFolder()
        let (description, weights) = (folder.path + "/mesh.json", folder.path + "/mesh.weights")
        func message() -> String {
            do throws(InferenceError) {
                _ = try AttentionMesh(path: description, weights: weights)
                return ""
            } catch { return error.reason }
        }
        #expect(message() == "cannot read \(description)")
        let text = try String(contentsOfFile: Checkout.models + "/attention_mesh.json", encoding: .utf8)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Checkout.models + "/attention_mesh.weights"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: description))
        #expect(message() == "cannot read \(weights)")
        try bytes.dropLast().write(to: URL(fileURLWithPath: weights))
        #expect(message() == "\(weights) has \(bytes.count - 1) bytes instead of \(bytes.count)")
        try bytes.write(to: URL(fileURLWithPath: weights))
        #expect(message() == "")
        for (old, new) in [
            ("\"weights\":1196832", "\"weights\":1196833"), ("[61,146", "[468,146"), ("[61,146", "[-1,146"),
            ("\"left\":33", "\"left\":9223372036854775807"), ("[61,146", "[61,61,146"),
            ("\"parts\":[", "\"parts\":[],\"\":["),
        ] {
            try #require(text.contains(old))
            try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: URL(fileURLWithPath: description))
            #expect(message() == "\(description) does not describe the attention mesh", "\(new)")
        }
    }
}
