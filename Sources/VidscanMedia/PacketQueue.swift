internal import CFFmpeg
internal import VidscanBase

/// Owns packets that wait for a decision, oldest first.
final class PacketQueue: Sequence {
    private var packets: [UnsafeMutablePointer<AVPacket>] = []

    deinit {
        for packet in packets { PacketQueue.free(packet) }
    }

    func append(_ packet: UnsafeMutablePointer<AVPacket>) {
        packets.append(packet)
    }

    var count: Int { packets.count }

    /// Counts from the oldest; the queue keeps the packet.
    subscript(position: Int) -> UnsafeMutablePointer<AVPacket> { packets[position] }

    /// Hands the oldest packet to the caller, who frees it.
    func removeFirst() -> UnsafeMutablePointer<AVPacket>? {
        packets.isEmpty ? nil : packets.removeFirst()
    }

    func removeAll() {
        for packet in packets { PacketQueue.free(packet) }
        packets.removeAll()
    }

    func makeIterator() -> Array<UnsafeMutablePointer<AVPacket>>.Iterator {
        packets.makeIterator()
    }

    static func allocate() throws(MediaError) -> UnsafeMutablePointer<AVPacket> {
        guard let packet = av_packet_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        return packet
    }

    static func free(_ packet: UnsafeMutablePointer<AVPacket>) {
        var optional: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&optional)
    }
}
