internal import Glibc

/// The appearance and shape of one person, averaged over samples.
struct IdentityProfile: Sendable {
    private static let portraitLength = AppearanceDescriptor.side * AppearanceDescriptor.side

    private struct Mean {
        var values: [Float]
        var weight: Float = 0

        init(count: Int) { values = [Float](repeating: 0, count: count) }

        /// Limits the weight of all earlier vectors to `memory`.
        mutating func add(_ bytes: ArraySlice<UInt8>, weight new: Float, memory: Float, _ value: (Float) -> Float) {
            let fraction = new / (min(weight, memory) + new)
            for (index, byte) in bytes.enumerated() { values[index] += fraction * (value(Float(byte)) - values[index]) }
            weight = min(weight, memory) + new
        }

        mutating func merge(_ other: Mean) {
            guard weight + other.weight > 0 else { return }
            values = zip(values, other.values).map { ($0 * weight + $1 * other.weight) / (weight + other.weight) }
            weight += other.weight
        }
    }

    /// Thumbnails, centred on 0.
    private var portrait = Mean(count: portraitLength)
    /// Square roots of histograms. A region that was never visible has a weight of 0.
    private var hair = Mean(count: AppearanceDescriptor.regionLength)
    private var clothes = Mean(count: AppearanceDescriptor.regionLength)
    private var skin = Mean(count: 3)
    private var shape: [Double] = []
    private var shapeWeight = 0.0

    init() {}
    init(_ detection: TrackedDetection) { add(detection) }

    /// Adds a detection, weighted by its visibility. `memory` limits the weight of all earlier ones, except for the
    /// shape, so that the profile follows changes of light and pose.
    mutating func add(_ detection: TrackedDetection, weight: Float = 1, memory: Float = .infinity) {
        guard weight > 0 else { return }
        if let bytes = detection.appearance?.bytes {
            portrait.add(bytes[..<Self.portraitLength], weight: weight, memory: memory) { ($0 - 127.5) / 127.5 }
            skin.add(bytes.suffix(3), weight: weight, memory: memory) { $0 / 255 }
            let region = AppearanceDescriptor.regionLength
            for (part, mean) in [\Self.hair, \Self.clothes].enumerated() {
                let histograms = bytes[(Self.portraitLength + part * region)...].prefix(region)
                guard histograms.contains(where: { $0 > 0 }) else { continue }
                self[keyPath: mean].add(histograms, weight: weight, memory: memory) { $0 / 255 }
            }
        }
        if let values = detection.shape {
            if shape.isEmpty { shape = [Double](repeating: 0, count: values.count) }
            let fraction = Double(weight) / (shapeWeight + Double(weight))
            for index in shape.indices { shape[index] += fraction * (Double(values[index]) - shape[index]) }
            shapeWeight += Double(weight)
        }
    }

    /// Each part is 0 (same) to 1, or `nil` if one of the profiles lacks it.
    struct Difference: Sendable, Equatable {
        var portrait, hair, clothes, skin: Double?
        /// Log likelihood ratio of the shapes: above 0, one person is more likely than two.
        var shapeEvidence: Double?

        static let certain = 4.5

        /// Certainty that the profiles belong to one person, up to about 9; 0 if there is evidence against it.
        var certainty: Double {
            guard let portrait, let hair, portrait < 0.3, hair < 0.3 else { return 0 }
            // Clothes and hair rarely change within a scene, but others wear similar ones; the shape rules these out.
            let shape = shapeEvidence ?? -1
            if let clothes {
                guard clothes < 0.3, shape > -2 else { return 0 }
                return (0.3 - clothes) * 8 + (0.3 - hair) * 6 + (0.3 - portrait) * 5 + 0.5 * min(shape, 6)
            }
            // In a close-up without clothes, many people look similar.
            guard shape > 2 else { return 0 }
            return (0.3 - hair) * 8 + (0.3 - portrait) * 6 + 0.6 * min(shape, 6) - 1.3
        }

        var isPossible: Bool { shapeEvidence ?? 0 >= -4 && clothes ?? 0 <= 0.5 && hair ?? 0 <= 0.5 }
    }

    /// `betweenVariances` are between people for each number of the shape; if empty, the shape is left out.
    func difference(to other: IdentityProfile, betweenVariances: [Double] = []) -> Difference {
        var result = Difference()
        if portrait.weight > 0, other.portrait.weight > 0 {
            result.portrait = Self.cosine(portrait.values, other.portrait.values).map { (1 - $0) / 2 }
            let step = zip(skin.values, other.skin.values).map { $0 - $1 }
            result.skin = min(1, Double((step[0] * step[0] + step[1] * step[1]).squareRoot()) * 10)
        }
        (result.hair, result.clothes) = (Self.distance(hair, other.hair), Self.distance(clothes, other.clothes))
        if shapeWeight > 0, other.shapeWeight > 0, !betweenVariances.isEmpty, shape.count == other.shape.count {
            result.shapeEvidence = shapeEvidence(other, betweenVariances)
        }
        return result
    }

    /// An average counts as at most so many independent samples, because successive ones are similar.
    private static let maximumSamples = 3.0

    mutating func merge(_ other: IdentityProfile) {
        for part in [\Self.portrait, \.skin, \.hair, \.clothes] { self[keyPath: part].merge(other[keyPath: part]) }
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

    /// Hellinger distance of two concatenated histograms, given as square roots; `nil` if one was never seen.
    private static func distance(_ a: Mean, _ b: Mean) -> Double? {
        guard a.weight > 0, b.weight > 0 else { return nil }
        return cosine(a.values, b.values).map { max(0, 1 - $0).squareRoot() } ?? 1
    }

    /// Two-covariance log likelihood ratio: Brümmer and de Villiers, "The speaker partitioning problem", Odyssey 2010.
    private func shapeEvidence(_ other: IdentityProfile, _ between: [Double]) -> Double {
        func within(_ weight: Double) -> Double { 1 / max(min(weight, Self.maximumSamples), 0.25) }
        var sum = 0.0
        for index in shape.indices {
            let between = between[index]
            let (own, theirs) = (between + within(shapeWeight), between + within(other.shapeWeight))
            let determinant = own * theirs - between * between
            let (x, y) = (shape[index], other.shape[index])
            let same = (theirs * x * x - 2 * between * x * y + own * y * y) / determinant + log(determinant)
            sum += x * x / own + y * y / theirs + log(own * theirs) - same
        }
        return sum / 2
    }
}
