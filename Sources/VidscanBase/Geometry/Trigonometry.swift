internal import Foundation

/// Trigonometric functions of angles in degrees, the unit of the results.
package enum Trigonometry {
    package static func degrees(y: Double, x: Double) -> Double { atan2(y, x) * 180 / .pi }
    package static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    package static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
