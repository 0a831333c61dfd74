internal import VidscanFaces

/// 256 numbers in 64 vectors of four, which every x86-64 processor has registers for.
struct FaceVector: Sendable, Equatable {
    static let lanes = FaceEmbedding.length / 4
    fileprivate var values = [SIMD4<Float>](repeating: SIMD4(), count: Self.lanes)

    static func += (one: inout FaceVector, other: FaceVector) {
        for lane in 0..<lanes { one.values[lane] += other.values[lane] }
    }

    static func * (vector: Self, factor: Float) -> Self { Self(values: vector.values.map { $0 * factor }) }

    func dot(_ other: FaceVector) -> Float {
        values.withUnsafeBufferPointer { one in
            other.values.withUnsafeBufferPointer { other in Self.dot(one[...], other[...]) }
        }
    }

    /// Keeps four sums, because an addition takes several cycles and the processor can work on that many at once.
    @inline(__always) static func dot(
        _ one: Slice<UnsafeBufferPointer<SIMD4<Float>>>, _ other: Slice<UnsafeBufferPointer<SIMD4<Float>>>
    ) -> Float {
        guard one.count == lanes, other.count == lanes, let a = one.base.baseAddress.map({ $0 + one.startIndex }),
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

/// What the mean distance to other embeddings depends on.
///
/// The mean cosine distance between all embeddings of one cluster and all of another is 1 − μa·μb, because they are unit
/// vectors, and its adjustment is linear. Average linkage therefore needs neither the embeddings nor a matrix of distances.
struct FaceCluster: Sendable, Equatable {
    private(set) var count: Float
    private var sum: FaceVector
    private var remotenessSum: Float
    /// The number of pictures that the embeddings are worth.
    private(set) var evidence: Double
    /// The smallest limit of the videos.
    var videoLimit = Double.infinity

    init?(_ embeddings: [FaceEmbedding], evidence: Double) {
        guard !embeddings.isEmpty else { return nil }
        (count, sum, remotenessSum, self.evidence) = (Float(embeddings.count), FaceVector(), 0, evidence)
        for embedding in embeddings {
            sum += FaceVector(values: (0..<FaceVector.lanes).map { SIMD4(embedding.values[4 * $0..<4 * $0 + 4]) })
            remotenessSum += embedding.remoteness
        }
    }

    var mean: FaceVector { sum * (1 / count) }
    var remoteness: Float { remotenessSum / count }

    mutating func add(_ other: FaceCluster) {
        count += other.count
        sum += other.sum
        remotenessSum += other.remotenessSum
        evidence += other.evidence
        videoLimit = min(videoLimit, other.videoLimit)
    }

    /// Returns `nil` if nothing is left.
    func removing(_ part: FaceCluster) -> FaceCluster? {
        guard count - part.count >= 0.5 else { return nil }
        var rest = self
        rest.count -= part.count
        rest.sum += part.sum * -1
        rest.remotenessSum -= part.remotenessSum
        rest.evidence -= part.evidence
        return rest
    }

    /// The distance below which both are one person.
    func limit(with other: FaceCluster) -> Double {
        min(videoLimit, other.videoLimit, IdentityCalibration.limit(evidence: evidence, other.evidence))
    }

    /// The mean of ``FaceEmbedding/distance(to:)`` between the embeddings.
    func distance(to other: FaceCluster) -> Double {
        Double(1 - mean.dot(other.mean) - FaceEmbedding.adjustment(remoteness, other.remoteness))
    }
}

/// The means of many clusters side by side, for the fast search for the nearest one.
struct FaceClusterTable {
    /// ``FaceVector/lanes`` for each cluster.
    private var means: [SIMD4<Float>] = []
    private var remoteness: [Float] = []

    mutating func append(_ cluster: FaceCluster) {
        means += cluster.mean.values
        remoteness.append(cluster.remoteness)
    }

    mutating func replace(_ index: Int, with cluster: FaceCluster) {
        means.replaceSubrange(Self.range(index), with: cluster.mean.values)
        remoteness[index] = cluster.remoteness
    }

    private static func range(_ index: Int) -> Range<Int> { index * FaceVector.lanes..<(index + 1) * FaceVector.lanes }

    func distance(_ one: Int, _ other: Int) -> Float {
        means.withUnsafeBufferPointer { means in
            1 - FaceVector.dot(means[Self.range(one)], means[Self.range(other)])
                - FaceEmbedding.adjustment(remoteness[one], remoteness[other])
        }
    }

    /// Finds the nearest accepted candidate nearer than `bound`. `accepts` receives clusters nearer than those before.
    func nearest(
        to cluster: FaceCluster, among candidates: [Int], below bound: Float = .infinity, accepts: (Int, Float) -> Bool
    ) -> (index: Int, distance: Float)? {
        let own = cluster.remoteness
        var best: (index: Int, distance: Float)?
        var limit = bound
        cluster.mean.values.withUnsafeBufferPointer { mean in
            means.withUnsafeBufferPointer { means in
                for index in candidates {
                    let dot = FaceVector.dot(mean[...], means[Self.range(index)])
                    let value = 1 - dot - FaceEmbedding.adjustment(own, remoteness[index])
                    guard value < limit, accepts(index, value) else { continue }
                    limit = value
                    best = (index, value)
                }
            }
        }
        return best
    }
}
