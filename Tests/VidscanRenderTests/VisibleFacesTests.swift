import Testing
import VidscanBase
import VidscanRender
import VidscanResults

@Suite("The record says where faces stay visible")
struct VisibleFacesTests {
    @Test("Parts last half a second at most, and end where the face is hidden; boxes are those around the face")
    func parts() throws {
        var faces = VisibleFaces()
        for frame in 0..<30 {
            let box = Rectangle(x: Double(frame), y: 10, width: 50, height: 60)
            faces.add(frame == 20 ? [] : [(id: 7, box: box)], at: 1_000_000 + Int64(frame) * 40_000)
        }
        let expected: [[Double]] = [
            [0, 0.48, 0, 10, 62, 60], [0.52, 0.76, 13, 10, 56, 60], [0.84, 1.16, 21, 10, 58, 60],
        ]
        let text = try RecordFile.text(faces.record(startingAt: 1_000_000), name: "x")
        #expect(text == (try RecordFile.text(expected, name: "x")))
    }
}
