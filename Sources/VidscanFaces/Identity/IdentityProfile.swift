internal import Glibc

/// The appearance and shape of one person, averaged over samples. New detections are compared with it.
public struct IdentityProfile: Sendable {
    private static let side = AppearanceDescriptor.side
    private static let portraitLength = side * side

    /// The mean of the thumbnails, centred on 0.
    private var portrait = [Float](repeating: 0, count: portraitLength)
    private var portraitWeight: Float = 0
    /// The means of the square roots of histograms. A region that was never visible has a weight of 0.
    private var hair = [Float](repeating: 0, count: AppearanceDescriptor.regionLength)
    private var hairWeight: Float = 0
    private var clothes = [Float](repeating: 0, count: AppearanceDescriptor.regionLength)
    private var clothesWeight: Float = 0
    private var skin = SIMD3<Float>(0, 0, 0)
    private(set) var shape: [Double] = []
    private(set) var shapeWeight = 0.0

    public init() {}

    /// Adds a detection to the averages.
    ///
    /// - Parameters:
    ///   - trackedDetection: The detection.
    ///   - weight: The visibility of the face, 0 or more.
    ///   - memory: The maximum weight of all earlier detections together, except for the shape. With a small value, the
    ///     profile follows changes of light and pose.
    public mutating func add(_ trackedDetection: TrackedDetection, weight: Float = 1, memory: Float = .infinity) {
        if let bytes = trackedDetection.appearance?.bytes, weight > 0 {
            let portraitShare = weight / (min(portraitWeight, memory) + weight)
            for index in 0..<Self.portraitLength {
                portrait[index] += portraitShare * ((Float(bytes[index]) - 127.5) / 127.5 - portrait[index])
            }
            let tail = bytes.count - 3
            let color = SIMD3(Float(bytes[tail]), Float(bytes[tail + 1]), Float(bytes[tail + 2])) / 255
            skin += portraitShare * (color - skin)
            portraitWeight = min(portraitWeight, memory) + weight
            let region = AppearanceDescriptor.regionLength
            let hairPart = bytes[Self.portraitLength..<Self.portraitLength + region]
            Self.blend(hairPart, into: &hair, total: &hairWeight, weight: weight, memory: memory)
            let clothesPart = bytes[Self.portraitLength + region..<Self.portraitLength + 2 * region]
            Self.blend(clothesPart, into: &clothes, total: &clothesWeight, weight: weight, memory: memory)
        }
        if let values = trackedDetection.shape, weight > 0 {
            if shape.isEmpty { shape = [Double](repeating: 0, count: values.count) }
            let share = Double(weight) / (shapeWeight + Double(weight))
            for index in shape.indices { shape[index] += share * (Double(values[index]) - shape[index]) }
            shapeWeight += Double(weight)
        }
    }

    private static func blend(
        _ bytes: ArraySlice<UInt8>, into mean: inout [Float], total: inout Float, weight: Float, memory: Float
    ) {
        guard bytes.contains(where: { $0 > 0 }) else { return }
        let share = weight / (min(total, memory) + weight)
        for (index, byte) in bytes.enumerated() { mean[index] += share * (Float(byte) / 255 - mean[index]) }
        total = min(total, memory) + weight
    }

    /// The difference of two profiles, each part 0 (same) to 1, or `nil` where one of the profiles does not have it.
    public struct Difference: Sendable, Equatable {
        public var portrait: Double?
        public var hair: Double?
        public var clothes: Double?
        public var skin: Double?
        /// The log likelihood ratio of the shapes: above 0, one person is more likely than two.
        public var shapeEvidence: Double?
    }

    /// Compares two profiles.
    ///
    /// - Parameters:
    ///   - other: The other profile.
    ///   - betweenVariances: The variance between people of each number of the shape; empty leaves the shape out.
    ///   - maximumSamples: The maximum number of independent samples that an average counts as, because successive samples
    ///     are similar.
    public func difference(
        to other: IdentityProfile, betweenVariances: [Double], maximumSamples: Double = 3
    ) -> Difference {
        var result = Difference()
        if portraitWeight > 0, other.portraitWeight > 0 {
            let product = Self.cosine(portrait, other.portrait)
            result.portrait = product.map { (1 - $0) / 2 }
            let step = skin - other.skin
            result.skin = min(1, Double((step.x * step.x + step.y * step.y).squareRoot()) * 10)
        }
        if hairWeight > 0, other.hairWeight > 0 { result.hair = Self.distance(hair, other.hair) }
        if clothesWeight > 0, other.clothesWeight > 0 { result.clothes = Self.distance(clothes, other.clothes) }
        if shapeWeight > 0, other.shapeWeight > 0, !betweenVariances.isEmpty, shape.count == other.shape.count {
            result.shapeEvidence = Self.evidence(
                shape, other.shape, samples: min(shapeWeight, maximumSamples),
                otherSamples: min(other.shapeWeight, maximumSamples), betweenVariances)
        }
        return result
    }

    /// Merges another profile of the same person into this one.
    public mutating func merge(_ other: IdentityProfile) {
        func mean(_ a: [Float], _ b: [Float], _ weightA: Float, _ weightB: Float) -> [Float] {
            guard weightA + weightB > 0 else { return a }
            return zip(a, b).map { ($0 * weightA + $1 * weightB) / (weightA + weightB) }
        }
        portrait = mean(portrait, other.portrait, portraitWeight, other.portraitWeight)
        if portraitWeight + other.portraitWeight > 0 {
            skin =
                (skin * portraitWeight + other.skin * other.portraitWeight)
                / (portraitWeight + other.portraitWeight)
        }
        portraitWeight += other.portraitWeight
        hair = mean(hair, other.hair, hairWeight, other.hairWeight)
        hairWeight += other.hairWeight
        clothes = mean(clothes, other.clothes, clothesWeight, other.clothesWeight)
        clothesWeight += other.clothesWeight
        if shape.isEmpty {
            shape = other.shape
        } else if !other.shape.isEmpty {
            let total = max(shapeWeight + other.shapeWeight, 1e-9)
            shape = zip(shape, other.shape).map { ($0 * shapeWeight + $1 * other.shapeWeight) / total }
        }
        shapeWeight += other.shapeWeight
    }

    private static func cosine(_ a: [Float], _ b: [Float]) -> Double? {
        var (product, first, second): (Float, Float, Float) = (0, 0, 0)
        for index in a.indices {
            product += a[index] * b[index]
            first += a[index] * a[index]
            second += b[index] * b[index]
        }
        guard first > 0, second > 0 else { return nil }
        return Double(product / (first * second).squareRoot())
    }

    /// The Hellinger distance of two distributions, each given by square roots (two concatenated histograms).
    private static func distance(_ a: [Float], _ b: [Float]) -> Double {
        cosine(a, b).map { max(0, 1 - $0).squareRoot() } ?? 1
    }

    /// The log likelihood ratio of the two-covariance model: Brümmer and de Villiers, "The speaker partitioning
    /// problem", Odyssey 2010.
    private static func evidence(
        _ a: [Double], _ b: [Double], samples: Double, otherSamples: Double, _ between: [Double]
    ) -> Double {
        var sum = 0.0
        for index in a.indices {
            let own = between[index] + 1 / max(samples, 0.25)
            let other = between[index] + 1 / max(otherSamples, 0.25)
            let determinant = own * other - between[index] * between[index]
            let (x, y) = (a[index], b[index])
            let same = (other * x * x - 2 * between[index] * x * y + own * y * y) / determinant + log(determinant)
            sum += x * x / own + y * y / other + log(own * other) - same
        }
        return sum / 2
    }
}
