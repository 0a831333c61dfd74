internal import CFFmpeg
internal import CFFmpegLog
internal import VidscanBase

/// Owns an `AVCodecContext`: a decoder or an encoder. Its members are members of this type: `context.width`.
@dynamicMemberLookup
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// Used by the codec's threads; must live until they have ended.
    var attachment: AnyObject?

    init(_ codec: UnsafePointer<AVCodec>?) throws(MediaError) {
        guard let pointer = avcodec_alloc_context3(codec) else { throw .outOfMemory }
        self.pointer = pointer
    }

    /// Does not open the decoder. `purpose` is the end of the error's message.
    init(decoding stream: UnsafeMutablePointer<AVStream>, threads: Int, purpose: String) throws(MediaError) {
        guard let codec = avcodec_find_decoder(stream.pointee.codec) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no decoder for \(purpose)")
        }
        try self.init(codec)
        avcodec_parameters_to_context(pointer, stream.pointee.codecpar)
        pointer.pointee.pkt_timebase = stream.pointee.time_base
        pointer.pointee.thread_count = Int32(threads)
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<AVCodecContext, Value>) -> Value {
        get { pointer.pointee[keyPath: member] }
        nonmutating set { pointer.pointee[keyPath: member] = newValue }
    }

    /// - Parameter failure: the beginning of the error's message.
    func open(_ failure: String) throws(MediaError) {
        FFmpeg.beginErrors()
        let result = avcodec_open2(pointer, nil, nil)
        guard result >= 0 else { throw MediaError(.unsupportedCodec, "\(failure): \(FFmpeg.reason(result))") }
    }

    typealias Receive = (borrowing Packet) throws(MediaError) -> Void

    /// A `nil` frame ends the stream. `packet` holds one packet after the other.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, into packet: borrowing Packet, _ failure: String, _ receive: Receive
    ) throws(MediaError) {
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

/// The packets, by sending number, about which a decoder has reported errors.
final class PacketErrors {
    private let list: OpaquePointer

    /// Watches a decoder, which keeps this object.
    init(of decoder: UnsafeMutablePointer<AVCodecContext>) throws(MediaError) {
        guard let list = vs_watch_errors(decoder) else { throw .outOfMemory }
        self.list = list
    }

    deinit { vs_free_errors(list) }

    /// Packets with errors since the last call. Errors up to the frame's own packet are all included.
    func take(at frame: borrowing Frame) -> [Int64] {
        var numbers: [Int64] = []
        while case let number = vs_take_error(list, frame.pointer), number >= 0 { numbers.append(number) }
        return numbers
    }
}
