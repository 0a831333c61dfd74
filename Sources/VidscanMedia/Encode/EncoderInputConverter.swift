internal import CFFmpeg
internal import VidscanBase

/// Converts decoded frames to 8-bit 4:2:0 of one size, upright and with even sides, which the encoders take. A frame
/// that already fits is not copied. An odd side gets one more pixel, a copy of its last one.
final class EncoderInputConverter {
    let contentSize: PictureSize
    /// `contentSize` rounded up to even sides.
    private let outputSize: PictureSize
    private let options: Transcoder.Options
    private let compositor = Compositor()
    private var scaler = Scaler(flags: SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT)

    init(displaySize: PictureSize, _ options: Transcoder.Options) {
        self.options = options
        if let height = options.height, height != displaySize.height {
            let width = Double(displaySize.width) * Double(height) / Double(displaySize.height)
            contentSize = PictureSize(width: max(2, Int((width / 2).rounded()) * 2), height: height)
        } else {
            contentSize = displaySize
        }
        outputSize = PictureSize(width: (contentSize.width + 1) & ~1, height: (contentSize.height + 1) & ~1)
    }

    func convert(_ sample: SampledFrame) throws(MediaError) -> EditableFrame {
        let orientation = sample.geometry.orientation
        let coded = orientation.apply(to: contentSize)
        let limit = options.reading.limits.maximumPixels
        guard contentSize.width * contentSize.height <= limit else { throw .frameTooLarge(contentSize, limit: limit) }
        var frame = try Frame(sharing: sample.frame)
        // An encoder may write timecodes and similar side data into the new stream.
        if !options.keepsMetadata { MetadataStripper.strip(frame) }
        if !options.copiesSubtitles { av_frame_remove_side_data(frame.pointer, AV_FRAME_DATA_A53_CC) }
        if frame.hasAlpha { frame = try frame.flattened() }
        // Players guess the matrix by the size.
        if frame.colorspace == AVCOL_SPC_UNSPECIFIED, outputSize != frame.size,
            frame.pixelFormat.descriptor?.isRGB == false
        {
            frame.colorspace = ColorMatrix(frame).scaling == SWS_CS_ITU709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        }
        let fits = frame.pixelFormat == AV_PIX_FMT_YUV420P || frame.pixelFormat == AV_PIX_FMT_YUVJ420P
        if ColorMatrix.isFullRange(frame) { frame.color_range = AVCOL_RANGE_JPEG }
        if !fits || frame.size != coded { frame = try scale(frame, to: coded) }
        frame.format = AV_PIX_FMT_YUV420P.rawValue
        if orientation != .upright || outputSize != coded { frame = try rotate(frame, orientation) }
        frame.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // The frame is upright now. The encoder chooses its own keyframes.
        av_frame_remove_side_data(frame.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        frame.pict_type = AV_PICTURE_TYPE_NONE
        return EditableFrame(frame: frame, contentSize: contentSize, sample: sample, compositor: compositor)
    }

    /// Keeps matrix and range, but R'G'B' becomes BT.709 in limited range.
    private func scale(_ frame: borrowing Frame, to size: PictureSize) throws(MediaError) -> Frame {
        guard let descriptor = frame.pixelFormat.descriptor else {
            throw MediaError(.undecodable, "unknown pixel format \(frame.format)")
        }
        let isFull = ColorMatrix.isFullRange(frame)
        let output = try compositor.pool.frame(size, like: frame)
        try scaler.scale(
            frame, into: output, matrix: descriptor.isRGB ? SWS_CS_ITU709 : SWS_CS_DEFAULT,
            fromFullRange: descriptor.isRGB || isFull, toFullRange: isFull && !descriptor.isRGB)
        if descriptor.isRGB {
            output.colorspace = AVCOL_SPC_BT709
            output.color_range = AVCOL_RANGE_MPEG
        }
        return output
    }

    private func rotate(_ frame: borrowing Frame, _ orientation: Orientation) throws(MediaError) -> Frame {
        let output = try compositor.pool.frame(outputSize, like: frame)
        let (source, target) = (MutablePlanes(frame), MutablePlanes(output))
        let half = { (size: PictureSize) in PictureSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2) }
        let (size, halfSize) = (frame.size, half(frame.size))
        Self.rotate(source.luma, size, orientation, into: target.luma, outputSize)
        Self.rotate(source.blueDifference, halfSize, orientation, into: target.blueDifference, half(outputSize))
        Self.rotate(source.redDifference, halfSize, orientation, into: target.redDifference, half(outputSize))
        return output
    }

    /// - Parameter targetSize: up to one more than the rotated source on each axis. The last row or column is repeated.
    private static func rotate(
        _ source: MutablePlanes.Plane, _ size: PictureSize, _ orientation: Orientation,
        into target: MutablePlanes.Plane, _ targetSize: PictureSize
    ) {
        let rotated = orientation.apply(to: size)
        // Steps in the source per pixel to the right and down in the target.
        let stepX = (orientation.swapsAxes ? source.stride : 1) * (orientation.mirrorsX ? -1 : 1)
        let stepY = (orientation.swapsAxes ? 1 : source.stride) * (orientation.mirrorsY ? -1 : 1)
        let origin =
            (orientation.mirrorsX ? (rotated.width - 1) * -stepX : 0)
            + (orientation.mirrorsY ? (rotated.height - 1) * -stepY : 0)
        // Rotation by 90° reads down columns. A tile stays in the cache.
        let tile = 32
        for top in stride(from: 0, to: targetSize.height, by: tile) {
            for left in stride(from: 0, to: targetSize.width, by: tile) {
                for y in top..<min(top + tile, targetSize.height) {
                    let line = source.base + origin + min(y, rotated.height - 1) * stepY
                    let output = target.base + y * target.stride
                    for x in left..<min(left + tile, targetSize.width) {
                        output[x] = line[min(x, rotated.width - 1) * stepX]
                    }
                }
            }
        }
    }
}
