internal import CFFmpeg
internal import CFFmpegLog

final class VideoDecoder {
    enum Output: ~Copyable { case frame(Frame, isDamaged: Bool), needsPacket, ended }

    private let context: CodecContext
    private var damage = DamageTracker()
    /// Packets sent so far; the next packet's number.
    private var packetCount: Int64 = 0
    private(set) var damageCount = 0
    private(set) var lastError: String?

    init(stream: Stream, limits: MediaLimits, threads: Int) throws(MediaError) {
        let name = stream.pointee.codecName
        context = try CodecContext(decoding: stream, threads: threads, purpose: "its codec (\(name))")
        context.max_pixels = limits.decoderPixels
        guard vs_watch_errors(context.pointer) >= 0 else { throw .outOfMemory }
        try context.open("cannot open the \(name) decoder")
    }

    /// Receive all frames first. `skipUnreferenced` lets the decoder skip the frame if no other frame refers to it.
    /// - Parameter isReference: whether other pictures may refer to the packet's; `nil` if unknown.
    func send(_ packet: borrowing Packet, isReference: Bool?, skipUnreferenced: Bool) throws(MediaError) {
        damage.send(
            packetCount, presentation: packet.presentation, isKeyframe: packet.has(AV_PKT_FLAG_KEY),
            isReference: isReference)
        vs_number_packet(context.pointer, packet.pointer, packetCount)
        packetCount += 1
        try send(packet.pointer, skipUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT)
    }

    func end() throws(MediaError) { try send(nil, AVDISCARD_DEFAULT) }

    private func send(_ packet: UnsafeMutablePointer<AVPacket>?, _ skipping: AVDiscard) throws(MediaError) {
        context.skip_frame = skipping
        let result = avcodec_send_packet(context.pointer, packet)
        if result < 0, result != FFmpeg.endOfFile { try note(result) }
    }

    func receive() throws(MediaError) -> Output {
        let frame = try Frame()
        while true {
            let result = avcodec_receive_frame(context.pointer, frame.pointer)
            if result >= 0 {
                while case let number = vs_take_error(context.pointer, frame.pointer), number >= 0 {
                    damage.damage(number)
                    damageCount += 1
                }
                let isDamaged = damage.judge(
                    vs_packet_number(frame.pointer), timestamp: FFmpeg.timestamp(frame.best_effort_timestamp),
                    isBidirectional: frame.pict_type == AV_PICTURE_TYPE_B)
                return .frame(frame, isDamaged: isDamaged)
            }
            if result == FFmpeg.tryAgain { return .needsPacket }
            if result == FFmpeg.endOfFile { return .ended }
            try note(result)
        }
    }

    func flush() { avcodec_flush_buffers(context.pointer) }

    private func note(_ result: Int32) throws(MediaError) {
        guard result != FFmpeg.outOfMemory else { throw .outOfMemory }
        damageCount += 1
        lastError = FFmpeg.message(result)
    }
}

/// Detects H.264 packets that hold a single field. Two such packets make one frame.
final class FieldDetector {
    enum Structure {
        case frame, firstField
        /// Completes the previous packet's frame.
        case secondField
    }

    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: CodecContext
    /// The parity of a first field that still waits for its second.
    private var unpaired: AVPictureStructure?

    /// `nil` for codecs whose packets always hold whole frames.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_H264,
            let context = try? CodecContext(avcodec_find_decoder(AV_CODEC_ID_H264)),
            avcodec_parameters_to_context(context.pointer, parameters) >= 0,
            let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue))
        else { return nil }
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        self.parser = parser
        self.context = context
    }

    deinit { av_parser_close(parser) }

    /// Takes every packet in decoding order.
    func structure(of packet: borrowing Packet) -> Structure {
        guard packet.size > 0, let data = packet.data else { return .frame }
        var output: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        av_parser_parse2(
            parser, context.pointer, &output, &size, data, packet.size, FFmpeg.noTimestamp, FFmpeg.noTimestamp,
            packet.pos)
        let structure = parser.pointee.picture_structure
        guard structure == AV_PICTURE_STRUCTURE_TOP_FIELD || structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD else {
            unpaired = nil
            return .frame
        }
        if let first = unpaired, first != structure {
            unpaired = nil
            return .secondField
        }
        unpaired = structure
        return .firstField
    }
}

/// Decides which frames come from damaged data: those whose packets the decoder reported, and those decoded after them up to
/// the next keyframe, because they may be predicted from them.
///
/// Only pictures to which others refer pass damage on. Whether other pictures are decoded depends on the samples, and the
/// decision must be the same for a segment as for the whole video. Packets are numbered in sending order.
struct DamageTracker {
    /// `firstDamage`: the first damaged picture to which others may refer.
    private typealias Sequence = (first: Int64, presentation: Int64?, firstDamage: Int64?)

    /// Whether other pictures may refer to that of a packet, by its number, if known. Those whose frames have not come out.
    private var references: [Int64: Bool] = [:]
    /// The last frame's sequence, and those after it.
    private var sequences: [Sequence] = [(0, nil, nil)]
    /// Those whose frames have not come out.
    private var damaged: Set<Int64> = []

    /// More packets than any decoder holds.
    private static let reach: Int64 = 256

    mutating func send(_ number: Int64, presentation: Int64?, isKeyframe: Bool, isReference: Bool?) {
        references[number] = isReference
        if isKeyframe { sequences.append((number, presentation, nil)) }
    }

    mutating func damage(_ number: Int64) {
        damaged.insert(number)
        guard references[number] != false, let index = sequences.lastIndex(where: { $0.first <= number })
        else { return }
        sequences[index].firstDamage = min(sequences[index].firstDamage ?? number, number)
    }

    /// Whether the decoder's next frame comes from damaged data. All errors up to its own packet must be known.
    /// `isBidirectional`: a B picture. In codecs whose bitstream is not examined, no picture refers to it.
    mutating func judge(_ number: Int64, timestamp: Int64?, isBidirectional: Bool) -> Bool {
        // A picture shown before a keyframe, but after it in the file, may refer to the sequence before.
        while sequences.count > 1, sequences[1].first <= number,
            (sequences[1].presentation ?? .min) <= timestamp ?? .max
        { sequences.removeFirst() }
        let isDamaged = damaged.remove(number) != nil
        if isDamaged, isBidirectional, references[number] == nil,
            let index = sequences.firstIndex(where: { $0.firstDamage == number })
        {
            sequences[index].firstDamage = nil
        }
        references = references.filter { $0.key != number && $0.key >= number - Self.reach }
        damaged = damaged.filter { $0 >= number - Self.reach }
        return isDamaged || sequences.contains { $0.first <= number && $0.firstDamage ?? .max < number }
    }
}
