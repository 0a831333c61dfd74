internal import Glibc
public import VidscanBase

/// The square crop for the face embedding: it shows the face where dlib's mean face lies in the pictures from which the
/// network learned.
public enum EmbeddingCrop {
    /// Returns the crop for a face.
    ///
    /// The mean face is laid onto the mesh by the rotation, scale and translation with the smallest sum of squared
    /// distances (Umeyama, "Least-squares estimation of transformation parameters between two point patterns", PAMI 13,
    /// 1991), as `get_face_chip_details` of dlib does with its 68 landmarks and a padding of 0.25.
    ///
    /// - Returns: A square in display space, at least 2 pixels wide.
    public static func square(around mesh: FaceMesh) -> RotatedSquare {
        let count = Double(meanFace.count)
        var source = Point(x: 0, y: 0)
        var target = Point(x: 0, y: 0)
        for (index, x, y) in meanFace {
            source = Point(x: source.x + x / count, y: source.y + y / count)
            target = Point(x: target.x + mesh[index].x / count, y: target.y + mesh[index].y / count)
        }
        // In the plane, the best rotation and scale are one complex number: the covariance over the variance.
        var variance = 0.0
        var along = 0.0
        var across = 0.0
        for (index, x, y) in meanFace {
            let from = Point(x: x - source.x, y: y - source.y)
            let to = Point(x: mesh[index].x - target.x, y: mesh[index].y - target.y)
            variance += from.x * from.x + from.y * from.y
            along += from.x * to.x + from.y * to.y
            across += from.x * to.y - from.y * to.x
        }
        (along, across) = (along / variance, across / variance)
        // The middle of the crop is that of the unit square in which the mean face is given.
        let middle = Point(x: 0.5 - source.x, y: 0.5 - source.y)
        return RotatedSquare(
            center: Point(
                x: target.x + along * middle.x - across * middle.y,
                y: target.y + across * middle.x + along * middle.y),
            side: max((1 + 2 * padding) * (along * along + across * across).squareRoot(), 2),
            angle: atan2(across, along))
    }

    /// What the crop shows on each side of the unit square, as a fraction of its side.
    private static let padding = 0.25

    /// Points of the mesh, and where they are in the mean face that dlib gives in a unit square. They are the 33 of its
    /// 68 landmarks that move little with the expression: eyes, nose and upper lip.
    private static let meanFace: [(index: Int, x: Double, y: Double)] = [
        // The bridge and the tip of the nose.
        (168, 0.490127, 0.203352), (197, 0.490127, 0.307009), (5, 0.490127, 0.409805), (4, 0.490127, 0.515625),
        // The base of the nose.
        (98, 0.36688, 0.587326), (97, 0.426036, 0.609345), (2, 0.490127, 0.628106), (326, 0.554217, 0.609345),
        (327, 0.613373, 0.587326),
        // The right eye.
        (33, 0.121737, 0.216423), (160, 0.187122, 0.178758), (158, 0.265825, 0.179852), (133, 0.334606, 0.231733),
        (153, 0.260918, 0.245099), (144, 0.182743, 0.244077),
        // The left eye.
        (362, 0.645647, 0.231733), (385, 0.714428, 0.179852), (387, 0.793132, 0.178758), (263, 0.858516, 0.216423),
        (373, 0.79751, 0.244077), (380, 0.719335, 0.245099),
        // The outer edge of the upper lip.
        (61, 0.254149, 0.780233), (40, 0.340985, 0.745405), (37, 0.428858, 0.727388), (0, 0.490127, 0.742578),
        (267, 0.551395, 0.727388), (270, 0.639268, 0.745405), (291, 0.726104, 0.780233),
        // The inner edge of the upper lip.
        (78, 0.290379, 0.784792), (82, 0.428096, 0.778746), (13, 0.490127, 0.785343), (312, 0.552157, 0.778746),
        (308, 0.689874, 0.784792),
    ]
}
