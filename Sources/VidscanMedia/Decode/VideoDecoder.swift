internal import CFFmpeg
internal import CFFmpegLog
internal import DequeModule

/// Decodes the packets of one stream. The frames do not depend on the number of threads.
///
/// Decoder threads do not wait until a neighbouring frame's damage is concealed, so frames predicted from it would depend on
/// timing. At the first sign of damage, a single thread therefore repeats the frames that are still in the decoder, and goes on
/// alone until a long stretch of the video is free of damage.
final class VideoDecoder {
    enum Output: ~Copyable { case frame(Frame, isDamaged: Bool), needsPacket, ended }

    private let stream: Stream
    private let limits: MediaLimits
    private let threads: Int
    private var context: CodecContext
    private var damage = DamageTracker()
    /// Packets sent so far; the next packet's number.
    private var packetCount: Int64 = 0
    private(set) var damageCount = 0
    private(set) var lastError: String?
    /// `nil` where frames never depend on timing.
    private var history: PacketHistory?
    /// The next packet of the history to send again; `nil` if all have been sent.
    private var resending: Int?
    /// The last damaged packet while a single thread decodes; `nil` while several do.
    private var lastDamage: Int64?
    private var isDraining = false

    /// How many columns or rows of the coded picture are not shown.
    var croppedPixels: Int { Int(max(context.coded_width - context.width, context.coded_height - context.height)) }

    init(stream: Stream, limits: MediaLimits, threads: Int) throws(MediaError) {
        (self.stream, self.limits, self.threads) = (stream, limits, threads)
        context = try Self.open(stream, limits, threads: threads)
        let isIntraOnly = avcodec_descriptor_get(stream.pointee.codec).pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
        if context.active_thread_type != 0, threads > 1, !isIntraOnly { history = PacketHistory() }
    }

    private static func open(_ stream: Stream, _ limits: MediaLimits, threads: Int) throws(MediaError) -> CodecContext {
        let name = stream.pointee.codec.name
        let context = try CodecContext(decoding: stream, threads: threads, purpose: "its codec (\(name))")
        context.max_pixels = limits.decoderPixels
        guard vs_prepare_decoder(context.pointer) >= 0 else { throw .outOfMemory }
        try context.open("cannot open the \(name) decoder")
        return context
    }

    /// Receive all frames first. `skipUnreferenced` lets the decoder skip the frame if no other frame refers to it.
    /// - Parameter isReference: whether other pictures may refer to the packet's; `nil` if unknown.
    func send(_ packet: borrowing Packet, isReference: Bool?, skipUnreferenced: Bool) throws(MediaError) {
        damage.send(
            packetCount, presentation: packet.presentation, isKeyframe: packet.has(AV_PKT_FLAG_KEY),
            isReference: isReference)
        let sent = PacketHistory.Entry(
            packet: try Packet(sharing: packet), number: packetCount,
            skipping: skipUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT)
        packetCount += 1
        history?.append(sent)
        if let lastDamage, history?.isSound(since: lastDamage) == true {
            self.lastDamage = nil
            return try restart(threads: threads)
        }
        if packet.has(AV_PKT_FLAG_CORRUPT), try decodeAlone() { return }
        try send(sent)
    }

    /// Sends the end of the stream. Receive all frames, then flush before another packet.
    func end() throws(MediaError) {
        isDraining = true
        try send(nil)
    }

    private func send(_ sent: PacketHistory.Entry?) throws(MediaError) {
        context.skip_frame = sent?.skipping ?? AVDISCARD_DEFAULT
        if let sent { vs_number_packet(context.pointer, sent.packet.pointer, sent.number) }
        let result = avcodec_send_packet(context.pointer, sent?.packet.pointer)
        if result < 0, result != FFmpeg.endOfFile { try note(result) }
    }

    func receive() throws(MediaError) -> Output {
        let frame = try Frame()
        while true {
            switch avcodec_receive_frame(context.pointer, frame.pointer) {
            case FFmpeg.tryAgain: if try !resendNext() { return .needsPacket }
            case FFmpeg.endOfFile: return .ended
            case let result where result < 0: try note(result)
            default:
                guard try !takeErrors(frame) else { continue }
                let number = vs_packet_number(frame.pointer)
                guard history?.receive(number, isRepeating: resending != nil) != false else { continue }
                let isDamaged = damage.judge(
                    number, timestamp: FFmpeg.timestamp(frame.best_effort_timestamp),
                    isBidirectional: frame.pict_type == AV_PICTURE_TYPE_B)
                return .frame(frame, isDamaged: isDamaged)
            }
        }
    }

    func flush() {
        avcodec_flush_buffers(context.pointer)
        (isDraining, resending) = (false, nil)
        if history != nil { history = PacketHistory() }
    }

