import Foundation

/// Embeddings of faces whose distances a test can choose.
///
/// All of them are at a right angle to every mean direction of strangers, so that the same number is taken off each cosine
/// distance.
package enum SyntheticFace {
    /// What is taken off, 0.35 × (1 + 1 − 2 × 0.85): the distance of a face to itself is its negative.
    package static let adjustment = 0.105

    private static let length = 256
    private static let axisCount = 64

    /// Returns the unit vector in the direction of these coordinates, the axes being 0…63.
    ///
    /// - Parameter crowding: How far the face leans towards a mean direction of strangers, below 1: the cosine of the angle.
    package static func vector(_ coordinates: [Int: Double], crowding: Double = 0) -> [Float] {
        let norm = coordinates.values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        var sum = strangers[0].map { $0 * crowding }
        for (axis, value) in coordinates {
            let factor = value / norm * (1 - crowding * crowding).squareRoot()
            for index in 0..<length { sum[index] += factor * axes[axis][index] }
        }
        return sum.map { Float($0) }
    }

    /// Returns a face at a distance from `vector([person: 1])`. Another axis has another face at the same distance.
    package static func vector(_ person: Int, at distance: Double, towards axis: Int) -> [Float] {
        let cosine = 1 - adjustment - distance
        return vector([person: cosine, axis: (1 - cosine * cosine).squareRoot()])
    }

    /// Returns a picture of a person. Those of one person have the distance `within`, those of two people `between`.
    ///
    /// - Parameters: `person` is 0…31, `sample` 0…30, `between` at most 0.895 (beyond that, there is no such direction).
    package static func vector(
        _ person: Int, sample: Int, within: Double = 0.2, between: Double = 0.8
    ) -> [Float] {
        let own = within + adjustment
        let coordinates = [63: 1 - between - adjustment, person: between - within, 32 + sample: own]
        return vector(coordinates.mapValues { $0.squareRoot() })
    }

    /// An orthonormal basis; the axes come after the directions of strangers.
    private static let basis = {
        let path = Checkout.root + "/Sources/VidscanFaces/Data/strangers.i8"
        let bytes = [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
        let strangers = stride(from: 0, to: bytes.count, by: length).map { start in
            bytes[start..<start + length].map { Double(Int8(bitPattern: $0)) }
        }
        let units = (0..<axisCount).map { axis in (0..<length).map { $0 == axis ? 1.0 : 0 } }
        var basis: [[Double]] = []
        for direction in strangers + units {
            var rest = direction
            // The second time removes the rounding errors of the first.
            for _ in 0..<2 {
                for known in basis {
                    let part = zip(known, rest).reduce(0) { $0 + $1.0 * $1.1 }
                    rest = zip(known, rest).map { $1 - part * $0 }
                }
            }
            let norm = rest.reduce(0) { $0 + $1 * $1 }.squareRoot()
            basis.append(rest.map { $0 / norm })
        }
        return basis
    }()
    private static let strangers = Array(basis.dropLast(axisCount))
    private static let axes = Array(basis.suffix(axisCount))
}
