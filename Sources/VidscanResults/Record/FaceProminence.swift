package import VidscanBase

/// How well a face can be seen: the weight of its appearance descriptor, and the criterion for the best frame for a
/// thumbnail.
package enum FaceProminence {
    /// Returns a weight from 0 up. It is about 1 for a sharp, frontal face that is not cut off and whose size is a
    /// quarter of the frame's shorter side.
    package static func of(_ face: FaceNumbers, in size: PictureSize) -> Double {
        let share = face.box.area.squareRoot() / Double(max(size.shortSide, 1))
        let extent = min(share / 0.25, 1.5)
        let turn = face.turnDegrees.map { max(0.1, 1 - $0 / 50) } ?? 0.15
        let sharpness = face[.sharpness].map { $0 / ($0 + 60) } ?? 0.3
        let isCut =
            face.box.x <= 1 || face.box.y <= 1 || face.box.x + face.box.width >= Double(size.width) - 1
            || face.box.y + face.box.height >= Double(size.height) - 1
        return (face[.confidence] ?? 0) * extent * turn * (0.3 + sharpness) * (isCut ? 0.3 : 1)
    }
}
