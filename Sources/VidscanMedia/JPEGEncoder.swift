internal import CFFmpeg
internal import VidscanBase

/// Codes small pictures as JPEG files.
public enum JPEGEncoder {
    /// - Parameters:
    ///   - tensor: R', G', B' planes of `side` × `side`, 0…255, as `SquareCropper` gives them.
    ///   - side: pixels, even.
    ///   - quality: libavcodec's scale, 2 (best) to 31.
    /// - Throws: `MediaError` when the encoder fails.
    public static func encode(
        _ tensor: UnsafePointer<Float>, side: Int, quality: Int = 4
    ) throws(MediaError) -> [UInt8] {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG), let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.unsupportedCodec, "this libavcodec codes no JPEG")
        }
        var owned: UnsafeMutablePointer<AVCodecContext>? = context
        defer { avcodec_free_context(&owned) }
        context.pointee.width = Int32(side)
        context.pointee.height = Int32(side)
        context.pointee.time_base = AVRational(num: 1, den: 1)
        context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        context.pointee.thread_count = 1
        context.pointee.flags |= Int32(AV_CODEC_FLAG_QSCALE)
        context.pointee.global_quality = Int32(quality) * Int32(FF_QP2LAMBDA)
        try check(avcodec_open2(context, codec, nil), "cannot open the JPEG encoder")
        var frame = av_frame_alloc()
        var packet = av_packet_alloc()
        defer {
            av_frame_free(&frame)
            av_packet_free(&packet)
        }
        guard let frame, let packet else { throw MediaError(.io, "no memory for a picture") }
        frame.pointee.width = Int32(side)
        frame.pointee.height = Int32(side)
        frame.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        frame.pointee.quality = context.pointee.global_quality
        try check(av_frame_get_buffer(frame, 0), "no memory for a picture")
        fill(frame, tensor, side: side)
        try check(avcodec_send_frame(context, frame), "cannot code a JPEG picture")
        try check(avcodec_receive_packet(context, packet), "cannot code a JPEG picture")
        return Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }

    private static func check(_ code: Int32, _ what: String) throws(MediaError) {
        guard code >= 0 else { throw MediaError(.io, "\(what): \(Libav.message(code))") }
    }

    /// JPEG's own matrix: BT.601, full range; each chroma sample is the mean of four pixels.
    private static func fill(_ frame: UnsafeMutablePointer<AVFrame>, _ tensor: UnsafePointer<Float>, side: Int) {
        let area = side * side
        guard let luma = frame.pointee.data.0, let blue = frame.pointee.data.1, let red = frame.pointee.data.2 else {
            return
        }
        let byte = { (value: Float) in UInt8(min(max(value, 0), 255).rounded()) }
        for y in 0..<side {
            for x in 0..<side {
                let (r, g, b) = (
                    tensor[y * side + x], tensor[area + y * side + x], tensor[2 * area + y * side + x]
                )
                luma[y * Int(frame.pointee.linesize.0) + x] = byte(0.299 * r + 0.587 * g + 0.114 * b)
            }
        }
        for y in 0..<side / 2 {
            for x in 0..<side / 2 {
                let mean = { (plane: Int) -> Float in
                    let place = plane * area + 2 * y * side + 2 * x
                    return (tensor[place] + tensor[place + 1] + tensor[place + side] + tensor[place + side + 1]) / 4
                }
                let (r, g, b) = (mean(0), mean(1), mean(2))
                blue[y * Int(frame.pointee.linesize.1) + x] = byte(128 - 0.168736 * r - 0.331264 * g + 0.5 * b)
                red[y * Int(frame.pointee.linesize.2) + x] = byte(128 + 0.5 * r - 0.418688 * g - 0.081312 * b)
            }
        }
    }
}
