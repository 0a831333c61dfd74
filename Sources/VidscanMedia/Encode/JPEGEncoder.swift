internal import CFFmpeg
internal import VidscanBase

/// Encodes small images as JPEG files.
public enum JPEGEncoder {
    /// - Parameters:
    ///   - tensor: R', G', B' planes of `side` × `side` in 0…255, as from `SquareCropper`.
    ///   - side: in pixels, even.
    ///   - quality: in the scale of libavcodec, from 2 (best) to 31.
    /// - Throws: `MediaError` when the encoder fails.
    public static func encode(
        _ tensor: UnsafePointer<Float>, side: Int, quality: Int = 4
    ) throws(MediaError) -> [UInt8] {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG) else {
            throw MediaError(.unsupportedCodec, "cannot write a JPEG: this FFmpeg has no JPEG encoder")
        }
        let frame = try Frame.allocate(PictureSize(width: side, height: side), AV_PIX_FMT_YUVJ420P)
        frame.quality = Int32(quality) * Int32(FF_QP2LAMBDA)
        fill(MutablePlanes(frame), tensor, side: side)
        let context = try CodecContext(codec)
        context.width = frame.width
        context.height = frame.height
        context.time_base = AVRational(num: 1, den: 1)
        context.pix_fmt = AV_PIX_FMT_YUVJ420P
        context.thread_count = 1
        context.flags |= Int32(AV_CODEC_FLAG_QSCALE)
        context.global_quality = frame.quality
        try context.open("cannot write a JPEG")
        return try context.encode(frame, "cannot write a JPEG")
    }

    /// BT.601 in full range, as JPEG requires. Each chroma sample is the mean of four pixels.
    private static func fill(_ planes: MutablePlanes, _ tensor: UnsafePointer<Float>, side: Int) {
        let area = side * side
        let byte = { (value: Float) in UInt8(min(max(value, 0), 255).rounded()) }
        for y in 0..<side {
            for x in 0..<side {
                let (r, g, b) = (
                    tensor[y * side + x], tensor[area + y * side + x], tensor[2 * area + y * side + x]
                )
                planes.luma.base[y * planes.luma.stride + x] = byte(0.299 * r + 0.587 * g + 0.114 * b)
            }
        }
        let (blue, red) = (planes.blueDifference, planes.redDifference)
        for y in 0..<side / 2 {
            for x in 0..<side / 2 {
                let mean = { (plane: Int) -> Float in
                    let first = plane * area + 2 * y * side + 2 * x
                    return (tensor[first] + tensor[first + 1] + tensor[first + side] + tensor[first + side + 1]) / 4
                }
                let (r, g, b) = (mean(0), mean(1), mean(2))
                blue.base[y * blue.stride + x] = byte(128 - 0.168736 * r - 0.331264 * g + 0.5 * b)
                red.base[y * red.stride + x] = byte(128 + 0.5 * r - 0.418688 * g - 0.081312 * b)
            }
        }
    }
}
