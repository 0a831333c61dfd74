internal import CFFmpeg
public import VidscanBase

/// A frame on its way into a new video: upright, with even sides, 8-bit 4:2:0, and writable.
///
/// It shares its pixels with the decoder until the first change, so that a frame without changes costs no copy. Use it
/// from one thread.
public final class EditableFrame {
    /// Microseconds since the source container's start.
    public let microseconds: Int64
    /// Index in presentation order among all frames of the source stream.
    public let index: Int64
    /// Pixels of the source's upright frame with square pixels.
    public let displaySize: PictureSize
    /// Pixels of this frame. At an odd display size it has one more row or column.
    public let size: PictureSize
    /// Pixels of this frame for each display pixel.
    public let scaleX: Double
    public let scaleY: Double

    let frame: Frame
    private var isWritable = false
    private let compositor: Compositor
    private let pool: FramePool

    /// - Parameter contentSize: the pixels that show the display; up to one less than the frame's on each axis.
    init(
        frame: consuming Frame, contentSize: PictureSize, sample: SampledFrame, compositor: Compositor, pool: FramePool
    ) {
        size = frame.size
        self.frame = frame
        self.compositor = compositor
        self.pool = pool
        microseconds = sample.microseconds
        index = sample.index
        displaySize = sample.geometry.displaySize
        scaleX = Double(contentSize.width) / Double(displaySize.width)
        scaleY = Double(contentSize.height) / Double(displaySize.height)
    }

    /// Returns the pixels to draw on for a rectangle in display pixels, with a margin of one pixel for smooth edges.
    ///
    /// - Returns: `nil` if no part of the rectangle lies inside the frame.
    public func pixels(covering rectangle: Rectangle) -> PixelRectangle? {
        PixelRectangle(
            covering: Rectangle(
                x: rectangle.x * scaleX - 1, y: rectangle.y * scaleY - 1, width: rectangle.width * scaleX + 2,
                height: rectangle.height * scaleY + 2), in: size)
    }

    /// Alpha-blends a patch over the frame, in the frame's matrix and range.
    public func blend(_ patch: PixelPatch) throws(MediaError) {
        try makeWritable()
        compositor.blend(patch, into: MutablePlanes(frame), colors: RGBToYCbCr(frame))
    }

    /// Replaces the pixels under a mask with a cover that keeps no detail of them.
    public func hide(_ mask: PixelMask, by cover: Cover) throws(MediaError) {
        try makeWritable()
        compositor.hide(mask, by: cover, in: MutablePlanes(frame), colors: RGBToYCbCr(frame))
    }

    /// What replaces hidden pixels.
    public enum Cover: Sendable, Equatable {
        /// A mosaic: the mean of each square with sides of this many pixels.
        case squares(side: Int)
        /// The same means, interpolated linearly.
        case smooth(side: Int)
        /// One R'G'B' colour, each component in 0…1.
        case color(red: Double, green: Double, blue: Double)
    }

    private func makeWritable() throws(MediaError) {
        guard !isWritable else { return }
        try pool.makeWritable(frame)
        isWritable = true
    }
}

/// The writable planes of an 8-bit 4:2:0 frame with even sides. A view, which is valid as long as the frame lives.
struct MutablePlanes {
    struct Plane {
        let base: UnsafeMutablePointer<UInt8>
        let stride: Int
    }

    let luma: Plane
    let blueDifference: Plane
    let redDifference: Plane

    /// - Parameter frame: in yuv420p, which has three planes.
    init(_ frame: borrowing Frame) {
        let (planes, strides) = (frame.data, frame.linesize)
        luma = Plane(base: planes.0.unsafelyUnwrapped, stride: Int(strides.0))
        blueDifference = Plane(base: planes.1.unsafelyUnwrapped, stride: Int(strides.1))
        redDifference = Plane(base: planes.2.unsafelyUnwrapped, stride: Int(strides.2))
    }
}

/// The conversion from R'G'B' in 0…255 to Y'CbCr code values, by the matrix coefficients and the range of ITU-T H.273. In
/// units of 1/65536.
struct RGBToYCbCr {
    typealias Weights = (red: Int32, green: Int32, blue: Int32)

    let lumaOffset: Int32
    let luma: Weights
    let blueDifference: Weights
    let redDifference: Weights

    init(_ frame: borrowing Frame) {
        let weights = YCbCrToRGB.weights(frame)
        let isFull = YCbCrToRGB.isFullRange(frame)
        let green = 1 - weights.red - weights.blue
        let lumaScale = isFull ? 1.0 : 219.0 / 255
        let chromaScale = isFull ? 1.0 : 224.0 / 255
        let fixed = { (value: Double) in Int32((value * 65536).rounded()) }
        lumaOffset = isFull ? 0 : 16
        luma = (fixed(weights.red * lumaScale), fixed(green * lumaScale), fixed(weights.blue * lumaScale))
        let blue = chromaScale / (2 * (1 - weights.blue))
        blueDifference = (fixed(-weights.red * blue), fixed(-green * blue), fixed((1 - weights.blue) * blue))
        let red = chromaScale / (2 * (1 - weights.red))
        redDifference = (fixed((1 - weights.red) * red), fixed(-green * red), fixed(-weights.blue * red))
    }
}
