internal import CFFmpeg

/// Iterates over the NAL units of H.264 and HEVC (ITU-T H.264 and H.265, 7.3.1 and annex B).
struct NALUnits {
    /// Bytes of the length field before each unit; `nil` if start codes separate the units.
    let lengthSize: Int?

    /// - Parameter parameters: the extradata show whether there are length fields.
    init(_ parameters: AVCodecParameters) {
        let extradata = UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size)))
        switch parameters.codec_id {
        case AV_CODEC_ID_H264:
            lengthSize = extradata.count > 4 && extradata[0] == 1 ? Int(extradata[4] & 3) + 1 : nil
        case AV_CODEC_ID_HEVC:
            lengthSize = Self.isHEVCRecord(extradata) ? Int(extradata[21] & 3) + 1 : nil
        default:
            lengthSize = nil
        }
    }

    /// Whether HEVC extradata are an hvcC record. Its version byte is 1, but early muxers left it 0. Start codes begin with
    /// two zeros.
    static func isHEVCRecord(_ extradata: UnsafeBufferPointer<UInt8>) -> Bool {
        extradata.count > 22 && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1)
    }

    /// The position of the next unit's header.
    ///
    /// - Parameters:
    ///   - position: where to search; moves past what has been read.
    ///   - headerSize: bytes of the header, all of which lie in `bytes`.
    /// - Returns: `nil` when no unit follows.
    func nextHeader(in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, headerSize: Int) -> Int? {
        guard let lengthSize else { return nextStartCode(in: bytes, from: &position, headerSize: headerSize) }
        guard position + lengthSize + headerSize <= bytes.count else { return nil }
        var length = 0
        for offset in 0..<lengthSize { length = length << 8 | Int(bytes[position + offset]) }
        let header = position + lengthSize
        position = header + length
        return length > 0 ? header : nil
    }

    /// Whether the bytes consist of units, one or more, that all satisfy a condition.
    ///
    /// - Parameter condition: receives a unit's header.
    /// - Returns: `false` if the bytes are damaged so that they are not whole units.
    func allSatisfy(
        in bytes: UnsafeBufferPointer<UInt8>, headerSize: Int, _ condition: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        var position = 0
        var count = 0
        while let header = nextHeader(in: bytes, from: &position, headerSize: headerSize) {
            guard condition(UnsafeBufferPointer(rebasing: bytes[header..<(header + headerSize)])) else { return false }
            count += 1
        }
        return count > 0 && (lengthSize == nil || position == bytes.count)
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
