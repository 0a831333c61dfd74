internal import CFFmpeg
internal import VidscanBase

/// One sampled picture: decoded planes, never rotated nor converted, with its place in time and on the screen.
///
/// Its memory is the decoder's and goes back to the decoder's pool when the last reference ends.
///
/// `@unchecked Sendable`: the planes are written by the decoder before this object exists, and only read afterwards.
public final class SampledFrame: @unchecked Sendable {
    /// Counts samples from 0, without a gap.
    public let sequence: Int
    /// Index in presentation order among all frames of the stream, from 0.
    public let index: Int64
    /// Microseconds since the container's start.
    public let microseconds: Int64
    /// How many times the file's timestamps have jumped before it. Nothing is linked across a jump.
    public let epoch: Int
    public let geometry: DisplayGeometry

    /// In the stream's time base.
    let timestamp: Int64
    let frame: UnsafeMutablePointer<AVFrame>

    /// Takes ownership of `frame`.
    init(
        frame: UnsafeMutablePointer<AVFrame>, sequence: Int, index: Int64, timestamp: Int64, microseconds: Int64,
        epoch: Int, geometry: DisplayGeometry
    ) {
        self.frame = frame
        self.sequence = sequence
        self.index = index
        self.timestamp = timestamp
        self.microseconds = microseconds
        self.epoch = epoch
        self.geometry = geometry
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
    }

    /// Memory of the planes.
    public var byteCount: Int {
        max(0, Int(av_image_get_buffer_size(pixelFormat, frame.pointee.width, frame.pointee.height, 32)))
    }

    /// FFmpeg's name of the pixel format: `yuv420p`.
    public var pixelFormatName: String { av_get_pix_fmt_name(pixelFormat).map { String(cString: $0) } ?? "unknown" }

    var pixelFormat: AVPixelFormat { AVPixelFormat(frame.pointee.format) }

    /// MD5 of the planes' pixels row by row without padding, in hexadecimal: what FFmpeg's `framemd5` prints.
    ///
    /// - Throws: `MediaError` when memory runs out.
    public func md5() throws(MediaError) -> String {
        let count = av_image_get_buffer_size(pixelFormat, frame.pointee.width, frame.pointee.height, 1)
        guard count >= 0, let buffer = av_malloc(Int(count)) else {
            throw MediaError(.io, "cannot copy a frame: \(Libav.message(min(count, Libav.outOfMemory)))")
        }
        defer { av_free(buffer) }
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        let copied = withUnsafePointer(to: frame.pointee.data) { data in
            withUnsafePointer(to: frame.pointee.linesize) { linesize in
                data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { planes in
                    linesize.withMemoryRebound(to: Int32.self, capacity: 8) { strides in
                        av_image_copy_to_buffer(
                            bytes, count, planes, strides, pixelFormat, frame.pointee.width, frame.pointee.height, 1)
                    }
                }
            }
        }
        guard copied >= 0 else { throw MediaError(.io, "cannot copy a frame: \(Libav.message(copied))") }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
            av_md5_sum(digest.baseAddress, bytes, Int(count))
            return Hexadecimal.string(digest)
        }
    }
}
