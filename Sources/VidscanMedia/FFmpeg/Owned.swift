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
        guard let codec = avcodec_find_decoder(stream.pointee.codec) else {
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
