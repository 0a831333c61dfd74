internal import CFFmpeg
internal import VidscanBase

/// Converts frames to planar Y'CbCr, from which the resampling kernels read.
///
/// Planar Y'CbCr of 8 to 16 bits with any chroma subsampling, and grey, need no conversion. Other formats get 8 bits. The
/// kernels of one worker share one converter, so that each frame is converted only once.
public final class PictureConverter {
    private var scaler = Scaler(flags: Int32(SWS_POINT) | Int32(SWS_ACCURATE_RND) | Int32(SWS_BITEXACT))
    private var converted: Frame?
    /// The frame that `converted` holds.
    private var convertedFrame: (identity: ObjectIdentifier, sequence: Int)?

    public init() {}

    /// The planes of a frame. They are valid as long as the frame lives and until the next call.
    ///
    /// - Throws: `MediaError` for a pixel format that libswscale cannot convert.
    func planes(of sample: SampledFrame) throws(MediaError) -> PlanarImage {
        if let image = PlanarImage(sample.frame) { return image }
        let identity = (ObjectIdentifier(sample), sample.sequence)
        let isConverted = convertedFrame.map { $0 == identity } ?? false
        if !isConverted {
            convertedFrame = nil
            try convert(sample.frame)
            convertedFrame = identity
        }
        switch converted {
        case .some(let frame):
            if let image = PlanarImage(frame) { return image }
        case nil: break
        }
        throw MediaError(.undecodable, "cannot convert the pixel format \(sample.pixelFormatName)")
    }

    private func convert(_ frame: borrowing Frame) throws(MediaError) {
        guard let descriptor = frame.pixelFormat.descriptor else {
            throw MediaError(.undecodable, "unknown pixel format \(frame.format)")
        }
        let format =
            if descriptor.isRGB {
                AV_PIX_FMT_YUVJ444P
            } else if descriptor.log2_chroma_w == 0 {
                AV_PIX_FMT_YUV444P
            } else {
                descriptor.log2_chroma_h == 0 ? AV_PIX_FMT_YUV422P : AV_PIX_FMT_YUV420P
            }
        if converted?.size != frame.size || converted?.pixelFormat != format {
            converted = nil
            converted = try Frame.allocate(frame.size, format)
        }
        switch converted {
        case .some(let target): try convert(frame, isRGB: descriptor.isRGB, into: target)
        case nil: break
        }
    }

    private func convert(_ frame: borrowing Frame, isRGB: Bool, into target: borrowing Frame) throws(MediaError) {
        // libswscale converts RGB to BT.601 by default.
        target.colorspace = isRGB ? AVCOL_SPC_SMPTE170M : frame.colorspace
        target.color_range = isRGB ? AVCOL_RANGE_JPEG : frame.color_range
        target.chroma_location = frame.chroma_location
        // From Y'CbCr only the depth or the layout changes, not the matrix and the range.
        let isFull = frame.color_range == AVCOL_RANGE_JPEG
        let colors = Scaler.Colors(matrix: SWS_CS_DEFAULT, sourceIsFullRange: isFull, targetIsFullRange: isFull)
        try scaler.scale(frame, into: target, colors: isRGB ? nil : colors)
    }
}
