internal import Glibc
internal import VidscanBase

/// A mesh aligned with the position, size and orientation of the canonical face, so that only its shape remains.
struct AlignedFace {
    /// The points in units of the canonical face, whose outer eye corners are 1 apart; x right, y down, z away from the
    /// camera.
    let points: [Vector3]
    /// The same points as the camera sees them, upright and in the canonical size, but still with perspective.
    let uprightX: [Double]
    let uprightY: [Double]
    /// The camera's axis in the coordinates of the face. An in-plane rotation of the frame does not change it.
    let viewAxis: Vector3

    /// - Parameters:
    ///   - mesh: The mesh to align.
    ///   - canonical: The points of the average face.
    ///   - steady: The indices of points that do not move with the mouth.
    init(_ mesh: FaceMesh, canonical: [Vector3], steady: [Int]) {
        let source = (0..<FaceMesh.pointCount).map { index in
            Vector3(x: mesh[index].x, y: mesh[index].y, z: mesh.z(index))
        }
        let alignment = RigidAlignment(from: steady.map { source[$0] }, to: steady.map { canonical[$0] })
        points = source.map(alignment.apply(to:))
        let r = alignment.rotation
        viewAxis = Vector3(x: r[0][2], y: r[1][2], z: r[2][2])
        let angle = atan2(r[1][0] - r[0][1], r[0][0] + r[1][1])
        let (cosine, sine) = (cos(angle), sin(angle))
        let face = source[..<MeshPoint.rightIris]
        let middleX = face.reduce(0) { $0 + $1.x } / Double(face.count)
        let middleY = face.reduce(0) { $0 + $1.y } / Double(face.count)
        uprightX = source.map { alignment.scale * (cosine * ($0.x - middleX) - sine * ($0.y - middleY)) }
        uprightY = source.map { alignment.scale * (sine * ($0.x - middleX) + cosine * ($0.y - middleY)) }
    }

    func distance(_ a: Int, _ b: Int) -> Double { (points[a] - points[b]).squaredLength.squareRoot() }

    /// Returns the mean vertical position of some points; larger is lower.
    func level(_ indices: Int...) -> Double {
        indices.reduce(0) { $0 + points[$1].y } / Double(indices.count)
    }
}

/// Named distances on an aligned face. A name with "up" grows when that part of the face moves up.
struct FaceMeasures {
    private(set) var values: [String: Double]
    let viewAxis: Vector3
    let leftLidGap: Double
    let rightLidGap: Double
    let lipGap: Double

    init(_ face: AlignedFace) {
        viewAxis = face.viewAxis
        let eyeLevel = face.level(133, 362, 33, 263)
        let cornerLevel = face.level(61, 291)
        let innerBrow = eyeLevel - face.level(55, 285, 107, 336, 65, 295)
        let outerBrow = eyeLevel - face.level(46, 276, 53, 283, 63, 293, 70, 300)
        // The gap between the lids relative to the eye's width.
        leftLidGap =
            (face.distance(386, 374) + face.distance(385, 380) + face.distance(387, 373)) / 3 / face.distance(362, 263)
        rightLidGap =
            (face.distance(159, 145) + face.distance(158, 153) + face.distance(160, 144)) / 3 / face.distance(133, 33)
        lipGap = face.distance(MeshPoint.upperLipInner, MeshPoint.lowerLipInner)
        values = [
            "alar_up": eyeLevel - face.level(64, 294, 98, 327, 48, 278, 129, 358),
            "philtrum_short": face.level(2) - face.level(0, 37, 267),
            "inner_brow_down": -innerBrow,
            "brow_slope": outerBrow - innerBrow,
            "brows_close": -face.distance(55, 285) - face.distance(107, 336),
            "lower_lid_up": eyeLevel - face.level(145, 374, 153, 380, 144, 373),
            "upper_lid_up": eyeLevel - face.level(159, 386, 158, 385, 160, 387),
            "cheek_up": eyeLevel - face.level(50, 280, 205, 425, 101, 330),
            "corner_below_lower_lip": cornerLevel - face.level(17),
            "corner_below_lips": cornerLevel - face.level(13, 14),
            "lids_open": (leftLidGap + rightLidGap) / 2,
        ]
    }
}
