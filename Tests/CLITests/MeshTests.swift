import Foundation
import Testing
import TestSupport

/// The reference is `scripts/mesh/reference.py`, which shares only the model with vidscan: it takes frames from the ffmpeg
/// command line, crops them in numpy at the sample's true boxes, and calls OpenVINO's Python API.
@Suite("Mesh points equal those of a reference implementation")
struct MeshTests {
    private struct Golden: Decodable {
        struct Case: Decodable {
            var frame: Int
            var turn: Int
            var points: [[Double]]
        }
        var cases: [Case]
    }

    /// ffmpeg's filters that turn the sample clockwise.
    private static let turns = [0: "null", 90: "transpose=1", 180: "hflip,vflip"]

    @Test("Mesh points are where the reference finds them, also in a rotated image", arguments: [0, 90, 180])
    func points(turn: Int) throws {
        let folder = try TemporaryFolder()
        let filter = try #require(Self.turns[turn])
        // Every fifth frame of the sample, lossless.
        let made = try ChildProcess.run(
            ["ffmpeg", "-v", "error", "-i", Checkout.clip, "-an", "-vf", "select='not(mod(n,5))',\(filter)"]
                + ["-vsync", "passthrough", "-c:v", "libx264", "-qp", "0", "-preset", "ultrafast", "turned.mkv"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try ChildProcess.run(
            [Checkout.tool, "analyze", "turned.mkv", "--every-frame", "--landmarks", "--metrics", "none", "--quiet"],
            in: folder.path)
        try #require(run.status == 0, "\(run.errors)")
        let faces = try CSVTable(path: folder.path + "/turned.mkv.vidscan/faces.csv")
        let meshes = try LandmarkArray(path: folder.path + "/turned.mkv.vidscan/landmarks.npy")
        #expect(meshes.rowCount == faces.rows.count)

        let file = Checkout.root + "/Tests/CLITests/mesh.golden.json"
        let golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        var errors: [Double] = []
        for golden in golden.cases where golden.turn == turn {
            let rows = try faces.rows.indices.filter { try faces.number("frame", $0) == Double(golden.frame / 5) }
            let error = rows.map { Self.error(meshes, row: $0, golden.points) }.min() ?? .infinity
            // The detector may miss a rotated face, but must not misplace it.
            if turn == 0 || error < 0.1 { errors.append(error) }
        }
        #expect(errors.count >= (turn == 0 ? 12 : 10))
        // Relative to the distance between the outer eye corners.
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.01)
        #expect(errors.allSatisfy { $0 < (turn == 0 ? 0.01 : 0.015) }, "\(errors)")
    }

    private static func error(_ meshes: LandmarkArray, row: Int, _ points: [[Double]]) -> Double {
        let distances = points.indices.map {
            hypot(meshes.x(row, $0) - points[$0][0], meshes.y(row, $0) - points[$0][1])
        }
        let eyes = hypot(points[33][0] - points[263][0], points[33][1] - points[263][1])
        return distances.reduce(0, +) / Double(distances.count) / eyes
    }
}
