internal import CFFmpeg
internal import VidscanBase

/// Owns an `SwsContext`, which changes the size and the pixel format of frames.
struct Scaler: ~Copyable {
    private var context: OpaquePointer?
    private let flags: Int32

    /// - Parameter flags: of libswscale, `SWS_…`.
    init(flags: Int32) {
        self.flags = flags
    }

    deinit { sws_freeContext(context) }

    /// How code values mean colours on one side of a conversion.
    struct Colors {
        /// `SWS_CS_…`; the same on both sides.
        var matrix: Int32
        var sourceIsFullRange: Bool
        var targetIsFullRange: Bool
    }

    /// Converts a frame into another frame, with the size and the pixel format of that one.
    ///
    /// - Parameter colors: `nil` takes what libswscale assumes of the two formats.
    /// - Throws: `MediaError` with the code `undecodable` for a pixel format that libswscale cannot convert.
    mutating func scale(
        _ source: borrowing Frame, into target: borrowing Frame, colors: Colors? = nil
    ) throws(MediaError) {
        context = sws_getCachedContext(
            context, source.width, source.height, source.pixelFormat, target.width, target.height, target.pixelFormat,
            flags, nil, nil, nil)
        guard let context else {
            throw MediaError(.undecodable, "cannot convert the pixel format \(source.pixelFormat.name)")
        }
        if let colors {
            let matrix = sws_getCoefficients(colors.matrix)
            sws_setColorspaceDetails(
                context, matrix, colors.sourceIsFullRange ? 1 : 0, matrix, colors.targetIsFullRange ? 1 : 0, 0,
                1 << 16, 1 << 16)
        }
        let result = vs_scale(context, source.pointer, target.pointer)
        guard result >= 0 else {
            throw MediaError(.undecodable, "cannot convert the pixels: \(FFmpeg.message(result))")
        }
    }
}

extension AVPixelFormat {
    /// FFmpeg's name: `yuv420p`.
    var name: String { av_get_pix_fmt_name(self).map { String(cString: $0) } ?? "unknown" }

    var descriptor: AVPixFmtDescriptor? { av_pix_fmt_desc_get(self)?.pointee }
}

extension AVPixFmtDescriptor {
    /// R'G'B' in components, or through a palette.
    var isRGB: Bool { flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 }
}
