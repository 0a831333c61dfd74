internal import CFFmpeg
internal import VidscanBase

/// Makes 8-bit 4:2:0 pictures of one size, upright and of even sides, of whatever a decoder gives.
///
/// A picture that is so already passes untouched. Scaling (other pixels than square, another height) and changes of format
/// are swscale's; a turn moves bytes. An odd side gets one more pixel, a copy of its last.
final class UprightConverter {
    /// Pixels that show the display.
    let contentSize: PictureSize
    /// The same, rounded up to even.
    let outputSize: PictureSize
    private let keepsMetadata: Bool
    private let keepsCaptions: Bool
    private var scaler: OpaquePointer?

    /// - Parameters:
    ///   - height: of the output in pixels; `nil` keeps the display's.
    ///   - keepsMetadata: timecodes and the like, which an encoder may put into the new stream.
    ///   - keepsCaptions: the same of closed captions, which travel with the pictures.
    init(displaySize: PictureSize, height: Int?, keepsMetadata: Bool, keepsCaptions: Bool) {
        self.keepsMetadata = keepsMetadata
        self.keepsCaptions = keepsCaptions
        if let height, height != displaySize.height {
            let width = Double(displaySize.width) * Double(height) / Double(displaySize.height)
            contentSize = PictureSize(width: max(2, Int((width / 2).rounded()) * 2), height: height)
        } else {
            contentSize = displaySize
        }
        outputSize = PictureSize(width: (contentSize.width + 1) & ~1, height: (contentSize.height + 1) & ~1)
    }

    deinit {
        sws_freeContext(scaler)
    }

