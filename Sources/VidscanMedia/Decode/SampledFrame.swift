internal import CFFmpeg
internal import VidscanBase

/// A sampled frame: its decoded planes, neither rotated nor converted, its time, and its geometry on the screen.
///
/// The memory belongs to the decoder's pool and goes back there when the last reference ends.
///
/// `@unchecked Sendable`: the decoder writes the planes before this object exists. Afterwards they are only read.
public final class SampledFrame: @unchecked Sendable {
    /// Number of this sample, from 0, without gaps.
    public let sequence: Int
    /// Index in presentation order among all frames of the stream, from 0.
    public let index: Int64
    /// Microseconds since the container's start.
    public let microseconds: Int64
    /// Number of timestamp discontinuities before this frame. Nothing is linked across a discontinuity.
    public let epoch: Int
    public let geometry: DisplayGeometry
    /// Whether the frame, or one that it may be predicted from, comes from damaged data.
    public let isDamaged: Bool

    /// In units of the stream's time base.
    let timestamp: Int64
    let frame: Frame

    init(
        frame: consuming Frame, sequence: Int, index: Int64, timestamp: Int64, microseconds: Int64, epoch: Int,
        geometry: DisplayGeometry, isDamaged: Bool
    ) {
        self.frame = frame
        self.sequence = sequence
        self.index = index
        self.timestamp = timestamp
        self.microseconds = microseconds
        self.epoch = epoch
        self.geometry = geometry
        self.isDamaged = isDamaged
    }

    /// Bytes of the planes in memory.
    public var byteCount: Int {
        max(0, Int(av_image_get_buffer_size(frame.pixelFormat, frame.width, frame.height, 32)))
    }

    /// FFmpeg's name of the pixel format: `yuv420p`.
    public var pixelFormatName: String { frame.pixelFormat.name }

    /// MD5 of the pixels, row by row without padding, in hexadecimal. FFmpeg's `framemd5` muxer prints the same.
    ///
    /// - Throws: `MediaError` when memory runs out.
    public func md5() throws(MediaError) -> String {
        let count = av_image_get_buffer_size(frame.pixelFormat, frame.width, frame.height, 1)
        guard count >= 0, let buffer = av_malloc(Int(count)) else { throw .outOfMemory }
        defer { av_free(buffer) }
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        let copied = vs_copy_pixels(bytes, count, frame.pointer)
        guard copied >= 0 else { throw MediaError(.io, "cannot copy a frame: \(FFmpeg.message(copied))") }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
            av_md5_sum(digest.baseAddress, bytes, Int(count))
            return Hexadecimal.string(digest)
        }
    }
}
