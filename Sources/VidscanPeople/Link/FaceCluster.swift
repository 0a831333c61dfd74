internal import VidscanFaces

/// 128 numbers in 32 vectors of four, which every x86-64 processor has registers for.
struct FaceVector: Sendable, Equatable {
    static let lanes = FaceEmbedding.length / 4
    fileprivate var values: [SIMD4<Float>]

    init() {
        values = Array(repeating: SIMD4(), count: Self.lanes)
    }

    init(_ embedding: FaceEmbedding) {
        let numbers = embedding.values
        values = (0..<Self.lanes).map {
            SIMD4(numbers[4 * $0], numbers[4 * $0 + 1], numbers[4 * $0 + 2], numbers[4 * $0 + 3])
        }
    }

    static func += (one: inout FaceVector, other: FaceVector) {
        for lane in 0..<lanes { one.values[lane] += other.values[lane] }
    }

    static func -= (one: inout FaceVector, other: FaceVector) {
        for lane in 0..<lanes { one.values[lane] -= other.values[lane] }
    }

    static func * (vector: FaceVector, factor: Float) -> FaceVector {
        var product = vector
        for lane in 0..<lanes { product.values[lane] *= factor }
        return product
    }

    /// Returns the scalar product.
    func dot(_ other: FaceVector) -> Float {
        values.withUnsafeBufferPointer { one in
            other.values.withUnsafeBufferPointer { other in Self.dot(one[...], other[...]) }
        }
    }

    /// Returns the scalar product of two vectors of 32 lanes each.
    ///
    /// Four sums, because an addition takes several cycles and the processor can work on that many at once.
    @inline(__always)
    static func dot(
        _ one: Slice<UnsafeBufferPointer<SIMD4<Float>>>, _ other: Slice<UnsafeBufferPointer<SIMD4<Float>>>
    ) -> Float {
        guard one.count == lanes, other.count == lanes,
            let a = one.base.baseAddress.map({ $0 + one.startIndex }),
            let b = other.base.baseAddress.map({ $0 + other.startIndex })
        else { return 0 }
        var (s0, s1, s2, s3) = (a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3])
        for lane in stride(from: 4, to: lanes, by: 4) {
            s0 += a[lane] * b[lane]
            s1 += a[lane + 1] * b[lane + 1]
            s2 += a[lane + 2] * b[lane + 2]
            s3 += a[lane + 3] * b[lane + 3]
        }
        return ((s0 + s1) + (s2 + s3)).sum()
    }
}

/// Embeddings, as far as the mean squared distance to other embeddings depends on them.
///
/// The mean of |a − b|² over all a of one cluster and all b of another is |μa|² + |μb|² − 2 μa·μb plus the two variances,
/// which is m(a) + m(b) − 2 μa·μb with m, the mean of the squared norms. Average linkage therefore needs neither the
/// embeddings nor a matrix of distances.
struct FaceCluster: Sendable, Equatable {
    private(set) var count: Float
    private var sum: FaceVector
    private var squares: Float

    /// - Returns: `nil` without an embedding.
    init?(_ embeddings: [FaceEmbedding]) {
        guard !embeddings.isEmpty else { return nil }
        (count, sum, squares) = (Float(embeddings.count), FaceVector(), 0)
        for embedding in embeddings {
            let vector = FaceVector(embedding)
            sum += vector
            squares += vector.dot(vector)
        }
    }

    var mean: FaceVector { sum * (1 / count) }
    /// The mean of the squared norms.
    var meanSquare: Float { squares / count }

    mutating func add(_ other: FaceCluster) {
        count += other.count
        sum += other.sum
        squares += other.squares
    }

    /// Returns the cluster without a part of it; `nil` if nothing is left.
    func removing(_ part: FaceCluster) -> FaceCluster? {
        guard count - part.count >= 0.5 else { return nil }
        var rest = self
        rest.count -= part.count
        rest.sum -= part.sum
        rest.squares -= part.squares
        return rest
    }

    /// Returns the square root of the mean squared distance between the embeddings of two clusters.
    func distance(to other: FaceCluster) -> Double {
        Double(max(0, meanSquare + other.meanSquare - 2 * mean.dot(other.mean)).squareRoot())
    }
}

/// The means of many clusters side by side, for the fast search for the nearest one.
struct FaceClusterTable {
    /// 32 lanes for each cluster.
    private var means: [SIMD4<Float>] = []
    private var squares: [Float] = []

    mutating func append(_ cluster: FaceCluster) {
        means += cluster.mean.values
        squares.append(cluster.meanSquare)
    }

    mutating func replace(_ index: Int, with cluster: FaceCluster) {
        means.replaceSubrange(Self.range(index), with: cluster.mean.values)
        squares[index] = cluster.meanSquare
    }

    private static func range(_ index: Int) -> Range<Int> {
        index * FaceVector.lanes..<(index + 1) * FaceVector.lanes
    }

    /// Returns the mean squared distance of two clusters of the table.
    func squaredDistance(_ one: Int, _ other: Int) -> Float {
        means.withUnsafeBufferPointer { means in
            let product = FaceVector.dot(means[Self.range(one)], means[Self.range(other)])
            // Rounding may give a number just below 0 for equal embeddings.
            return max(0, squares[one] + squares[other] - 2 * product)
        }
    }

    /// Finds the nearest of some clusters.
    ///
    /// - Parameters:
    ///   - candidates: Indices in the table.
    ///   - bound: The squared distance that the nearest cluster must stay below.
    ///   - accepts: Decides whether a cluster that is nearer than those before it counts.
    func nearest(
        to cluster: FaceCluster, among candidates: [Int], below bound: Float = .infinity,
        accepts: (Int, Float) -> Bool
    ) -> (index: Int, squaredDistance: Float)? {
        let square = cluster.meanSquare
        var best: (index: Int, squaredDistance: Float)?
        var limit = bound
        cluster.mean.values.withUnsafeBufferPointer { mean in
            means.withUnsafeBufferPointer { means in
                squares.withUnsafeBufferPointer { squares in
                    for index in candidates {
                        let product = FaceVector.dot(mean[...], means[Self.range(index)])
                        let value = max(0, square + squares[index] - 2 * product)
                        guard value < limit, accepts(index, value) else { continue }
                        limit = value
                        best = (index, value)
                    }
                }
            }
        }
        return best
    }
}
