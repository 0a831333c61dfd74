internal import CFFmpeg

/// Owns an `AVPacket` and its data. Its members are members of this type: `packet.stream_index`.
@dynamicMemberLookup
struct Packet: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(MediaError) {
        guard let pointer = av_packet_alloc() else { throw .outOfMemory }
        self.pointer = pointer
    }

    init(sharing other: borrowing Packet) throws(MediaError) {
        guard let pointer = av_packet_clone(other.pointer) else { throw .outOfMemory }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<AVPacket, Value>) -> Value {
        get { pointer.pointee[keyPath: member] }
        nonmutating set { pointer.pointee[keyPath: member] = newValue }
    }

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
