internal import CFFmpeg
internal import VidscanBase

/// Makes 8-bit planar Y'CbCr of any picture, once, for the kernels that sample planes directly.
///
/// 8-bit planar Y'CbCr of any chroma subsampling, and grey, pass untouched. One converter serves one worker, which shares
/// it among its kernels, so that a frame is converted once however often it is sampled.
public final class PictureConverter {
    private var scaler: OpaquePointer?
    private var converted: UnsafeMutablePointer<AVFrame>?
    /// Which frame `converted` holds.
    private var convertedFrame: (identity: ObjectIdentifier, sequence: Int)?

    public init() {}

    deinit {
        sws_freeContext(scaler)
        av_frame_free(&converted)
    }

    /// The planes of a frame; they live as long as the frame and until another one is asked for.
    ///
    /// - Throws: `MediaError` for a pixel format that swscale cannot read.
    func planes(of sample: SampledFrame) throws(MediaError) -> PlanarPicture {
        if let picture = PlanarPicture(sample.frame) { return picture }
        let identity = (ObjectIdentifier(sample), sample.sequence)
        if let converted, let convertedFrame, convertedFrame == identity, let picture = PlanarPicture(converted) {
            return picture
        }
        convertedFrame = nil
        let picture = try convert(sample.frame)
        convertedFrame = identity
        return picture
    }

    private func convert(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> PlanarPicture {
        let format = AVPixelFormat(frame.pointee.format)
        guard let descriptor = av_pix_fmt_desc_get(format) else {
            throw MediaError(.undecodable, "unknown pixel format \(frame.pointee.format)")
        }
        let isRGB = descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
        let target: AVPixelFormat
        if isRGB || descriptor.pointee.log2_chroma_w == 0 {
            target = isRGB ? AV_PIX_FMT_YUVJ444P : AV_PIX_FMT_YUV444P
        } else {
            target = descriptor.pointee.log2_chroma_h == 0 ? AV_PIX_FMT_YUV422P : AV_PIX_FMT_YUV420P
        }
        let output = try output(like: frame, format: target)
        scaler = sws_getCachedContext(
            scaler, frame.pointee.width, frame.pointee.height, format, frame.pointee.width, frame.pointee.height,
            target,
            Int32(SWS_POINT) | Int32(SWS_ACCURATE_RND) | Int32(SWS_BITEXACT), nil, nil, nil)
        guard let scaler else {
            let name = String(cString: descriptor.pointee.name)
            throw MediaError(.undecodable, "cannot convert its pixel format \(name)")
        }
        if !isRGB {
            // Same matrix and range on both sides: only the depth or the layout changes.
            let coefficients = sws_getCoefficients(SWS_CS_DEFAULT)
            let full: Int32 = frame.pointee.color_range == AVCOL_RANGE_JPEG ? 1 : 0
            sws_setColorspaceDetails(scaler, coefficients, full, coefficients, full, 0, 1 << 16, 1 << 16)
        }
        let scaled = withUnsafePointer(to: frame.pointee.data) { data in
            withUnsafePointer(to: frame.pointee.linesize) { strides in
                withUnsafeMutablePointer(to: &output.pointee.data) { outputData in
                    withUnsafeMutablePointer(to: &output.pointee.linesize) { outputStrides in
                        sws_scale(
                            scaler,
                            UnsafeRawPointer(data).assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
                            UnsafeRawPointer(strides).assumingMemoryBound(to: Int32.self), 0, frame.pointee.height,
                            UnsafeMutableRawPointer(outputData).assumingMemoryBound(
                                to: UnsafeMutablePointer<UInt8>?.self),
                            UnsafeMutableRawPointer(outputStrides).assumingMemoryBound(to: Int32.self))
                    }
                }
            }
        }
        guard scaled >= 0, let picture = PlanarPicture(output) else {
            throw MediaError(.undecodable, "cannot convert its pixels: \(Libav.message(scaled))")
        }
        return picture
    }

    private func output(
        like frame: UnsafeMutablePointer<AVFrame>, format: AVPixelFormat
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        let fits =
            converted.map {
                $0.pointee.width == frame.pointee.width && $0.pointee.height == frame.pointee.height
                    && $0.pointee.format == format.rawValue
            } ?? false
        if !fits {
            av_frame_free(&converted)
            converted = av_frame_alloc()
            converted?.pointee.width = frame.pointee.width
            converted?.pointee.height = frame.pointee.height
            converted?.pointee.format = format.rawValue
            guard let converted, av_frame_get_buffer(converted, 0) >= 0 else {
                av_frame_free(&converted)
                throw MediaError(.io, Libav.message(Libav.outOfMemory))
            }
        }
        guard let converted else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        let isRGB = format == AV_PIX_FMT_YUVJ444P
        // swscale turns RGB into BT.601 unless told otherwise.
        converted.pointee.colorspace = isRGB ? AVCOL_SPC_SMPTE170M : frame.pointee.colorspace
        converted.pointee.color_range = isRGB ? AVCOL_RANGE_JPEG : frame.pointee.color_range
        converted.pointee.chroma_location = frame.pointee.chroma_location
        return converted
    }
}
