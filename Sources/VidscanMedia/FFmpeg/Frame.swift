internal import CFFmpeg
internal import VidscanBase

/// The pixels return to their pool when the last frame that refers to them is destroyed.
typealias Frame = Owned<AVFrame>

extension Frame {
    /// Without pixels, for a decoder or a filter graph to fill.
    init() throws(MediaError) { try self.init(av_frame_alloc()) }
    init(sharing other: borrowing Frame) throws(MediaError) { try self.init(av_frame_clone(other.pointer)) }

    init(_ size: PictureSize, _ format: AVPixelFormat) throws(MediaError) {
        try self.init()
        pointer.pointee.width = Int32(size.width)
        pointer.pointee.height = Int32(size.height)
        pointer.pointee.format = format.rawValue
    }

    /// Pixels are uninitialised.
    static func allocate(_ size: PictureSize, _ format: AVPixelFormat) throws(MediaError) -> Frame {
        let frame = try Frame(size, format)
        guard av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory }
        return frame
    }

    var size: PictureSize { PictureSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }
    var pixelFormat: AVPixelFormat { AVPixelFormat(pointer.pointee.format) }

    func removeSideData(_ type: AVFrameSideDataType) { av_frame_remove_side_data(pointer, type) }
}

/// Makes 8-bit 4:2:0 frames that reuse memory. Use it from one thread. Allocating megabytes between small blocks
/// fragments the heap: hiding faces in a minute of 1920 × 1080 took 540 MB, and 300 MB with a pool.
final class FramePool {
    private var pool: OpaquePointer?
    private var size: PictureSize?

    deinit { av_buffer_pool_uninit(&pool) }

    /// In yuv420p, with uninitialised pixels and the properties of another frame.
    func frame(_ size: PictureSize, like other: borrowing Frame) throws(MediaError) -> Frame {
        let lines = (luma: aligned(size.width), chroma: aligned((size.width + 1) / 2))
        // As many rows as FFmpeg allocates itself: its functions may write whole blocks.
        let rows = (luma: (size.height + 31) & ~31, chroma: (size.height + 63) / 64 * 32)
        let bytes = (luma: lines.luma * rows.luma, chroma: lines.chroma * rows.chroma)
        if self.size != size {
            av_buffer_pool_uninit(&pool)
            pool = av_buffer_pool_init(bytes.luma + 2 * bytes.chroma + Self.alignment, nil)
            self.size = size
        }
        let frame = try Frame(size, AV_PIX_FMT_YUV420P)
        guard let pool, let buffer = av_buffer_pool_get(pool) else { throw .outOfMemory }
        frame.buf.0 = buffer
        let start = buffer.pointee.data.unsafelyUnwrapped
        (frame.data.0, frame.data.1, frame.data.2) = (start, start + bytes.luma, start + bytes.luma + bytes.chroma)
        (frame.linesize.0, frame.linesize.1) = (Int32(lines.luma), Int32(lines.chroma))
        frame.linesize.2 = Int32(lines.chroma)
        guard av_frame_copy_props(frame.pointer, other.pointer) >= 0 else { throw .outOfMemory }
        return frame
    }

    /// Copies the pixels of a yuv420p frame if another frame shares them.
    func makeWritable(_ frame: borrowing Frame) throws(MediaError) {
        guard av_frame_is_writable(frame.pointer) == 0 else { return }
        let copy = try self.frame(frame.size, like: frame)
        guard av_frame_copy(copy.pointer, frame.pointer) >= 0 else { throw .outOfMemory }
        av_frame_unref(frame.pointer)
        av_frame_move_ref(frame.pointer, copy.pointer)
    }

    private static let alignment = 64

    private func aligned(_ length: Int) -> Int { (length + Self.alignment - 1) & ~(Self.alignment - 1) }
}

/// Owns an `SwsContext`, which changes the size and the pixel format of frames.
struct Scaler: ~Copyable {
    private var context: OpaquePointer?
    private let flags: Int32

    init(flags: Int32) { self.flags = flags }

    deinit { sws_freeContext(context) }

    /// Converts to the size and the pixel format of `target`. `matrix` is one of `SWS_CS_…` for both sides; without it,
    /// libswscale's assumptions about the formats hold.
    mutating func scale(
        _ source: borrowing Frame, into target: borrowing Frame, matrix: Int32? = nil, fromFullRange: Bool = false,
        toFullRange: Bool = false
    ) throws(MediaError) {
        context = sws_getCachedContext(
            context, source.width, source.height, source.pixelFormat, target.width, target.height, target.pixelFormat,
            flags, nil, nil, nil)
        guard let context else {
            throw MediaError(.undecodable, "cannot convert the pixel format \(source.pixelFormat.name)")
        }
        if let matrix = matrix.map(sws_getCoefficients) {
            sws_setColorspaceDetails(
                context, matrix, fromFullRange ? 1 : 0, matrix, toFullRange ? 1 : 0, 0, 1 << 16, 1 << 16)
        }
        let result = vs_scale(context, source.pointer, target.pointer)
        guard result >= 0 else {
            throw MediaError(.undecodable, "cannot convert the pixels: \(FFmpeg.message(result))")
        }
    }
}
