internal import Glibc

/// The axes point right (x), down (y) and away from the camera (z).
package struct Rotation: Sendable, Equatable {
    let rows: [[Double]]

    /// Positive from y to z: the head nods down.
    static func x(_ radians: Double) -> Rotation {
        let (c, s) = (cos(radians), sin(radians))
        return Rotation(rows: [[1, 0, 0], [0, c, -s], [0, s, c]])
    }

    /// Positive from z to x: the head turns to the left of the frame.
    static func y(_ radians: Double) -> Rotation {
        let (c, s) = (cos(radians), sin(radians))
        return Rotation(rows: [[c, 0, s], [0, 1, 0], [-s, 0, c]])
    }

    /// Positive from x to y: clockwise in the frame.
    static func z(_ radians: Double) -> Rotation {
        let (c, s) = (cos(radians), sin(radians))
        return Rotation(rows: [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    }

    /// The shortest rotation from the camera's axis to a direction that points away from the camera (Rodrigues).
    init(axisTo direction: Vector3) {
        let length = max(direction.squaredLength.squareRoot(), .leastNormalMagnitude)
        let (x, y, z) = (direction.x / length, direction.y / length, direction.z / length)
        let k = 1 / (1 + max(z, 0))
        rows = [[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, z]]
    }

    /// - Parameter q: A unit quaternion: w, x, y, z.
    init(quaternion q: [Double]) {
        let (w, x, y, z) = (q[0], q[1], q[2], q[3])
        rows = [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    }

    private init(rows: [[Double]]) { self.rows = rows }

    static func * (a: Rotation, b: Rotation) -> Rotation {
        Rotation(
            rows: a.rows.map { row in (0..<3).map { column in (0..<3).reduce(0) { $0 + row[$1] * b.rows[$1][column] } }
            })
    }

    func apply(to v: Vector3) -> Vector3 {
        Vector3(
            x: rows[0][0] * v.x + rows[0][1] * v.y + rows[0][2] * v.z,
            y: rows[1][0] * v.x + rows[1][1] * v.y + rows[1][2] * v.z,
            z: rows[2][0] * v.x + rows[2][1] * v.y + rows[2][2] * v.z)
    }

    /// The angles a, b, c in radians of R = X(a) Y(b) Z(c), with b in −π/2…π/2.
    package var anglesXYZ: Vector3 {
        Vector3(
            x: atan2(-rows[1][2], rows[2][2]), y: asin(min(max(rows[0][2], -1), 1)), z: atan2(-rows[0][1], rows[0][0]))
    }
}
