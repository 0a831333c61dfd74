/// A picture as it lies in a detector's input tensor: three planes R', G', B' in 0…255, row after row. A view: it owns
/// nothing, and is good only while the tensor is.
public struct TensorPicture {
    let base: UnsafePointer<Float>
    /// Floats from one row to the next.
    let rowStride: Int
    /// Floats from one plane to the next.
    let planeStride: Int
    /// Of the picture, which begins at the tensor's top left corner; the rest of the tensor is padding.
    public let size: PictureSize

    /// - Parameters:
    ///   - base: 3 · `tensorSize.width` · `tensorSize.height` floats.
    ///   - size: at least 1 × 1, at most `tensorSize`.
    public init(base: UnsafePointer<Float>, size: PictureSize, tensorSize: PictureSize) {
        precondition(size.width <= tensorSize.width && size.height <= tensorSize.height)
        self.base = base
        self.size = size
        rowStride = tensorSize.width
        planeStride = tensorSize.width * tensorSize.height
    }

    /// Red, green and blue of a pixel inside the picture.
    package func color(x: Int, y: Int) -> SIMD3<Float> {
        let place = base + y * rowStride + x
        return SIMD3(place[0], place[planeStride], place[2 * planeStride])
    }

    /// Weights of R', G', B' in luma: ITU-R BT.601.
    package static let lumaWeights = SIMD3<Float>(0.299, 0.587, 0.114)
}
