internal import CFFmpeg

/// Detects the pictures to which no other picture refers.
///
/// The bitstream decides, because few containers mark such packets, and some mark the wrong ones. In HEVC, pictures of
/// the same temporal sub-layer do not refer to a sub-layer non-reference picture, but pictures of higher sub-layers may
/// (ITU-T H.265, 7.4.2.2). Therefore only those of the highest sub-layer are disposable, although libavcodec's
/// `skip_frame` drops all.
struct DisposableFrameDetector {
    private enum Codec {
        case h264, hevc, other
    }

    private let codec: Codec
    private let units: NALUnits
    /// The highest TemporalId that a sequence parameter set announces or a picture has had.
    private var highestLayer = 0

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        switch parameters.codec_id {
        case AV_CODEC_ID_H264: codec = .h264
        case AV_CODEC_ID_HEVC: codec = .hevc
        default: codec = .other
        }
        guard codec == .hevc else { return }
        let extradata = UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size)))
        if NALUnits.isHEVCRecord(extradata) {
            // numTemporalLayers, 0 if unknown. Then the pictures show it.
            highestLayer = max(0, Int(extradata[21] >> 3 & 7) - 1)
            noteRecord(extradata)
        } else {
            _ = firstSlice(extradata, raising: &highestLayer)
        }
    }

    /// Notes the sub-layers of a packet. Every packet is noted before a decision on any packet before it.
    mutating func note(_ packet: borrowing Packet) {
        guard codec == .hevc else { return }
        if let layer = firstSlice(packet.bytes, raising: &highestLayer) {
            highestLayer = max(highestLayer, layer)
        }
    }

    /// Whether the decoder may decide by itself to skip the picture if no other picture refers to it.
    func isSkippableByDecoder(_ packet: borrowing Packet) -> Bool {
        guard codec == .hevc else { return true }
        var layer = highestLayer
        guard let sliceLayer = firstSlice(packet.bytes, raising: &layer) else { return false }
        return sliceLayer >= layer
    }

    /// Whether the decoder need not see the packet: no other picture refers to its picture, and it holds nothing else
    /// that later packets may need, such as parameter sets.
    ///
    /// Dropping such a packet costs less than letting the decoder skip it, which keeps a decoder thread busy.
    func isDisposable(_ packet: borrowing Packet) -> Bool {
        switch codec {
        case .other:
            return false
        case .hevc:
            var layer = highestLayer
            guard let sliceLayer = firstSlice(packet.bytes, raising: &layer), sliceLayer >= layer else { return false }
            return units.allSatisfy(in: packet.bytes, headerSize: 2) { header in
                let type = header[0] >> 1 & 0x3F
                return Self.isNonReference(hevc: type) || type == 35
            }
        case .h264:
            // nal_ref_idc is 0 in all slices of a picture or in none. 9 is the access unit delimiter.
            return units.allSatisfy(in: packet.bytes, headerSize: 1) { header in
                let type = header[0] & 0x1F
                return (1...4).contains(type) && header[0] >> 5 & 3 == 0 || type == 9
            }
        }
    }

    /// Whether other pictures may refer to the packet's picture, whatever else the packet holds.
    ///
    /// - Returns: `nil` if the bitstream is not examined.
    func isReference(_ packet: borrowing Packet) -> Bool? {
        guard codec != .other else { return nil }
        let bytes = packet.bytes
        var position = 0
        while let header = units.nextHeader(in: bytes, from: &position, headerSize: 1) {
            switch codec {
            case .h264: if (1...5).contains(bytes[header] & 0x1F) { return bytes[header] >> 5 & 3 != 0 }
            case .hevc:
                let type = bytes[header] >> 1 & 0x3F
                if type < 32 { return !Self.isNonReference(hevc: type) || !isSkippableByDecoder(packet) }
            case .other: return nil
            }
        }
        return true
    }

    /// Whether a unit is a slice of a sub-layer non-reference picture: one with an even type up to 14 (ITU-T H.265,
    /// table 7-1).
    private static func isNonReference(hevc type: UInt8) -> Bool { type <= 14 && type % 2 == 0 }

    /// The sub-layer of the first slice.
    ///
    /// - Parameter layer: is raised to the highest sub-layer of the sequence parameter sets before the slice.
    private func firstSlice(
        _ bytes: UnsafeBufferPointer<UInt8>, raising layer: inout Int
    ) -> Int? {
        var position = 0
        while let header = units.nextHeader(in: bytes, from: &position, headerSize: 2) {
            let type = bytes[header] >> 1 & 0x3F
            if type < 32 {
                return max(0, Int(bytes[header + 1] & 7) - 1)
            }
            noteParameters(bytes, header, type: type, &layer)
        }
        return nil
    }

    /// A sequence parameter set begins with an identifier of 4 bits and sps_max_sub_layers_minus1 of 3 bits.
    private func noteParameters(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Int, type: UInt8, _ layer: inout Int
    ) {
        guard type == 33, header + 2 < bytes.count else { return }
        layer = max(layer, Int(bytes[header + 2] >> 1 & 7))
    }

    /// The parameter sets in an hvcC record (ISO/IEC 14496-15, 8.3.3.1).
    private mutating func noteRecord(_ record: UnsafeBufferPointer<UInt8>) {
        var position = 23
        for _ in 0..<Int(record[22]) {
            guard position + 3 <= record.count else { return }
            let type = record[position] & 0x3F
            let count = Int(record[position + 1]) << 8 | Int(record[position + 2])
            position += 3
            for _ in 0..<count {
                guard position + 2 <= record.count else { return }
                let length = Int(record[position]) << 8 | Int(record[position + 1])
                noteParameters(record, position + 2, type: type, &highestLayer)
                position += 2 + length
            }
        }
    }
}
