/// The 68 points with which many tools annotate a face (Sagonas et al., "300 Faces in-the-Wild Challenge", 2013), and
/// OpenFace's eye contours, taken from the mesh. All are numbered from the left of the frame, the subject's right side.
///
/// The outline 0–16 is the mesh's, in roughly equal steps; other tools follow the visible edge of a turned face.
package enum SixtyEightPoints {
    package static let count = 68
    /// The mesh's index of point 30.
    package static let noseTip = 4

    /// Each point is the mean of these mesh points.
    package static let sources: [[Int]] =
        // The outline, from the left of the frame.
        [[127], [234], [93, 132], [132, 58], [172], [136], [150, 149], [176, 148], [152]]
        + [[400, 377], [379, 378], [365], [397], [361, 288], [323, 361], [454], [356]]
        // The brows, each from the left of the frame.
        + [[70], [63], [105], [66], [107], [336], [296], [334], [293], [300]]
        // The bridge of the nose from the root to the tip, and the nostrils.
        + [[168], [6, 197], [195, 5], [noseTip], [98], [97], [2], [326], [327]]
        // The eyes, each clockwise from its corner on the left of the frame.
        + [[33], [160], [158], [133], [153], [144], [362], [385], [387], [263], [373], [380]]
        // The outer and the inner edge of the lips, both clockwise.
        + [[61], [39], [37], [0], [267], [269], [291], [405], [314], [17], [84], [181]]
        + [[78], [82], [13], [312], [308], [317], [14], [87]]

    /// Of each eye, in OpenFace's order: eight around the iris, twelve along the lids, eight around the pupil.
    package static let eyePointCount = 56

    /// Clockwise from the corner on the left of the frame.
    private static let lids = [
        [33, 161, 160, 159, 158, 157, 133, 154, 153, 145, 144, 163],
        [362, 384, 385, 386, 387, 388, 263, 390, 373, 374, 380, 381],
    ]

    /// Returns x and y in display pixels, z in the same unit, smaller is nearer.
    package static func points(of mesh: FaceMesh) -> [Vector3] {
        sources.map { indices in indices.map(mesh.position).reduce(.zero, +) * (1 / Double(indices.count)) }
    }

    /// The size of the pupils is unknown, so their points are all at the centre of the iris.
    package static func eyePoints(of mesh: FaceMesh) -> [Vector3] {
        zip([MeshPoint.rightIris, MeshPoint.leftIris], lids).flatMap { iris, lids in
            let center = mesh.position(iris)
            // The mesh's order is right, top, left, bottom; OpenFace's is clockwise from the left.
            let axes = [3, 2, 1, 4].map { mesh.position(iris + $0) - center }
            let ring = axes.indices.flatMap { index in
                let (axis, next) = (axes[index], axes[(index + 1) % axes.count])
                return [center + axis, center + (axis + next) * 0.5.squareRoot()]
            }
            return ring + lids.map(mesh.position) + Array(repeating: center, count: 8)
        }
    }
}
