internal import CFFmpeg

/// Tells which pictures no other picture refers to.
///
/// Containers mark such packets, but a mark is only a claim: it counts when the bitstream agrees. HEVC's sub-layer
/// non-reference pictures are not referred to by later pictures of the same temporal sub-layer; those of higher ones may
/// refer to them (ITU-T H.265, 7.4.2.2). So only those of the highest sub-layer can be left out, although libavcodec's
/// `skip_frame` leaves them all out.
struct DisposableFrameDetector {
    private enum Kind {
        case h264, hevc, other
    }

    private let kind: Kind
    private let units: NALUnits
    /// The highest TemporalId that the sequence parameter sets announce or a picture has had.
    private var highestLayer = 0

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        switch parameters.codec_id {
        case AV_CODEC_ID_H264: kind = .h264
        case AV_CODEC_ID_HEVC: kind = .hevc
        default: kind = .other
        }
        guard kind == .hevc else { return }
        let extradata = UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size)))
        if NALUnits.isRecord(extradata) {
            // numTemporalLayers; 0 when unknown, and then the pictures themselves tell.
            highestLayer = max(0, Int(extradata[21] >> 3 & 7) - 1)
            noteRecord(extradata)
        } else {
            _ = firstPicture(extradata, noting: &highestLayer)
        }
    }

    /// Takes note of a packet as it is read, before any decision on one that came before it.
    mutating func note(_ packet: AVPacket) {
        guard kind == .hevc else { return }
        if let picture = firstPicture(NALUnits.bytes(of: packet), noting: &highestLayer) {
            highestLayer = max(highestLayer, picture.layer)
        }
    }

    /// Whether the decoder may be told to leave the picture out unless others refer to it, as far as it can tell.
    func mayLeaveToDecoder(_ packet: AVPacket) -> Bool {
        guard kind == .hevc else { return true }
        var layer = highestLayer
        guard let picture = firstPicture(NALUnits.bytes(of: packet), noting: &layer) else { return false }
        return picture.layer >= layer
    }

    /// Whether the picture is marked as one that nothing refers to, and rightly.
    func isDisposable(_ packet: AVPacket) -> Bool {
        guard packet.flags & AV_PKT_FLAG_DISPOSABLE != 0 else { return false }
        switch kind {
        case .other:
            return false
        case .hevc:
            var layer = highestLayer
            guard let picture = firstPicture(NALUnits.bytes(of: packet), noting: &layer) else { return false }
            return picture.isNonReference && picture.layer >= layer
        case .h264:
            let bytes = NALUnits.bytes(of: packet)
            var position = 0
            while let header = units.nextHeader(in: bytes, from: &position, headerSize: 1) {
                // nal_ref_idc is the same in all slices of a picture.
                if (1...5).contains(bytes[header] & 0x1F) { return bytes[header] >> 5 & 3 == 0 }
            }
            return false
        }
    }

    /// The first picture's sub-layer, and whether it is a sub-layer non-reference picture.
    ///
    /// - Parameter layer: is raised to the highest sub-layer of sequence parameter sets on the way.
    private func firstPicture(
        _ bytes: UnsafeBufferPointer<UInt8>, noting layer: inout Int
    ) -> (layer: Int, isNonReference: Bool)? {
        var position = 0
        while let header = units.nextHeader(in: bytes, from: &position, headerSize: 2) {
            let type = bytes[header] >> 1 & 0x3F
            if type < 32 {
                // Even types up to 14 are sub-layer non-reference pictures (table 7-1).
                return (max(0, Int(bytes[header + 1] & 7) - 1), type <= 14 && type % 2 == 0)
            }
            noteParameters(bytes, header, type: type, &layer)
        }
        return nil
    }

    /// A sequence parameter set begins with a number of 4 bits and sps_max_sub_layers_minus1 in 3.
    private func noteParameters(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Int, type: UInt8, _ layer: inout Int
    ) {
        guard type == 33, header + 2 < bytes.count else { return }
        layer = max(layer, Int(bytes[header + 2] >> 1 & 7))
    }

    /// The parameter sets of an hvcC record (ISO/IEC 14496-15, 8.3.3.1).
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