    /// - Returns: a frame that the caller owns; it may share its pixels with `sample`.
    func convert(_ sample: SampledFrame) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        let orientation = sample.geometry.orientation
        // The size before the turn.
        let coded = orientation.apply(to: contentSize)
        var frame = try Self.reference(sample.frame)
        if !keepsMetadata { SourceTraces.remove(from: frame) }
        if !keepsCaptions { av_frame_remove_side_data(frame, AV_FRAME_DATA_A53_CC) }
        do {
            let format = AVPixelFormat(frame.pointee.format)
            let fits = format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P
            if !fits || Int(frame.pointee.width) != coded.width || Int(frame.pointee.height) != coded.height {
                let scaled = try scale(frame, to: coded)
                Self.free(frame)
                frame = scaled
            }
            if YCbCrColor.isFullRange(frame) { frame.pointee.color_range = AVCOL_RANGE_JPEG }
            frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
            if orientation != .upright || outputSize != coded {
                let turned = try turn(frame, orientation)
                Self.free(frame)
                frame = turned
            }
        } catch {
            Self.free(frame)
            throw error
        }
        frame.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // The picture is upright now, and no encoder shall take over which pictures were keyframes.
        av_frame_remove_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX)
        frame.pointee.pict_type = AV_PICTURE_TYPE_NONE
        return frame
    }

    private static func reference(
        _ frame: UnsafeMutablePointer<AVFrame>
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        guard let copy = av_frame_clone(frame) else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        return copy
    }

    private static func free(_ frame: UnsafeMutablePointer<AVFrame>) {
        var optional: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&optional)
    }

    private static func allocate(
        _ size: PictureSize, like frame: UnsafeMutablePointer<AVFrame>
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        guard let output = av_frame_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        output.pointee.width = Int32(size.width)
        output.pointee.height = Int32(size.height)
        output.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        guard av_frame_get_buffer(output, 0) >= 0, av_frame_copy_props(output, frame) >= 0 else {
            free(output)
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        return output
    }

    /// Changes size and format; matrix and range stay. R'G'B' becomes BT.709 in limited range.
    private func scale(
        _ frame: UnsafeMutablePointer<AVFrame>, to size: PictureSize
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        let format = AVPixelFormat(frame.pointee.format)
        guard let descriptor = av_pix_fmt_desc_get(format) else {
            throw MediaError(.undecodable, "unknown pixel format \(frame.pointee.format)")
        }
        let isRGB = descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
        scaler = sws_getCachedContext(
            scaler, frame.pointee.width, frame.pointee.height, format, Int32(size.width), Int32(size.height),
            AV_PIX_FMT_YUV420P, Int32(SWS_BICUBIC) | Int32(SWS_ACCURATE_RND) | Int32(SWS_BITEXACT), nil, nil, nil)
        guard let scaler else {
            throw MediaError(
                .undecodable, "cannot convert its pixel format \(String(cString: descriptor.pointee.name))")
        }
        let isFull = YCbCrColor.isFullRange(frame)
        let matrix = sws_getCoefficients(isRGB ? SWS_CS_ITU709 : SWS_CS_DEFAULT)
        sws_setColorspaceDetails(
            scaler, matrix, isRGB || isFull ? 1 : 0, matrix, isFull && !isRGB ? 1 : 0, 0, 1 << 16, 1 << 16)
        let output = try Self.allocate(size, like: frame)
        let scaled = withUnsafePointer(to: frame.pointee.data) { data in
            withUnsafePointer(to: frame.pointee.linesize) { strides in
                withUnsafeMutablePointer(to: &output.pointee.data) { outputData in
                    withUnsafeMutablePointer(to: &output.pointee.linesize) { outputStrides in
                        sws_scale(
                            scaler, UnsafeRawPointer(data).assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
                            UnsafeRawPointer(strides).assumingMemoryBound(to: Int32.self), 0, frame.pointee.height,
                            UnsafeMutableRawPointer(outputData).assumingMemoryBound(
                                to: UnsafeMutablePointer<UInt8>?.self),
                            UnsafeMutableRawPointer(outputStrides).assumingMemoryBound(to: Int32.self))
                    }
                }
            }
        }
        guard scaled >= 0 else {
            Self.free(output)
            throw MediaError(.undecodable, "cannot convert its pixels: \(Libav.message(scaled))")
        }
        if isRGB {
            output.pointee.colorspace = AVCOL_SPC_BT709
            output.pointee.color_range = AVCOL_RANGE_MPEG
        } else if isFull {
            output.pointee.color_range = AVCOL_RANGE_JPEG
        }
        return output
    }

    private func turn(
        _ frame: UnsafeMutablePointer<AVFrame>, _ orientation: Orientation
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        let output = try Self.allocate(outputSize, like: frame)
        let (source, target) = (MutablePlanes(frame), MutablePlanes(output))
        let coded = PictureSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        let half = { (size: PictureSize) in PictureSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2) }
        Self.turn(source.luma, coded, orientation, into: target.luma, outputSize)
        Self.turn(source.blueDifference, half(coded), orientation, into: target.blueDifference, half(outputSize))
        Self.turn(source.redDifference, half(coded), orientation, into: target.redDifference, half(outputSize))
        return output
    }

    /// - Parameter targetSize: at most one more than the turned source on each axis; the last row or column is repeated.
    private static func turn(
        _ source: MutablePlanes.Plane, _ size: PictureSize, _ orientation: Orientation,
        into target: MutablePlanes.Plane, _ targetSize: PictureSize
    ) {
        let turned = orientation.apply(to: size)
        // Moving one pixel right or down in the target moves this far in the source.
        let stepX = (orientation.swapsAxes ? source.stride : 1) * (orientation.mirrorsX ? -1 : 1)
        let stepY = (orientation.swapsAxes ? 1 : source.stride) * (orientation.mirrorsY ? -1 : 1)
        let origin =
            (orientation.mirrorsX ? (turned.width - 1) * -stepX : 0)
            + (orientation.mirrorsY ? (turned.height - 1) * -stepY : 0)
        // In tiles: a turn by 90° reads down columns, and a tile stays in the cache.
        let tile = 32
        for top in stride(from: 0, to: targetSize.height, by: tile) {
            for left in stride(from: 0, to: targetSize.width, by: tile) {
                for y in top..<min(top + tile, targetSize.height) {
                    let line = source.base + origin + min(y, turned.height - 1) * stepY
                    let output = target.base + y * target.stride
                    for x in left..<min(left + tile, targetSize.width) {
                        output[x] = line[min(x, turned.width - 1) * stepX]
                    }
                }
            }
        }
    }
}
