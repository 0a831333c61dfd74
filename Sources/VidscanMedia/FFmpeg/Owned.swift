internal import CFFmpeg
internal import CFFmpegLog

/// A structure of libav with its own function to free it.
protocol Freeable {
    static func free(_ object: inout UnsafeMutablePointer<Self>?)
}

extension AVFrame: Freeable {
    static func free(_ object: inout UnsafeMutablePointer<AVFrame>?) { av_frame_free(&object) }
}

extension AVPacket: Freeable {
    static func free(_ object: inout UnsafeMutablePointer<AVPacket>?) { av_packet_free(&object) }
}

extension AVCodecContext: Freeable {
    static func free(_ object: inout UnsafeMutablePointer<AVCodecContext>?) { vs_free_codec(&object) }
}

extension AVFilterGraph: Freeable {
    static func free(_ object: inout UnsafeMutablePointer<AVFilterGraph>?) { avfilter_graph_free(&object) }
}

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
        var pointer: UnsafeMutablePointer<Object>? = pointer
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

    /// In units of the stream's time base.
    var decoding: Int64? {
        get { FFmpeg.timestamp(pointer.pointee.dts) }
        nonmutating set { pointer.pointee.dts = newValue ?? FFmpeg.noTimestamp }
    }

    func has(_ flag: Int32) -> Bool { pointer.pointee.flags & flag != 0 }
}
