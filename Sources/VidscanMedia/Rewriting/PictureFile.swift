internal import CFFmpeg
public import VidscanBase

/// Reads a picture with its transparency, in any format that FFmpeg knows.
public enum PictureFile {
    /// Pixels; a sticker needs no more.
    public static let maximumPixels = 50_000_000

    /// - Returns: the first frame, upright.
    /// - Throws: `MediaError` with the reason why there is no picture to read.
    public static func read(_ path: String) throws(MediaError) -> RasterImage {
        let reader = try FrameReader(
            path: path,
            options: FrameReader.Options(
                rate: .everyFrame, decoderThreads: 1, limits: MediaLimits(maximumPixels: maximumPixels)))
        guard let sample = try reader.next() else { throw MediaError(.noVideo, "holds no picture") }
        let frame = sample.frame
        let size = PictureSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        let scaler = sws_getContext(
            frame.pointee.width, frame.pointee.height, AVPixelFormat(frame.pointee.format), frame.pointee.width,
            frame.pointee.height, AV_PIX_FMT_BGRA, Int32(SWS_BICUBIC) | Int32(SWS_ACCURATE_RND), nil, nil, nil)
        guard let scaler else { throw MediaError(.undecodable, "cannot convert its pixels") }
        defer { sws_freeContext(scaler) }
        // swscale writes whole vectors: rows need room behind them.
        let stride = (4 * size.width + 63) & ~63
        var padded = [UInt8](repeating: 0, count: stride * size.height + 64)
        let scaled = padded.withUnsafeMutableBufferPointer { buffer in
            withUnsafePointer(to: frame.pointee.data) { data in
                withUnsafePointer(to: frame.pointee.linesize) { strides in
                    var planes: [UnsafeMutablePointer<UInt8>?] = [buffer.baseAddress, nil, nil, nil]
                    return sws_scale(
                        scaler, UnsafeRawPointer(data).assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
                        UnsafeRawPointer(strides).assumingMemoryBound(to: Int32.self), 0, frame.pointee.height,
                        &planes, [Int32(stride), 0, 0, 0])
                }
            }
        }
        guard scaled >= 0 else {
            throw MediaError(.undecodable, "cannot convert its pixels: \(Libav.message(scaled))")
        }
        return upright(padded, stride: stride, size: size, orientation: sample.geometry.orientation)
    }

    /// Turned upright, and multiplied by its opacity.
    private static func upright(
        _ source: [UInt8], stride: Int, size: PictureSize, orientation: Orientation
    ) -> RasterImage {
        let target = orientation.apply(to: size)
        var bytes = [UInt8](repeating: 0, count: 4 * target.width * target.height)
        for y in 0..<target.height {
            for x in 0..<target.width {
                let (u, v) = (
                    orientation.mirrorsX ? target.width - 1 - x : x, orientation.mirrorsY ? target.height - 1 - y : y
                )
                let place = orientation.swapsAxes ? u * stride + 4 * v : v * stride + 4 * u
                let alpha = Int(source[place + 3])
                let output = 4 * (y * target.width + x)
                for channel in 0..<3 {
                    bytes[output + channel] = UInt8((Int(source[place + channel]) * alpha + 127) / 255)
                }
                bytes[output + 3] = UInt8(alpha)
            }
        }
        return RasterImage(size: target, bytes: bytes)
    }
}
