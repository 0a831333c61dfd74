/// The header of an MPEG audio frame (ISO/IEC 11172-3 and 13818-3, layers I to III).
struct MPEGAudioFrame {
    /// In bytes, including the header.
    let length: Int
    /// Position of the information in a first frame without sound, where encoders of layer III store their name and a table
    /// of contents.
    private let infoOffset: Int?

    /// In kbit/s, for indices 1 to 14.
    private static let bitRates: [(isFirst: Bool, layer: Int, rates: [Int])] = [
        (true, 1, [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]),
        (true, 2, [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]),
        (true, 3, [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]),
        (false, 1, [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]),
        (false, 2, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
        (false, 3, [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
    ]

    /// - Returns: `nil` if no frame begins here, or a frame in free format, which does not announce its length.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        let header = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let (version, layer) = (header >> 19 & 3, 4 - (header >> 17 & 3))
        let (rateIndex, frequencyIndex) = (header >> 12 & 15, header >> 10 & 3)
        guard header >> 21 == 0x7FF, version != 1, layer != 4, frequencyIndex != 3 else { return nil }
        // Version 1. Versions 2 and 2.5 have lower frequencies.
        let isFirst = version == 3
        guard let rates = Self.bitRates.first(where: { $0.isFirst == isFirst && $0.layer == layer })?.rates,
            (1...rates.count).contains(rateIndex)
        else { return nil }
        let frequency = [44_100, 48_000, 32_000][frequencyIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        let (rate, padding) = (rates[rateIndex - 1] * 1000, header >> 9 & 1)
        switch layer {
        case 1: length = (12 * rate / frequency + padding) * 4
        case 3 where !isFirst: length = 72 * rate / frequency + padding
        default: length = 144 * rate / frequency + padding
        }
        let (isMono, hasChecksum) = (header >> 6 & 3 == 3, header >> 16 & 1 == 0)
        let sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        infoOffset = layer == 3 ? 4 + (hasChecksum ? 2 : 0) + sideInformation : nil
    }

    /// The frames in a packet, without tags and any other bytes between and around them. A frame that only names its encoder
    /// becomes silence.
    static func frames(in packet: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        var rest = packet[...]
        while !rest.isEmpty {
            if let tagSize = id3Size(rest) {
                rest = rest.dropFirst(tagSize)
            } else if let frame = MPEGAudioFrame(rest) {
                frames += frame.withoutInfo(rest.prefix(frame.length))
                rest = rest.dropFirst(frame.length)
            } else {
                rest = rest.dropFirst()
            }
        }
        return frames
    }

    /// The size of an ID3v2 tag that begins here. Its content may look like audio frames.
    private static func id3Size(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 10, bytes.starts(with: "ID3".utf8) else { return nil }
        let size = bytes.dropFirst(6).prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        let hasFooter = bytes[bytes.startIndex + 5] & 0x10 != 0
        return 10 + size + (hasFooter ? 10 : 0)
    }

    private func withoutInfo(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var frame = Array(bytes)
        guard let infoOffset else { return frame }
        for (tag, offset) in [("Xing", infoOffset), ("Info", infoOffset), ("VBRI", 36)]
        where frame.dropFirst(offset).starts(with: tag.utf8) {
            for index in offset..<frame.count { frame[index] = 0 }
        }
        return frame
    }
}
