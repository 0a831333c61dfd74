internal import CPixels

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

    /// Returns where the red, green and blue values of a row begin.
    package func row(_ y: Int) -> (red: UnsafePointer<Float>, green: UnsafePointer<Float>, blue: UnsafePointer<Float>) {
        let red = base + y * rowStride
        return (red, red + planeStride, red + 2 * planeStride)
    }

    /// Writes the luma of a row, 0…255, `size.width` floats.
    ///
    /// - Returns: The sum of the row's luma, added in a fixed order.
    @discardableResult
    package func writeLuma(ofRow y: Int, to target: UnsafeMutablePointer<Float>) -> Float {
        let row = row(y)
        var lanes = SIMD8<Float>.zero
        withUnsafeMutableBytes(of: &lanes) { lanes in
            // Eight floats.
            guard let lanes = lanes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            Self.kernels.write_luma(row.red, row.green, row.blue, size.width, target, lanes)
        }
        return (size.width / 8 * 8..<size.width).reduce(lanes.sum()) { $0 + target[$1] }
    }

    private static let kernels = vs_best_kernels().pointee

    /// The weights of R', G', B' in luma: ITU-R BT.601.
    @inlinable package static var lumaWeights: SIMD3<Float> { SIMD3(0.299, 0.587, 0.114) }
}
