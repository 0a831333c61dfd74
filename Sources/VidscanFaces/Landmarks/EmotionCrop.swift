internal import Glibc
public import VidscanBase

/// The square crop for the emotion network: twice as wide as the outer corners of the eyes are apart, with the eyes level
/// and a little above the middle.
public enum EmotionCrop {
    /// Returns the crop for a face.
    ///
    /// - Returns: A square in display space, at least 2 pixels wide, in which the outer corners of the eyes are a quarter
    ///   and three quarters of the width from the left edge, and 50/128 of the height from the top edge.
    public static func square(around mesh: FaceMesh) -> RotatedSquare {
        let (right, left) = (mesh[MeshPoint.rightEyeOuter], mesh[MeshPoint.leftEyeOuter])
        let across = Point(x: left.x - right.x, y: left.y - right.y)
        let drop = (0.5 - 50.0 / 128) * 2
        return RotatedSquare(
            center: Point(
                x: (left.x + right.x) / 2 - drop * across.y, y: (left.y + right.y) / 2 + drop * across.x),
            side: max(2 * (across.x * across.x + across.y * across.y).squareRoot(), 2),
            angle: atan2(across.y, across.x))
    }
}
