internal import CFFmpeg
internal import CFFmpegLog
internal import VidscanBase

/// A structure of libav with its own function to free it.
protocol Freeable {
    typealias Handle = UnsafeMutablePointer<Self>?
    static func free(_ object: inout Handle)
}

extension AVFrame: Freeable { static func free(_ object: inout Handle) { av_frame_free(&object) } }
extension AVPacket: Freeable { static func free(_ object: inout Handle) { av_packet_free(&object) } }
extension AVCodecContext: Freeable { static func free(_ object: inout Handle) { vs_free_codec(&object) } }
extension AVFilterGraph: Freeable { static func free(_ object: inout Handle) { avfilter_graph_free(&object) } }

/// Owns a structure of libav, whose members are members of this type: `frame.width`.
@dynamicMemberLookup
struct Owned<Object: Freeable>: ~Copyable {
    let pointer: UnsafeMutablePointer<Object>

    /// Takes over what an allocating function returns: `nil` if memory runs out.
    init(_ allocated: UnsafeMutablePointer<Object>?) throws(MediaError) {
        guard let allocated else { throw .outOfMemory }
        pointer = allocated
    }

    deinit {
        var pointer: Object.Handle = pointer
        Object.free(&pointer)
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<Object, Value>) -> Value {
        get { pointer.pointee[keyPath: member] }
        nonmutating set { pointer.pointee[keyPath: member] = newValue }
    }
}

typealias Packet = Owned<AVPacket>

extension Packet {
    init() throws(MediaError) { try self.init(av_packet_alloc()) }
    init(sharing other: borrowing Packet) throws(MediaError) { try self.init(av_packet_clone(other.pointer)) }

    /// Valid while the packet lives and is not changed.
    var bytes: UnsafeBufferPointer<UInt8> {
        let data = pointer.pointee.data
        return UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(max(0, pointer.pointee.size)))
    }

    /// In units of the stream's time base.
    var presentation: Int64? {
        get { FFmpeg.timestamp(pointer.pointee.pts) }
        nonmutating set { pointer.pointee.pts = newValue ?? FFmpeg.noTimestamp }
    }

    var decoding: Int64? {
        get { FFmpeg.timestamp(pointer.pointee.dts) }
        nonmutating set { pointer.pointee.dts = newValue ?? FFmpeg.noTimestamp }
    }

    func has(_ flag: Int32) -> Bool { pointer.pointee.flags & flag != 0 }
}

typealias CodecContext = Owned<AVCodecContext>

extension CodecContext {
    init(_ codec: UnsafePointer<AVCodec>?) throws(MediaError) { try self.init(avcodec_alloc_context3(codec)) }

    /// Does not open the decoder. `purpose` is the end of the error's message.
    init(decoding stream: Stream, threads: Int, purpose: String) throws(MediaError) {
        // FFmpeg's own decoders of VP8 and VP9 leave out transparency.
        let names = [AV_CODEC_ID_VP8.rawValue: "libvpx", AV_CODEC_ID_VP9.rawValue: "libvpx-vp9"]
        let name = stream.pointee.isTransparent ? names[stream.pointee.codec.rawValue] : nil
        let named = name.flatMap { avcodec_find_decoder_by_name($0) }
        guard let codec = named ?? avcodec_find_decoder(stream.pointee.codec) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no decoder for \(purpose)")
        }
        try self.init(codec)
        avcodec_parameters_to_context(pointer, stream.pointee.codecpar)
        pointer.pointee.pkt_timebase = stream.pointee.time_base
        pointer.pointee.thread_count = Int32(threads)
    }

    /// - Parameter failure: the beginning of the error's message.
    func open(_ failure: String) throws(MediaError) {
        FFmpeg.beginErrors()
        let result = avcodec_open2(pointer, nil, nil)
        guard result >= 0 else { throw MediaError(.unsupportedCodec, "\(failure): \(FFmpeg.reason(result))") }
    }

    typealias Receive = (borrowing Packet) throws(MediaError) -> Void

    /// A `nil` frame ends the stream.
    func encode(_ frame: UnsafeMutablePointer<AVFrame>?, _ failure: String, _ receive: Receive) throws(MediaError) {
        let packet = try Packet()
        FFmpeg.beginErrors()
        var result = avcodec_send_frame(pointer, frame)
        while result >= 0 {
            result = avcodec_receive_packet(pointer, packet.pointer)
            if result == FFmpeg.tryAgain || result == FFmpeg.endOfFile { return }
            guard result >= 0 else { break }
            try receive(packet)
            av_packet_unref(packet.pointer)
        }
        throw MediaError(.io, "\(failure): \(FFmpeg.reason(result))")
    }
}

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
        let code = vs_scale(context, source.pointer, target.pointer)
        guard code >= 0 else { throw MediaError(.undecodable, "cannot convert the pixels: \(FFmpeg.message(code))") }
    }
}
