internal import Glibc

/// A point or direction in three dimensions.
package struct Vector3: Sendable, Equatable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    package static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
    package static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }
    package static func * (a: Vector3, factor: Double) -> Vector3 {
        Vector3(x: a.x * factor, y: a.y * factor, z: a.z * factor)
    }

    package var squaredLength: Double { x * x + y * y + z * z }
}

/// The rotation, scale and translation that minimise the squared distances from one set of points to another: Horn,
/// "Closed-form solution of absolute orientation using unit quaternions", JOSA A 4 (1987).
struct RigidAlignment {
    /// The rows of the rotation matrix from source to target axes.
    let rotation: [[Double]]
    /// The ratio of target to source lengths: Umeyama, "Least-squares estimation of transformation parameters between
    /// two point patterns", PAMI 13 (1991).
    let scale: Double
    let sourceCentroid: Vector3
    let targetCentroid: Vector3

    /// - Parameters:
    ///   - source: The source points, at least three and not all on one line.
    ///   - target: The target points, as many and in the same order.
    init(from source: [Vector3], to target: [Vector3]) {
        let count = Double(max(source.count, 1))
        let zero = Vector3(x: 0, y: 0, z: 0)
        sourceCentroid = source.reduce(zero, +) * (1 / count)
        targetCentroid = target.reduce(zero, +) * (1 / count)
        var m = [[Double]](repeating: [0, 0, 0], count: 3)
        var sourceSpread = 0.0
        for (from, to) in zip(source, target) {
            let (a, b) = (from - sourceCentroid, to - targetCentroid)
            sourceSpread += a.squaredLength
            for (row, left) in [a.x, a.y, a.z].enumerated() {
                m[row][0] += left * b.x
                m[row][1] += left * b.y
                m[row][2] += left * b.z
            }
        }
        let r = Self.matrix(Self.largestEigenvector(Self.hornMatrix(m)))
        rotation = r
        var agreement = 0.0
        for row in 0..<3 { for column in 0..<3 { agreement += r[row][column] * m[column][row] } }
        scale = sourceSpread > 0 ? agreement / sourceSpread : 1
    }

    /// Maps a source point to the target.
    func apply(to point: Vector3) -> Vector3 {
        let p = point - sourceCentroid
        let turned = Vector3(
            x: rotation[0][0] * p.x + rotation[0][1] * p.y + rotation[0][2] * p.z,
            y: rotation[1][0] * p.x + rotation[1][1] * p.y + rotation[1][2] * p.z,
            z: rotation[2][0] * p.x + rotation[2][1] * p.y + rotation[2][2] * p.z)
        return turned * scale + targetCentroid
    }

    /// Returns the symmetric 4 × 4 matrix whose eigenvector with the largest eigenvalue is the rotation's quaternion.
    private static func hornMatrix(_ m: [[Double]]) -> [[Double]] {
        [
            [m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]],
            [m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]],
            [m[2][0] - m[0][2], m[0][1] + m[1][0], -m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1]],
            [m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], -m[0][0] - m[1][1] + m[2][2]],
        ]
    }

    /// Computes the eigenvector of the largest eigenvalue by cyclic Jacobi rotations (Golub and Van Loan, Matrix
    /// Computations, 8.5), which converge in a few sweeps for a 4 × 4 matrix.
    private static func largestEigenvector(_ matrix: [[Double]]) -> [Double] {
        var a = matrix
        var v = (0..<4).map { row in (0..<4).map { $0 == row ? 1.0 : 0.0 } }
        for _ in 0..<30 {
            var offDiagonal = 0.0
            for p in 0..<3 { for q in (p + 1)..<4 { offDiagonal += a[p][q] * a[p][q] } }
            if offDiagonal < 1e-30 * (1 + a[0][0] * a[0][0]) { break }
            for p in 0..<3 {
                for q in (p + 1)..<4 where a[p][q] != 0 {
                    let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                    let t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + (theta * theta + 1).squareRoot())
                    let cosine = 1 / (t * t + 1).squareRoot()
                    let sine = t * cosine
                    for k in 0..<4 {
                        (a[k][p], a[k][q]) = (
                            cosine * a[k][p] - sine * a[k][q], sine * a[k][p] + cosine * a[k][q]
                        )
                    }
                    for k in 0..<4 {
                        (a[p][k], a[q][k]) = (
                            cosine * a[p][k] - sine * a[q][k], sine * a[p][k] + cosine * a[q][k]
                        )
                        (v[k][p], v[k][q]) = (
                            cosine * v[k][p] - sine * v[k][q], sine * v[k][p] + cosine * v[k][q]
                        )
                    }
                }
            }
        }
        let best = (0..<4).max { a[$0][$0] < a[$1][$1] } ?? 0
        return v.map { $0[best] }
    }

    private static func matrix(_ q: [Double]) -> [[Double]] {
        let (w, x, y, z) = (q[0], q[1], q[2], q[3])
        return [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    }
}
