internal import CFFmpeg

/// Detects the packets at which decoding can begin.
///
/// The keyframe flag of a container is not enough. H.264 files also flag recovery points, after which pictures become exact
/// only some frames later or depend on earlier frame numbers. Therefore the NAL unit types decide (ITU-T H.264 and H.265,
/// table 7-1).
struct RandomAccessPointDetector {
    private enum Method {
        case h264NALUnits, hevcNALUnits, keyframeFlag
        /// For codecs where no packet is known to be safe.
        case none
    }

    private let method: Method
    private let units: NALUnits

    /// Whether the decoder must be flushed before it continues after a gap. An HEVC decoder that meets a CRA picture
    /// derives picture order counts from earlier pictures.
    var needsFlushAfterGap: Bool { method == .hevcNALUnits }

    /// Whether packets of this codec may be skipped: only for codecs where every other frame is known to stay the same.
    var allowsSkipping: Bool { method != .none }

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        switch parameters.codec_id {
        case AV_CODEC_ID_H264:
            method = .h264NALUnits
        case AV_CODEC_ID_HEVC:
            method = .hevcNALUnits
        case AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
            AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_RAWVIDEO:
            method = .keyframeFlag
        default:
            method = .none
        }
    }

    /// Whether every frame that is presented before the packet belongs to an earlier sequence, as far as the codec shows.
    func beginsSequence(_ packet: borrowing Packet) -> Bool {
        method == .none ? packet.has(AV_PKT_FLAG_KEY) : isRandomAccessPoint(packet)
    }

    /// Whether every frame that is presented at or after the packet's can be decoded without the packets before it.
    func isRandomAccessPoint(_ packet: borrowing Packet) -> Bool {
        guard packet.has(AV_PKT_FLAG_KEY) else { return false }
        switch method {
        case .none: return false
        case .keyframeFlag: return true
        // An IDR picture.
        case .h264NALUnits: return firstType(in: packet.bytes, type: { $0 & 0x1F }, pictures: 1...5) == 5
        // BLA, IDR and CRA pictures.
        case .hevcNALUnits:
            let type = firstType(in: packet.bytes, type: { $0 >> 1 & 0x3F }, pictures: 0...31)
            return type.map { (16...21).contains($0) } ?? false
        }
    }

    /// The type of the first NAL unit that belongs to a picture.
    private func firstType(
        in bytes: UnsafeBufferPointer<UInt8>, type: (UInt8) -> UInt8, pictures: ClosedRange<UInt8>
    ) -> UInt8? {
        var position = 0
        while let header = units.nextHeader(in: bytes, from: &position, headerSize: 1) {
            let value = type(bytes[header])
            if pictures.contains(value) { return value }
        }
        return nil
    }
}
