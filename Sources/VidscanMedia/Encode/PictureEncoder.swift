internal import CFFmpeg
internal import VidscanBase

/// The format of a new picture.
public enum PictureFormat: String, Sendable, CaseIterable {
    case jpg
    case png

    /// By the extension of a file's name.
    public init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        switch path[path.index(after: dot)...].lowercased() {
        case "jpg", "jpeg": self = .jpg
        case "png": self = .png
        default: return nil
        }
    }

    /// The format for a copy of a picture: JPEG for a JPEG file, and PNG, which loses nothing, for the others.
    public init(of info: VideoInfo) {
        self = info.codec == "mjpeg" ? .jpg : .png
    }
}

/// Encodes a frame as a picture file without any metadata.
enum PictureEncoder {
    /// The quality of a JPEG in the scale of libavcodec, from 1 (best) to 31.
    private static let quality: Int32 = 2

    /// - Parameters:
    ///   - frame: 8-bit 4:2:0, upright.
    ///   - size: The pixels that show the picture. Rows and columns beyond them are left out.
    /// - Throws: `MediaError` when the encoder fails.
    static func encode(
        _ frame: borrowing Frame, size: PictureSize, as format: PictureFormat
    ) throws(MediaError) -> [UInt8] {
        let source = try Frame(sharing: frame)
        source.width = Int32(size.width)
        source.height = Int32(size.height)
        MetadataStripper.strip(source)
        let rgb = try Frame.allocate(size, AV_PIX_FMT_RGB24)
        var toRGB = Scaler(flags: exact)
        try toRGB.scale(
            source, into: rgb,
            colors: Scaler.Colors(
                matrix: matrix(of: source), sourceIsFullRange: YCbCrToRGB.isFullRange(source),
                targetIsFullRange: true))
        rgb.color_range = AVCOL_RANGE_JPEG
        switch format {
        case .png: return try encode(rgb, AV_CODEC_ID_PNG, failure: "cannot write a PNG") { _ in }
        case .jpg:
            // JPEG files have the matrix of BT.601 in full range.
            let picture = try Frame.allocate(size, AV_PIX_FMT_YUVJ420P)
            var toJPEG = Scaler(flags: exact)
            try toJPEG.scale(
                rgb, into: picture,
                colors: Scaler.Colors(matrix: SWS_CS_ITU601, sourceIsFullRange: true, targetIsFullRange: true))
            picture.quality = quality * Int32(FF_QP2LAMBDA)
            return try encode(picture, AV_CODEC_ID_MJPEG, failure: "cannot write a JPEG") { context in
                context.pointee.flags |= Int32(AV_CODEC_FLAG_QSCALE)
                context.pointee.global_quality = quality * Int32(FF_QP2LAMBDA)
            }
        }
    }

    private static var exact: Int32 { SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT }

    private static func matrix(of frame: borrowing Frame) -> Int32 {
        switch frame.colorspace {
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: return SWS_CS_BT2020
        case AVCOL_SPC_SMPTE240M: return SWS_CS_SMPTE240M
        case AVCOL_SPC_FCC: return SWS_CS_FCC
        default: return YCbCrToRGB.weights(frame).blue < 0.1 ? SWS_CS_ITU709 : SWS_CS_ITU601
        }
    }

    private static func encode(
        _ frame: borrowing Frame, _ id: AVCodecID, failure: String,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) -> [UInt8] {
        guard let codec = avcodec_find_encoder(id) else {
            throw MediaError(.unsupportedCodec, "\(failure): this FFmpeg has no encoder for it")
        }
        let context = try CodecContext(codec)
        context.width = frame.width
        context.height = frame.height
        context.time_base = AVRational(num: 1, den: 1)
        context.pix_fmt = frame.pixelFormat
        context.thread_count = 1
        // Otherwise the encoder names itself in a comment.
        context.flags |= Int32(AV_CODEC_FLAG_BITEXACT)
        configure(context.pointer)
        try context.open(failure)
        return try context.encode(frame, failure)
    }
}
