internal import Glibc
internal import VidscanBase

/// A mesh aligned with the canonical face, so that only its shape remains.
struct AlignedFace {
    /// The outer eye corners of the canonical face are 1 apart; x right, y down, z away from the camera.
    let points: [Vector3]
    /// The same points as the camera sees them, upright and in the canonical size, but still with perspective.
    let upright: [Point]
    /// The camera's axis in the face's coordinates. An in-plane rotation of the frame does not change it.
    let viewAxis: Vector3

    /// - Parameter steady: Points that do not move with the mouth.
    init(_ mesh: FaceMesh, canonical: [Vector3], steady: [Int]) {
        let source = (0..<FaceMesh.pointCount).map(mesh.position)
        let alignment = RigidAlignment(from: steady.map { source[$0] }, to: steady.map { canonical[$0] })
        points = source.map(alignment.apply(to:))
        let r = alignment.rotation.rows
        viewAxis = Vector3(x: r[0][2], y: r[1][2], z: r[2][2])
        let angle = atan2(r[1][0] - r[0][1], r[0][0] + r[1][1])
        let (cosine, sine) = (cos(angle), sin(angle))
        let face = source[..<MeshPoint.rightIris]
        let middle = face.reduce(.zero, +) / Double(face.count)
        upright = source.map {
            let point = $0 - middle
            return alignment.scale * Point(x: cosine * point.x - sine * point.y, y: sine * point.x + cosine * point.y)
        }
    }

    func distance(_ a: Int, _ b: Int) -> Double { (points[a] - points[b]).squaredLength.squareRoot() }

    /// Mean vertical position; larger is lower.
    func level(_ indices: Int...) -> Double { indices.reduce(0) { $0 + points[$1].y } / Double(indices.count) }
}

struct FaceMeasures {
    private let face: AlignedFace
    private let eyeLevel, cornerLevel, innerBrow: Double
    /// Relative to the eye's width.
    let leftLidGap, rightLidGap, lipGap: Double

    var viewAxis: Vector3 { face.viewAxis }

    init(_ face: AlignedFace) {
        self.face = face
        eyeLevel = face.level(133, 362, 33, 263)
        cornerLevel = face.level(61, 291)
        innerBrow = eyeLevel - face.level(55, 285, 107, 336, 65, 295)
        leftLidGap =
            (face.distance(386, 374) + face.distance(385, 380) + face.distance(387, 373)) / 3 / face.distance(362, 263)
        rightLidGap =
            (face.distance(159, 145) + face.distance(158, 153) + face.distance(160, 144)) / 3 / face.distance(133, 33)
        lipGap = face.distance(MeshPoint.upperLipInner, MeshPoint.lowerLipInner)
    }

    /// The measures that `expressions.json` names. Those with "up" grow when that part of the face moves up.
    static let named: [String: @Sendable (FaceMeasures) -> Double] = [
        "alar_up": { $0.eyeLevel - $0.face.level(64, 294, 98, 327, 48, 278, 129, 358) },
        "philtrum_short": { $0.face.level(2) - $0.face.level(0, 37, 267) },
        "inner_brow_down": { -$0.innerBrow },
        "brow_slope": { $0.eyeLevel - $0.face.level(46, 276, 53, 283, 63, 293, 70, 300) - $0.innerBrow },
        "brows_close": { -$0.face.distance(55, 285) - $0.face.distance(107, 336) },
        "lower_lid_up": { $0.eyeLevel - $0.face.level(145, 374, 153, 380, 144, 373) },
        "upper_lid_up": { $0.eyeLevel - $0.face.level(159, 386, 158, 385, 160, 387) },
        "cheek_up": { $0.eyeLevel - $0.face.level(50, 280, 205, 425, 101, 330) },
        "corner_below_lower_lip": { $0.cornerLevel - $0.face.level(17) },
        "corner_below_lips": { $0.cornerLevel - $0.face.level(13, 14) },
        "lids_open": { ($0.leftLidGap + $0.rightLidGap) / 2 },
    ]
}
