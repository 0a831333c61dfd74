internal import VidscanFaces

/// 128 numbers in vector registers.
struct FaceVector: Sendable, Equatable {
    private var low = SIMD64<Float>()
    private var high = SIMD64<Float>()

    init() {}

    init(_ embedding: FaceEmbedding) {
        for index in 0..<64 {
            low[index] = embedding.values[index]
            high[index] = embedding.values[64 + index]
        }
    }

    static func += (one: inout FaceVector, other: FaceVector) {
        one.low += other.low
        one.high += other.high
    }

    static func -= (one: inout FaceVector, other: FaceVector) {
        one.low -= other.low
        one.high -= other.high
    }

    static func * (vector: FaceVector, factor: Float) -> FaceVector {
        var product = vector
        product.low *= factor
        product.high *= factor
        return product
    }

    /// Returns the scalar product.
    @inline(__always)
    func dot(_ other: FaceVector) -> Float {
        // `sum()` adds one number after the other; halves are added in parallel.
        let products = low * other.low + high * other.high
        let of32 = products.lowHalf + products.highHalf
        let of16 = of32.lowHalf + of32.highHalf
        let of8 = of16.lowHalf + of16.highHalf
        return (of8.lowHalf + of8.highHalf).sum()
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
    private var means: [FaceVector] = []
    private var squares: [Float] = []

    var count: Int { means.count }

    mutating func append(_ cluster: FaceCluster) {
        means.append(cluster.mean)
        squares.append(cluster.meanSquare)
    }

    mutating func replace(_ index: Int, with cluster: FaceCluster) {
        means[index] = cluster.mean
        squares[index] = cluster.meanSquare
    }

    /// Returns the mean squared distance of two clusters of the table.
    @inline(__always)
    func squaredDistance(_ one: Int, _ other: Int) -> Float {
        // Rounding may give a number just below 0 for equal embeddings.
        max(0, squares[one] + squares[other] - 2 * means[one].dot(means[other]))
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
        let (mean, square) = (cluster.mean, cluster.meanSquare)
        var best: (index: Int, squaredDistance: Float)?
        var limit = bound
        means.withUnsafeBufferPointer { means in
            squares.withUnsafeBufferPointer { squares in
                for index in candidates {
                    let value = max(0, square + squares[index] - 2 * mean.dot(means[index]))
                    guard value < limit, accepts(index, value) else { continue }
                    limit = value
                    best = (index, value)
                }
            }
        }
        return best
    }
}