    /// Returns whether decoding starts again before the frame.
    private func takeErrors(_ frame: borrowing Frame) throws(MediaError) -> Bool {
        while case let number = vs_take_error(context.pointer, frame.pointer), number >= 0 {
            guard history?.wasSound(number) != true else { continue }
            if try decodeAlone() { return true }
            if lastDamage != nil { lastDamage = max(number, lastDamage ?? number) }
            damage.damage(number)
            damageCount += 1
        }
        return false
    }

    private func note(_ result: Int32) throws(MediaError) {
        guard result != FFmpeg.outOfMemory else { throw .outOfMemory }
        if let resending, let sent = history?.entries[resending - 1].number, history?.wasSound(sent) == true { return }
        if try decodeAlone() { return }
        damageCount += 1
        lastError = FFmpeg.message(result)
    }

    /// Returns `false` if a single thread decodes already, or if packets that it needs were dropped.
    private func decodeAlone() throws(MediaError) -> Bool {
        guard lastDamage == nil, history?.isComplete == true else { return false }
        lastDamage = packetCount
        try restart(threads: 1)
        return true
    }

    private func restart(threads: Int) throws(MediaError) {
        context = try Self.open(stream, limits, threads: threads)
        history?.repeatAll()
        resending = 0
        _ = try resendNext()
    }

    private func resendNext() throws(MediaError) -> Bool {
        guard let index = resending, let entries = history?.entries else { return false }
        if index < entries.count {
            resending = index + 1
            try send(entries[index])
            return true
        }
        resending = nil
        if isDraining { try send(nil) }
        return isDraining
    }
}

/// The packets that a new decoder needs for every frame still in the old one. They begin a keyframe early, because frames that
/// follow a keyframe in the file may refer to frames before it.
private struct PacketHistory {
    final class Entry {
        let packet: Packet
        let number: Int64
        let skipping: AVDiscard

        init(packet: consuming Packet, number: Int64, skipping: AVDiscard) {
            self.packet = packet
            (self.number, self.skipping) = (number, skipping)
        }
    }

    /// More packets than a decoder holds.
    private static let reach: Int64 = 64
    private static let maximumBytes = 64 << 20

    private(set) var entries: Deque<Entry> = []
    private var keyframes: Deque<Int64> = []
    private var byteCount = 0
    /// Whether the entries begin where the decoder began.
    private var beginsWithDecoder = true
    /// The number of frames received from each packet among the entries.
    private var received: [Int64: Int] = [:]
    private var lastReceived: Int64 = -1
    /// A copy of `received` from the last restart, and how many of those frames the new decoder has yet to repeat.
    private var sound: [Int64: Int] = [:], repeated: [Int64: Int] = [:]
    private var soundRunway: Int64 = 0

    var isComplete: Bool { beginsWithDecoder || runway != nil }

    /// The keyframe before which every frame has been received; `nil` if the entries do not reach back so far.
    private var runway: Int64? { keyframes.count > 1 && keyframes[1] < lastReceived - Self.reach ? keyframes[1] : nil }

    mutating func append(_ entry: Entry) {
        let isKeyframe = entry.packet.has(AV_PKT_FLAG_KEY)
        guard isKeyframe || !entries.isEmpty || beginsWithDecoder else { return }
        if isKeyframe { keyframes.append(entry.number) }
        entries.append(entry)
        byteCount += Int(entry.packet.size)
        if byteCount > Self.maximumBytes {
            self = PacketHistory()
            beginsWithDecoder = false
        }
    }

    mutating func repeatAll() {
        (sound, repeated) = (received, received)
        soundRunway = beginsWithDecoder ? 0 : runway ?? 0
    }

    /// Returns `false` for a frame that the old decoder had already given out.
    mutating func receive(_ number: Int64, isRepeating: Bool) -> Bool {
        if let count = repeated[number], count > 0 {
            repeated[number] = count - 1
            return false
        }
        received[number, default: 0] += 1
        lastReceived = max(lastReceived, number)
        while !isRepeating, keyframes.count > 2, keyframes[2] < lastReceived - Self.reach {
            keyframes.removeFirst()
            beginsWithDecoder = false
            while let first = entries.first, first.number < keyframes[0] {
                byteCount -= Int(first.packet.size)
                received[first.number] = nil
                entries.removeFirst()
            }
        }
        return true
    }

    /// Whether the packet was decoded without error before the restart, so that an error now comes from starting midway.
    func wasSound(_ number: Int64) -> Bool { sound[number] != nil || number < soundRunway }

    /// Whether nothing was damaged for so long that decoding the entries again costs little in comparison.
    func isSound(since damage: Int64) -> Bool {
        guard runway != nil, let first = entries.first?.number, let last = entries.last?.number else { return false }
        return damage < first && last - damage > max(256, 4 * (last - first))
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

    /// Whether other pictures may refer to a packet's, by its number, if known. Only packets whose frames are to come.
    private var references: [Int64: Bool] = [:]
    /// The last frame's sequence, and those after it.
    private var sequences: [Sequence] = [(0, nil, nil)]
    /// The damaged packets whose frames are to come.
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
