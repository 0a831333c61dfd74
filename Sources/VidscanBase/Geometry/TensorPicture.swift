/// A view of a frame in a detector's input tensor: three planes R', G', B' in 0…255, row by row. It does not own its
/// memory and is valid only as long as the tensor.
public struct TensorPicture {
    @usableFromInline let base: UnsafePointer<Float>
    /// Floats from one row to the next.
    @usableFromInline let rowStride: Int
    /// Floats from one plane to the next.
    @usableFromInline let planeStride: Int
    /// The size of the frame, which starts at the tensor's top left corner; the rest of the tensor is padding.
    public let size: PictureSize

    /// - Parameters:
    ///   - base: The first of 3 · `tensorSize.width` · `tensorSize.height` floats.
    ///   - size: The size of the frame, at least 1 × 1, at most `tensorSize`.
    ///   - tensorSize: The size of a plane.
    public init(base: UnsafePointer<Float>, size: PictureSize, tensorSize: PictureSize) {
        precondition(size.width <= tensorSize.width && size.height <= tensorSize.height)
        self.base = base
        self.size = size
        rowStride = tensorSize.width
        planeStride = tensorSize.width * tensorSize.height
    }

    /// Returns the red, green and blue values of a pixel inside the frame.
    @inlinable package func color(x: Int, y: Int) -> SIMD3<Float> {
        let pixel = base + y * rowStride + x
        return SIMD3(pixel[0], pixel[planeStride], pixel[2 * planeStride])
    }

    /// Writes the luma of a row, 0…255, `size.width` floats.
    ///
    /// - Returns: The sum of the row's luma, added in a fixed order.
    package func writeLuma(ofRow y: Int, to target: UnsafeMutablePointer<Float>) -> Float {
        let row = base + y * rowStride
        let weights = Self.lumaWeights
        var sums = SIMD8<Float>.zero
        var x = 0
        while x + 8 <= size.width {
            func eight(_ plane: Int) -> SIMD8<Float> {
                UnsafeRawPointer(row + plane * planeStride + x).loadUnaligned(as: SIMD8<Float>.self)
            }
            let luma = weights.x * eight(0) + weights.y * eight(1) + weights.z * eight(2)
            UnsafeMutableRawPointer(target + x).storeBytes(of: luma, as: SIMD8<Float>.self)
            sums += luma
            x += 8
        }
        var sum = sums.sum()
        while x < size.width {
            let luma = (color(x: x, y: y) * weights).sum()
            target[x] = luma
            sum += luma
            x += 1
        }
        return sum
    }

    /// The weights of R', G', B' in luma: ITU-R BT.601.
    @inlinable package static var lumaWeights: SIMD3<Float> { SIMD3(0.299, 0.587, 0.114) }
}
