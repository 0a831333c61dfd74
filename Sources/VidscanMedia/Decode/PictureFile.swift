internal import CFFmpeg
package import VidscanBase

package enum PictureFile {
    /// Enough for a sticker.
    package static let maximumPixels = 50_000_000

    /// The first frame, upright.
    package static func read(_ path: String) throws(MediaError) -> RasterImage {
        let reader = try FrameReader(
            path: path,
            options: FrameReader.Options(
                rate: .everyFrame, decoderThreads: 1, limits: MediaLimits(maximumPixels: maximumPixels)))
        guard let sample = try reader.next() else { throw MediaError(.noVideo, "contains no picture") }
        let frame = try Frame.allocate(sample.frame.size, AV_PIX_FMT_BGRA)
        var scaler = Scaler(flags: SWS_BICUBIC | SWS_ACCURATE_RND)
        try scaler.scale(sample.frame, into: frame)
        return upright(frame, orientation: sample.geometry.orientation)
    }

    /// Upright, with colours multiplied by opacity.
    private static func upright(_ frame: borrowing Frame, orientation: Orientation) -> RasterImage {
        let target = orientation.apply(to: frame.size)
        var bytes = [UInt8](repeating: 0, count: 4 * target.width * target.height)
        guard let source = frame.data.0 else { return RasterImage(size: target, bytes: bytes) }
        let stride = Int(frame.linesize.0)
        for y in 0..<target.height {
            for x in 0..<target.width {
                let (u, v) = (
                    orientation.mirrorsX ? target.width - 1 - x : x, orientation.mirrorsY ? target.height - 1 - y : y
                )
                let pixel = source + (orientation.swapsAxes ? u * stride + 4 * v : v * stride + 4 * u)
                let alpha = Int(pixel[3])
                let output = 4 * (y * target.width + x)
                for channel in 0..<3 { bytes[output + channel] = UInt8((Int(pixel[channel]) * alpha + 127) / 255) }
                bytes[output + 3] = UInt8(alpha)
            }
        }
        return RasterImage(size: target, bytes: bytes)
    }
}
