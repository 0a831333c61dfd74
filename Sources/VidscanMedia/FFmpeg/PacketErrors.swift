internal import CFFmpeg
internal import CFFmpegLog

/// Which packets a decoder has reported errors about, by the numbers under which they were sent.
final class PacketErrors {
    private let list: OpaquePointer

    /// Watches a decoder, which keeps this object.
    init(of decoder: UnsafeMutablePointer<AVCodecContext>) throws(MediaError) {
        guard let list = vs_watch_errors(decoder) else { throw .outOfMemory }
        self.list = list
    }

    deinit { vs_free_errors(list) }

    /// The packets about which errors were reported since the last call. They include the frame's own packet and all packets
    /// before it.
    func take(at frame: borrowing Frame) -> [Int64] {
        var numbers: [Int64] = []
        while case let number = vs_take_error(list, frame.pointer), number >= 0 { numbers.append(number) }
        return numbers
    }
}
