internal import CFFmpeg

/// Tells where decoding can begin as if nothing came before.
///
/// A container's keyframe flag is not enough: H.264 files flag recovery points too, after which pictures are exact only
/// some frames later, or whose frame numbers count on what came before. So the NAL units are looked at
/// (ITU-T H.264 table 7-1, H.265 table 7-1).
struct RandomAccessPointDetector {
    private enum Kind {
        case h264, hevc
        /// The keyframe flag says it.
        case flagged
        case never
    }

    private let kind: Kind
    private let units: NALUnits

    /// Whether what came before must be drained and forgotten before decoding goes on after a gap: an HEVC decoder
    /// that meets a CRA picture in passing takes picture order counts from those before it.
    let needsFlushAfterGap: Bool

    /// Whether unwanted packets of this codec may be passed over at all. Only codecs for which that is known to leave
    /// every other frame as it was.
    let mayPass: Bool

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        switch parameters.codec_id {
        case AV_CODEC_ID_H264:
            kind = .h264
        case AV_CODEC_ID_HEVC:
            kind = .hevc
        case AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
            AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_RAWVIDEO:
            kind = .flagged
        default:
            kind = .never
        }
        needsFlushAfterGap = kind == .hevc
        mayPass = kind != .never
    }

    /// Whether all that was shown before the packet is of an earlier sequence, as far as the codec lets one tell.
    func beginsSequence(_ packet: AVPacket) -> Bool {
        kind == .never ? packet.flags & AV_PKT_FLAG_KEY != 0 : isRestartPoint(packet)
    }

    func isRestartPoint(_ packet: AVPacket) -> Bool {
        guard packet.flags & AV_PKT_FLAG_KEY != 0 else { return false }
        switch kind {
        case .never: return false
        case .flagged: return true
        case .h264:
            return firstPictureType(packet) {
                $0 & 0x1F
            } isPicture: {
                (1...5).contains($0)
            } == 5
        case .hevc:
            let type = firstPictureType(packet) {
                $0 >> 1 & 0x3F
            } isPicture: {
                $0 < 32
            }
            return type.map { (16...21).contains($0) } ?? false
        }
    }

    /// Whether the packet shows a frame. VP8 sends hidden reference frames as packets of their own (RFC 6386, 9.1).
    func showsFrame(_ packet: AVPacket, codec: AVCodecID) -> Bool {
        guard codec == AV_CODEC_ID_VP8, packet.size > 0, let data = packet.data else { return true }
        return data[0] & 0x10 != 0
    }

    /// The type of the first NAL unit that belongs to a picture, or `nil` when none is found.
    private func firstPictureType(
        _ packet: AVPacket, type: (UInt8) -> UInt8, isPicture: (UInt8) -> Bool
    ) -> UInt8? {
        let bytes = NALUnits.bytes(of: packet)
        var position = 0
        while let header = units.nextHeader(in: bytes, from: &position, headerSize: 1) {
            let value = type(bytes[header])
            if isPicture(value) { return value }
        }
        return nil
    }
}
