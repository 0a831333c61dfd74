package typealias Vector3 = SIMD3<Double>

extension Vector3 { package var squaredLength: Double { x * x + y * y + z * z } }

/// The rotation, scale and translation that minimise the squared distances from one set of points to another: Horn,
/// "Closed-form solution of absolute orientation using unit quaternions", JOSA A 4 (1987).
struct RigidAlignment {
    /// From source to target axes.
    let rotation: Rotation
    /// Target to source lengths: Umeyama, "Least-squares estimation of transformation parameters", PAMI 13 (1991).
    let scale: Double
    let sourceCentroid, targetCentroid: Vector3

    /// - Parameter source: At least three points, not all on one line.
    init(from source: [Vector3], to target: [Vector3]) {
        let count = Double(max(source.count, 1))
        sourceCentroid = source.reduce(.zero, +) * (1 / count)
        targetCentroid = target.reduce(.zero, +) * (1 / count)
        var m = [[Double]](repeating: [0, 0, 0], count: 3)
        var sourceSpread = 0.0
        for (from, to) in zip(source, target) {
            let (a, b) = (from - sourceCentroid, to - targetCentroid)
            sourceSpread += a.squaredLength
            for row in 0..<3 { for column in 0..<3 { m[row][column] += a[row] * b[column] } }
        }
        rotation = Rotation(quaternion: Self.largestEigenvector(Self.hornMatrix(m)))
        var agreement = 0.0
        for row in 0..<3 { for column in 0..<3 { agreement += rotation.rows[row][column] * m[column][row] } }
        scale = sourceSpread > 0 ? agreement / sourceSpread : 1
    }

    func apply(to point: Vector3) -> Vector3 { rotation.apply(to: point - sourceCentroid) * scale + targetCentroid }

    /// The symmetric 4 × 4 matrix whose eigenvector with the largest eigenvalue is the rotation's quaternion.
    private static func hornMatrix(_ m: [[Double]]) -> [[Double]] {
        [
            [m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]],
            [m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]],
            [m[2][0] - m[0][2], m[0][1] + m[1][0], -m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1]],
            [m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], -m[0][0] - m[1][1] + m[2][2]],
        ]
    }

    /// By cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5), which converge in a few sweeps.
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
                        (a[k][p], a[k][q]) = (cosine * a[k][p] - sine * a[k][q], sine * a[k][p] + cosine * a[k][q])
                    }
                    for k in 0..<4 {
                        (a[p][k], a[q][k]) = (cosine * a[p][k] - sine * a[q][k], sine * a[p][k] + cosine * a[q][k])
                        (v[k][p], v[k][q]) = (cosine * v[k][p] - sine * v[k][q], sine * v[k][p] + cosine * v[k][q])
                    }
                }
            }
        }
        let best = (0..<4).max { a[$0][$0] < a[$1][$1] } ?? 0
        return v.map { $0[best] }
    }
}
