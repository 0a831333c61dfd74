internal import CFFmpeg
internal import VidscanBase

/// Owns an `AVCodecContext`: a decoder or an encoder.
///
/// The members of `AVCodecContext` are members of this type too: `context.width`, `context.thread_count = 1`.
@dynamicMemberLookup
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// Something that the codec's threads use, and that lives until they have ended.
    var attachment: AnyObject?

    /// A context that is not open yet.
    init(_ codec: UnsafePointer<AVCodec>?) throws(MediaError) {
        guard let pointer = avcodec_alloc_context3(codec) else { throw .outOfMemory }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<AVCodecContext, Value>) -> Value {
        get { pointer.pointee[keyPath: member] }
        nonmutating set { pointer.pointee[keyPath: member] = newValue }
    }

    /// Opens the codec that the context was made for.
    ///
    /// - Parameter failure: the beginning of the error's message.
    /// - Throws: `MediaError` with the code `unsupportedCodec`.
    func open(_ failure: String) throws(MediaError) {
        FFmpeg.beginErrors()
        let result = avcodec_open2(pointer, nil, nil)
        guard result >= 0 else { throw MediaError(.unsupportedCodec, "\(failure): \(FFmpeg.reason(result))") }
    }

    /// Encodes one frame by itself.
    ///
    /// - Parameter failure: the beginning of the error's message.
    /// - Returns: the bytes of an image file.
    func encode(_ frame: borrowing Frame, _ failure: String) throws(MediaError) -> [UInt8] {
        FFmpeg.beginErrors()
        let packet = try Packet()
        var result = avcodec_send_frame(pointer, frame.pointer)
        if result >= 0 { result = avcodec_send_frame(pointer, nil) }
        if result >= 0 { result = avcodec_receive_packet(pointer, packet.pointer) }
        guard result >= 0 else { throw MediaError(.io, "\(failure): \(FFmpeg.reason(result))") }
        return [UInt8](packet.bytes)
    }
}
