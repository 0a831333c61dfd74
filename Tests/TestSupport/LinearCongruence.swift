/// Bytes that Python makes too: the linear congruential generator of Numerical Recipes.
package enum LinearCongruence {
    package static func bytes(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = 1_664_525 &* state &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }
}
