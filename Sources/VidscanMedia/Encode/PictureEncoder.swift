internal import CFFmpeg
package import VidscanBase

package enum PictureFormat: String, Sendable, CaseIterable {
    case jpg, png

    package init?(path: String) {
        let suffix = FilePath.fileExtension(of: path)
        self.init(rawValue: suffix == "jpeg" ? "jpg" : suffix)
    }

    /// JPEG for a JPEG file; PNG, which loses nothing, for the others.
    package init(of info: VideoInfo) { self = info.codec == "mjpeg" ? .jpg : .png }
}

package enum PictureEncoder {
    /// Writes no metadata. `frame` is upright, 8-bit 4:2:0; its pixels beyond `size` are left out.
    static func encode(
        _ frame: borrowing Frame, size: PictureSize, as format: PictureFormat
    ) throws(MediaError) -> [UInt8] {
        let source = try Frame(sharing: frame)
        (source.width, source.height) = (Int32(size.width), Int32(size.height))
        let rgb = try Frame.allocate(size, AV_PIX_FMT_RGB24)
        var toRGB = Scaler(flags: exact)
        try toRGB.scale(
            source, into: rgb, matrix: ColorMatrix(source).scaling, fromFullRange: ColorMatrix.isFullRange(source),
            toFullRange: true)
        rgb.color_range = AVCOL_RANGE_JPEG
        guard format == .jpg else { return try encode(rgb, as: .png) }
        // JPEG files use BT.601 in full range.
        let picture = try Frame.allocate(size, AV_PIX_FMT_YUVJ420P)
        var toJPEG = Scaler(flags: exact)
        try toJPEG.scale(rgb, into: picture, matrix: SWS_CS_ITU601, fromFullRange: true, toFullRange: true)
        return try encode(picture, as: .jpg, quality: 2)
    }

    /// `tensor`: R', G', B' planes of `side` × `side` in 0…255, as from `SquareCropper`. `side`: in pixels, even.
    package static func jpeg(_ tensor: UnsafePointer<Float>, side: Int) throws(MediaError) -> [UInt8] {
        let (size, area) = (PictureSize(width: side, height: side), side * side)
        let pixels = try Frame.allocate(size, AV_PIX_FMT_RGB24)
        let frame = try Frame.allocate(size, AV_PIX_FMT_YUVJ420P)
        guard let rows = pixels.data.0 else { throw .outOfMemory }
        for index in 0..<area {
            let pixel = rows + index / side * Int(pixels.linesize.0) + index % side * 3
            for plane in 0..<3 { pixel[plane] = UInt8(min(max(tensor[plane * area + index], 0), 255).rounded()) }
        }
        var scaler = Scaler(flags: exact)
        try scaler.scale(pixels, into: frame, matrix: SWS_CS_ITU601, fromFullRange: true, toFullRange: true)
        return try encode(frame, as: .jpg, quality: 4, namesEncoder: true)
    }

    /// `frame`: in rgb24 for PNG, in yuvj420p for JPEG. `quality`: of a JPEG, on the scale of libavcodec: 1 (best) to
    /// 31. `namesEncoder`: writes the encoder's name into a comment.
    static func encode(
        _ frame: borrowing Frame, as format: PictureFormat, quality: Int32 = 0, namesEncoder: Bool = false
    ) throws(MediaError) -> [UInt8] {
        let failure = "cannot write a \(format == .png ? "PNG" : "JPEG")"
        guard let codec = avcodec_find_encoder(format == .png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG) else {
            throw MediaError(.unsupportedCodec, "\(failure): this FFmpeg has no encoder for it")
        }
        let context = try CodecContext(codec)
        (context.width, context.height) = (frame.width, frame.height)
        context.time_base = AVRational(num: 1, den: 1)
        context.pix_fmt = frame.pixelFormat
        context.thread_count = 1
        if !namesEncoder { context.flags |= Int32(AV_CODEC_FLAG_BITEXACT) }
        if format == .jpg {
            context.flags |= Int32(AV_CODEC_FLAG_QSCALE)
            context.global_quality = quality * Int32(FF_QP2LAMBDA)
            frame.quality = context.global_quality
        }
        try context.open(failure)
        var bytes: [UInt8] = []
        for sent in [frame.pointer, nil] { try context.encode(sent, failure) { bytes += $0.bytes } }
        return bytes
    }

    private static var exact: Int32 { SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT }
}

package enum PictureFile {
    /// Enough for a sticker.
    package static let maximumPixels = 50_000_000

    /// The first frame, upright.
    package static func read(_ path: String) throws(MediaError) -> RasterImage {
        let limits = MediaLimits(maximumPixels: maximumPixels)
        let options = FrameReader.Options(rate: .everyFrame, decoderThreads: 1, limits: limits)
        let reader = try FrameReader(path: path, options: options)
        guard let sample = try reader.next() else { throw MediaError(.noVideo, "contains no picture") }
        let frame = try Frame.allocate(sample.frame.size, AV_PIX_FMT_BGRA)
        var scaler = Scaler(flags: SWS_BICUBIC | SWS_ACCURATE_RND)
        try scaler.scale(sample.frame, into: frame)
        return upright(frame, orientation: sample.geometry.orientation)
    }

    private static func upright(_ frame: borrowing Frame, orientation: Orientation) -> RasterImage {
        let target = orientation.apply(to: frame.size)
        var bytes = [UInt8](repeating: 0, count: 4 * target.width * target.height)
        guard let source = frame.data.0 else { return RasterImage(size: target, bytes: bytes) }
        let stride = Int(frame.linesize.0)
        for y in 0..<target.height {
            for x in 0..<target.width {
                let u = orientation.mirrorsX ? target.width - 1 - x : x
                let v = orientation.mirrorsY ? target.height - 1 - y : y
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
