/// What a face looks like, as a unit vector of 256 numbers. Faces of one person point in similar directions.
package struct FaceEmbedding: Sendable, Equatable {
    package static let length = 256

    /// Their Euclidean norm is 1.
    package let values: [Float]
    /// The mean cosine distance to the nearest ``strangers``: small for a face that resembles many others.
    package let remoteness: Float

    /// - Parameter values: With a norm of 1.
    package init(values: [Float]) {
        precondition(values.count == Self.length, "an embedding has \(Self.length) values")
        self.values = values
        let distances = Self.strangers.map { 1 - Self.dot(values, $0) }.sorted()
        remoteness = distances.prefix(Self.nearestStrangers).reduce(0, +) / Float(Self.nearestStrangers)
    }

    /// Scales a direction, which is not 0, to a norm of 1.
    package init(direction: [Float]) {
        let norm = Self.dot(direction, direction).squareRoot()
        self.init(values: direction.map { $0 / max(norm, .leastNormalMagnitude) })
    }

    /// 0 for the same direction, 1 for a right angle, 2 for opposite directions.
    package func cosineDistance(to other: FaceEmbedding) -> Double { Double(1 - Self.dot(values, other.values)) }

    /// The cosine distance, raised for faces that resemble many others and lowered for faces that resemble few, so that
    /// one limit serves everybody. The network places the faces of some groups, and of small children, nearer to each
    /// other. The adjustment is that of adaptive score normalisation (Matejka et al., "Analysis of score normalization in
    /// multilingual speaker recognition", Interspeech 2017), without its division by a deviation.
    package func distance(to other: FaceEmbedding) -> Double {
        cosineDistance(to: other) - Double(Self.adjustment(remoteness, other.remoteness))
    }

    /// What ``distance(to:)`` takes off for two faces.
    package static func adjustment(_ one: Float, _ other: Float) -> Float { 0.35 * (one + other - 2 * meanRemoteness) }

    /// Mean directions of the faces of many people, made by `scripts/embedding/strangers.py`.
    private static let strangers: [[Float]] = {
        let numbers = PackageResources.strangers_i8.map { Float(Int8(bitPattern: $0)) / 512 }
        return stride(from: 0, to: numbers.count, by: length).map { Array(numbers[$0..<$0 + length]) }
    }()
    private static let nearestStrangers = 3
    /// Between that of the people from whom ``strangers`` was made and that of press photographs.
    private static let meanRemoteness: Float = 0.85

    private static func dot(_ one: [Float], _ other: [Float]) -> Float {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                stride(from: 0, to: min(one.count, other.count), by: 32).reduce(SIMD8<Float>()) {
                    $0 + one.loadUnaligned(fromByteOffset: $1, as: SIMD8<Float>.self)
                        * other.loadUnaligned(fromByteOffset: $1, as: SIMD8<Float>.self)
                }.sum()
            }
        }
    }
}
