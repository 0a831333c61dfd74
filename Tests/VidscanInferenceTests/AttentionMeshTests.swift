import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference

@Suite("The attention mesh lies on the face")
struct AttentionMeshTests {
    /// Around the face of the clip's first picture, in display pixels.
    private static let square = RotatedSquare(center: Point(x: 320, y: 165), side: 180, angle: 0)

    private func locate(seconds: Double) throws -> (mesh: FaceMesh, presence: Double) {
        let mesh = try AttentionMesh(
            runtime: InferenceRuntime(), path: Checkout.models + "/attention_mesh.xml", concurrency: 1,
            precision: .exact)
        let session = try mesh.makeSession()
        let side = AttentionMesh.resolution
        let picture = try TestPicture(
            seconds: seconds, filter: "crop=180:180:230:75,scale=\(side):\(side)",
            size: PictureSize(width: side, height: side))
        let tensor = try session.input()
        try #require(tensor.count == picture.planes.count)
        picture.fill(try #require(tensor.baseAddress))
        return try session.locate(in: Self.square)
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
}
