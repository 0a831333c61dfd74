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

    /// The weights of R', G', B' in luma: ITU-R BT.601.
    @inlinable package static var lumaWeights: SIMD3<Float> { SIMD3(0.299, 0.587, 0.114) }
}
