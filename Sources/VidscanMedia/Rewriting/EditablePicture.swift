internal import CFFmpeg
public import VidscanBase

/// One picture on its way into a new video: upright, of even sides, 8-bit 4:2:0, and free to be painted on.
///
/// Its pixels are shared with the decoder until the first change, so that a picture which nobody touches costs no copy.
/// Use it from one thread.
public final class EditablePicture {
    /// Microseconds since the source container's start.
    public let microseconds: Int64
    /// Index in presentation order among all frames of the source stream.
    public let index: Int64
    /// Pixels of the source's upright, square-pixel picture.
    public let displaySize: PictureSize
    /// Pixels of this picture.
    public let size: PictureSize
    /// Pixels of this picture for each one of the display, on both axes: where its part that shows the display ends.
    public let scaleX: Double
    public let scaleY: Double

    let frame: UnsafeMutablePointer<AVFrame>
    private var isWritable = false
    private let blender: PatchBlender

    /// - Parameter contentSize: the pixels that show the display; at an odd size the picture has one more.
    init(
        frame: UnsafeMutablePointer<AVFrame>, contentSize: PictureSize, sample: SampledFrame, blender: PatchBlender
    ) {
        self.frame = frame
        self.blender = blender
        microseconds = sample.microseconds
        index = sample.index
        displaySize = sample.geometry.displaySize
        size = PictureSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        scaleX = Double(contentSize.width) / Double(displaySize.width)
        scaleY = Double(contentSize.height) / Double(displaySize.height)
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
    }

    /// Lays a patch over the picture, in the picture's own matrix and range.
    public func blend(_ patch: PixelPatch) throws(MediaError) {
        try makeWritable()
        blender.blend(patch, into: MutablePlanes(frame), colors: YCbCrInks(frame))
    }

    /// Replaces what a mask covers by something that keeps no detail of it.
    public func hide(_ mask: PixelMask, by cover: Cover) throws(MediaError) {
        try makeWritable()
        blender.hide(mask, by: cover, in: MutablePlanes(frame), colors: YCbCrInks(frame))
    }

    /// What is put where pixels are hidden.
    public enum Cover: Sendable, Equatable {
        /// Means of squares with sides of this many pixels, as squares.
        case squares(side: Int)
        /// The same means, one running smoothly into the next.
        case smooth(side: Int)
        /// One colour, 0…1 each.
        case color(red: Double, green: Double, blue: Double)
    }

    private func makeWritable() throws(MediaError) {
        guard !isWritable else { return }
        let result = av_frame_make_writable(frame)
        guard result >= 0 else { throw MediaError(.io, "cannot copy a frame: \(Libav.message(result))") }
        isWritable = true
    }
}

/// The planes of an 8-bit 4:2:0 picture of even sides, to be written.
struct MutablePlanes {
    struct Plane {
        let base: UnsafeMutablePointer<UInt8>
        let stride: Int
    }

    let luma: Plane
    let blueDifference: Plane
    let redDifference: Plane

    init(_ frame: UnsafeMutablePointer<AVFrame>) {
        // Every frame that is made an `EditablePicture` is yuv420p, which has three planes.
        let (y, u, v) = (
            frame.pointee.data.0.unsafelyUnwrapped, frame.pointee.data.1.unsafelyUnwrapped,
            frame.pointee.data.2.unsafelyUnwrapped
        )
        luma = Plane(base: y, stride: Int(frame.pointee.linesize.0))
        blueDifference = Plane(base: u, stride: Int(frame.pointee.linesize.1))
        redDifference = Plane(base: v, stride: Int(frame.pointee.linesize.2))
    }
}

/// From R'G'B' in 0…255 to Y'CbCr code values, in 1/65536: the matrix of ITU-T H.273 with its range.
struct YCbCrInks {
    let lumaOffset: Int32
    let luma: (red: Int32, green: Int32, blue: Int32)
    let blueDifference: (red: Int32, green: Int32, blue: Int32)
    let redDifference: (red: Int32, green: Int32, blue: Int32)

    init(_ frame: UnsafeMutablePointer<AVFrame>) {
        let weights = YCbCrColor.weights(frame)
        let isFull = YCbCrColor.isFullRange(frame)
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
