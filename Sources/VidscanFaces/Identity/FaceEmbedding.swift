/// What a face looks like, as 128 numbers. Faces of one person are near to each other, faces of different people far.
///
/// The network was trained so that distances within a person stay below 0.6 and others above it, for the people in its
/// training data. It knows some groups of people less well than others: their faces are nearer to each other, so that
/// no fixed threshold serves everybody.
public struct FaceEmbedding: Sendable, Equatable {
    /// The number of values.
    public static let length = 128

    /// The coordinates. Their Euclidean norm is about 1.3; it has no meaning.
    public let values: [Float]

    /// - Parameter values: The coordinates, 128 numbers.
    public init(values: [Float]) {
        precondition(values.count == Self.length, "an embedding has 128 values")
        self.values = values
    }

    /// Returns the Euclidean distance to another face's embedding.
    public func distance(to other: FaceEmbedding) -> Double {
        values.withUnsafeBufferPointer { one in
            other.values.withUnsafeBufferPointer { other in
                var sums = SIMD8<Float>(repeating: 0)
                for start in stride(from: 0, to: Self.length, by: 8) {
                    var difference = SIMD8<Float>()
                    for lane in 0..<8 { difference[lane] = one[start + lane] - other[start + lane] }
                    sums += difference * difference
                }
                return Double(sums.sum().squareRoot())
            }
        }
    }
}
