internal import CFFmpeg
internal import VidscanBase

/// Makes frames in 8-bit 4:2:0 whose memory is used again when their pixels are no longer needed. Use it from one thread.
///
/// Allocated and freed for every frame between smaller blocks, memory of several megabytes fragments the heap: hiding faces in
/// a minute of 1920 × 1080 took 540 MB, and 300 MB with a pool.
final class FramePool {
    private var pool: OpaquePointer?
    private var size: PictureSize?

    deinit { av_buffer_pool_uninit(&pool) }

    /// Returns a frame with uninitialised pixels, in yuv420p.
    func frame(_ size: PictureSize) throws(MediaError) -> Frame {
        let lines = (luma: aligned(size.width), chroma: aligned((size.width + 1) / 2))
        // As many rows as FFmpeg allocates itself: its functions may write whole blocks.
        let rows = (luma: (size.height + 31) & ~31, chroma: (size.height + 63) / 64 * 32)
        let bytes = (luma: lines.luma * rows.luma, chroma: lines.chroma * rows.chroma)
        if self.size != size {
            av_buffer_pool_uninit(&pool)
            pool = av_buffer_pool_init(bytes.luma + 2 * bytes.chroma + Self.alignment, nil)
            self.size = size
        }
        let frame = try Frame()
        guard let pool, let buffer = av_buffer_pool_get(pool) else { throw .outOfMemory }
        frame.width = Int32(size.width)
        frame.height = Int32(size.height)
        frame.format = AV_PIX_FMT_YUV420P.rawValue
        frame.buf.0 = buffer
        let start = buffer.pointee.data.unsafelyUnwrapped
        frame.data.0 = start
        frame.data.1 = start + bytes.luma
        frame.data.2 = start + bytes.luma + bytes.chroma
        frame.linesize.0 = Int32(lines.luma)
        frame.linesize.1 = Int32(lines.chroma)
        frame.linesize.2 = Int32(lines.chroma)
        return frame
    }

    /// Copies the pixels of a frame in yuv420p if another frame shares them.
    func makeWritable(_ frame: borrowing Frame) throws(MediaError) {
        guard av_frame_is_writable(frame.pointer) == 0 else { return }
        let copy = try self.frame(frame.size)
        guard av_frame_copy(copy.pointer, frame.pointer) >= 0, av_frame_copy_props(copy.pointer, frame.pointer) >= 0
        else { throw .outOfMemory }
        av_frame_unref(frame.pointer)
        av_frame_move_ref(frame.pointer, copy.pointer)
    }

    private static let alignment = 64

    private func aligned(_ length: Int) -> Int { (length + Self.alignment - 1) & ~(Self.alignment - 1) }
}
