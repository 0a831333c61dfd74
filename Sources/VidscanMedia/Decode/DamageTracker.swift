/// Decides which frames come from damaged data: those about whose packets the decoder has reported an error, and those that
/// are decoded after one of them up to the next keyframe, because they may be predicted from it.
///
/// Packets are numbered in the order in which they are sent to the decoder. Only pictures to which others refer pass damage
/// on. Whether any other picture is decoded depends on the samples, and the decision must not: it is the same for a segment
/// as for the whole video.
struct DamageTracker {
    private struct Packet {
        let number: Int64
        /// `nil` if unknown.
        let isReference: Bool?
    }

    /// A keyframe and the packets after it.
    private struct Sequence {
        /// The number of the keyframe.
        let first: Int64
        /// The keyframe's timestamp; `nil` if it has none.
        let presentation: Int64?
        /// The first damaged picture to which others may refer.
        var firstDamage: Int64?
    }

    /// The packets whose frames have not come out.
    private var packets: [Packet] = []
    /// The sequence of the last frame, and those after it.
    private var sequences = [Sequence(first: 0, presentation: nil)]
    /// The damaged packets whose frames have not come out.
    private var damaged: Set<Int64> = []

    /// More packets than any decoder has in work.
    private static let reach: Int64 = 256

    mutating func send(_ number: Int64, presentation: Int64?, isKeyframe: Bool, isReference: Bool?) {
        packets.append(Packet(number: number, isReference: isReference))
        if isKeyframe { sequences.append(Sequence(first: number, presentation: presentation)) }
    }

    /// Notes that the decoder has reported an error about a packet.
    mutating func damage(_ number: Int64) {
        damaged.insert(number)
        guard packets.first(where: { $0.number == number })?.isReference != false,
            let index = sequences.lastIndex(where: { $0.first <= number })
        else { return }
        sequences[index].firstDamage = min(sequences[index].firstDamage ?? number, number)
    }

    /// Judges the next frame that the decoder gives, in presentation order. All errors about packets up to its own are known.
    ///
    /// - Parameters:
    ///   - number: of its packet.
    ///   - timestamp: its presentation timestamp, if it has one.
    ///   - isBidirectional: whether it is a B picture. To those of codecs whose bitstream is not examined, none refers.
    /// - Returns: whether the frame comes from damaged data.
    mutating func judge(_ number: Int64, timestamp: Int64?, isBidirectional: Bool) -> Bool {
        // A picture that is shown before a keyframe, but follows it in the file, may refer to the sequence before.
        while sequences.count > 1, sequences[1].first <= number,
            (sequences[1].presentation ?? .min) <= timestamp ?? .max
        {
            sequences.removeFirst()
        }
        let isDamaged = damaged.remove(number) != nil
        if isDamaged, isBidirectional, packets.first(where: { $0.number == number })?.isReference == nil,
            let index = sequences.firstIndex(where: { $0.firstDamage == number })
        {
            sequences[index].firstDamage = nil
        }
        packets.removeAll { $0.number == number || $0.number < number - Self.reach }
        damaged = damaged.filter { $0 >= number - Self.reach }
        return isDamaged || sequences.contains { $0.first <= number && $0.firstDamage ?? .max < number }
    }
}
