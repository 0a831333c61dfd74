import Testing
import VidscanBase
import VidscanFaces

@Suite("Who looks at whom follows from where faces are and where they point")
struct GazeTargetTests {
    private static let size = PictureSize(width: 1280, height: 720)

    /// A face of 100 x 130 pixels, whose gaze relative to the camera's axis is given.
    private static func face(
        _ x: Double, _ y: Double, gaze: GazeTarget.Direction?, head: GazeTarget.Direction? = nil, toCamera: Double = 40,
        height: Double = 130
    ) -> GazeTarget.Face {
        GazeTarget.Face(
            box: Rectangle(x: x - 50, y: y - height / 2, width: 100, height: height),
            head: head, gaze: gaze.map { _ in (toCamera, 0) }, axisHead: head, axisGaze: gaze)
    }

    private static func target(_ looker: GazeTarget.Face, _ others: GazeTarget.Face...) -> GazeTarget.Look.Target? {
        GazeTarget([looker] + others, in: size).look(of: 0).target
    }

    private static let left = face(340, 360, gaze: nil)
    private static let right = face(940, 360, gaze: nil)
    private static let above = face(640, 100, gaze: nil, height: 130)

    @Test("A turn to the subject's left looks to the right of the frame, and up looks up")
    func directions() {
        #expect(Self.target(Self.face(640, 360, gaze: (80, 0)), Self.left, Self.right) == .face(2))
        #expect(Self.target(Self.face(640, 360, gaze: (-80, 0)), Self.left, Self.right) == .face(1))
        #expect(Self.target(Self.face(640, 400, gaze: (0, 80)), Self.left, Self.right, Self.above) == .face(3))
        #expect(Self.target(Self.face(640, 400, gaze: (0, -80)), Self.left, Self.right, Self.above) == .other)
        #expect(Self.target(Self.face(640, 360, gaze: (80, 60)), Self.left, Self.right) == .other)
        #expect(Self.target(Self.face(640, 360, gaze: (30, 0)), Self.left, Self.right) == .other)
    }

    @Test("The farther away a face is, the more directions may lead to it")
    func depth() {
        // The same scene from a larger distance: smaller faces, which are nearer to each other.
        func looks(_ yaw: Double, height: Double, distance: Double) -> Bool {
            Self.target(
                Self.face(640, 360, gaze: (yaw, 0), height: height),
                Self.face(640 + distance, 360, gaze: nil, height: height)) == .face(1)
        }
        #expect(!looks(45, height: 260, distance: 600) && looks(45, height: 65, distance: 150))
        // A larger face is nearer, so somebody who looks at it turns less away from the camera.
        let near = Self.face(1140, 360, gaze: nil, height: 260)
        #expect(Self.target(Self.face(640, 360, gaze: (45, 0), height: 130), near) == .face(1))
        #expect(Self.target(Self.face(640, 360, gaze: (110, 0), height: 130), near) == .other)
    }

    @Test("Whoever looks at the camera looks at nobody")
    func camera() {
        let look = GazeTarget([Self.face(640, 360, gaze: (80, 0), toCamera: 5), Self.right], in: Self.size).look(of: 0)
        #expect(look.isAtCamera == true && look.target == .other)
        let away = GazeTarget([Self.face(640, 360, gaze: (80, 0), toCamera: 13), Self.right], in: Self.size).look(of: 0)
        #expect(away.isAtCamera == false && away.target == .face(1))
    }

    @Test("Without eyes, a turned head decides, and nothing is known of a frontal one")
    func head() {
        #expect(Self.target(Self.face(640, 360, gaze: nil, head: (80, 0)), Self.right) == .face(1))
        #expect(Self.target(Self.face(640, 360, gaze: (-80, 0), head: (80, 0)), Self.right) == .other)
        let frontal = GazeTarget([Self.face(640, 360, gaze: nil, head: (10, 0)), Self.right], in: Self.size)
        for face in 0..<2 { #expect(frontal.look(of: face).isAtCamera == nil && frontal.look(of: face).target == nil) }
    }
}
