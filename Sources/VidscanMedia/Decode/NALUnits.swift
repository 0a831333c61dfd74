internal import CFFmpeg

/// Walks through the NAL units of H.264 and HEVC (ITU-T H.264 and H.265, 7.3.1 and annex B).
struct NALUnits {
    /// Bytes of a unit's length field, or `nil` when start codes part them.
    let lengthSize: Int?

    /// By the header of the codec's own configuration record, or without one.
    init(_ parameters: AVCodecParameters) {
        let extradata = UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size)))
        switch parameters.codec_id {
        case AV_CODEC_ID_H264:
            lengthSize = extradata.count > 4 && extradata[0] == 1 ? Int(extradata[4] & 3) + 1 : nil
        case AV_CODEC_ID_HEVC:
            lengthSize = Self.isRecord(extradata) ? Int(extradata[21] & 3) + 1 : nil
        default:
            lengthSize = nil
        }
    }

    /// Whether HEVC's parameters lie in an hvcC record: its version byte is 1, but early writers left 0 there. Start codes
    /// begin with two zeros.
    static func isRecord(_ extradata: UnsafeBufferPointer<UInt8>) -> Bool {
        extradata.count > 22 && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1)
    }

    static func bytes(of packet: AVPacket) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: packet.data, count: packet.data == nil ? 0 : Int(max(0, packet.size)))
    }

    /// The position of the next unit's first byte, whose header is as long as the codec says and lies within the bytes;
    /// `position` moves past what has been read.
    func nextHeader(in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, headerSize: Int) -> Int? {
        guard let lengthSize else { return nextStartCode(in: bytes, from: &position, headerSize: headerSize) }
        guard position + lengthSize + headerSize <= bytes.count else { return nil }
        var length = 0
        for offset in 0..<lengthSize { length = length << 8 | Int(bytes[position + offset]) }
        let header = position + lengthSize
        position = header + length
        return length > 0 ? header : nil
    }

    private func nextStartCode(
        in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, headerSize: Int
    ) -> Int? {
        while position + 3 + headerSize <= bytes.count {
            if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
                position += 3
                return position
            }
            position += 1
        }
        return nil
    }
}
