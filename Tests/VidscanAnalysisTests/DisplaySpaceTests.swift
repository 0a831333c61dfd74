import AnalysisSupport
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanResults

@Suite("Boxes are in pixels of the displayed frame")
struct DisplaySpaceTests {
    private func faces(_ name: String) async throws -> [TableFace] { try await Upright.faces(in: name) }

    /// In display pixels. Mirroring and scaling change rounding errors, but do not move a face of 88 × 108 pixels.
    private static let tolerance = 2.5

    @Test(
        "Boxes are the same for every orientation and pixel aspect ratio",
        arguments: [
            ("orient2.mp4", 1), ("orient3.mp4", 1), ("orient4.mp4", 1), ("orient5.mp4", 1), ("orient6.mp4", 1),
            ("orient7.mp4", 1), ("orient8.mp4", 1), ("sar.mp4", 1),
            // Displayed at 480x270.
            ("sar_tall.mp4", 4.0 / 3),
        ])
    func sameBoxes(name: String, scale: Double) async throws {
        let upright = try await Upright.faces.value
        let faces = try await faces(name)
        try #require(upright.count == 8)
        try #require(faces.map(\.frame) == upright.map(\.frame))
        for (face, expected) in zip(faces, upright) {
            #expect(face.id == expected.id)
            let distance = zip(edges(face.box, scale: scale), edges(expected.box)).map { abs($0 - $1) }.max() ?? 0
            #expect(distance <= Self.tolerance, "\(name), frame \(face.frame)")
        }
    }

    private func edges(_ box: Rectangle, scale: Double = 1) -> [Double] {
        [box.x * scale, box.y * scale, (box.x + box.width) * scale, (box.y + box.height) * scale]
    }

    @Test(
        "A still picture is analysed as one frame at time 0", arguments: ["still.png", "still.jpg", "still_exif.jpg"])
    func stillPicture(name: String) async throws {
        let faces = try await faces(name)
        let face = try #require(faces.first)
        #expect(faces.count == 1)
        #expect(face.frame == 0 && face.seconds == 0 && face.id == 1)
        // Second 2 of the clip, where the true box is (206.18, 98.50, 87.85, 107.97).
        let upright = try #require(try await Upright.faces.value.first)
        #expect(face.box.intersectionOverUnion(with: upright.box) > 0.95)
    }
}

/// The faces of the upright variant, detected once for all tests.
private enum Upright {
    static let faces = Task { try await faces(in: "orient1.mp4") }

    /// The faces of the first 1.5 s of a variant. The clip has a cut at 1 s.
    static func faces(in name: String) async throws -> [TableFace] {
        try await AnalysisRun(try Variants.path(name)) { $0.sample.end = 1_500_000 }.table("faces.csv").faces()
    }
}
