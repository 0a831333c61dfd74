internal import CFFmpeg
internal import VidscanBase

/// What a player may show of the file besides the stream that is read. Streams that begin late are known only at the end of
/// the file.
extension FrameReader {
    /// The indices of the other streams that can be read: videos and cover pictures.
    public var otherVideoStreams: [Int] {
        demuxer.input.streams.filter { $0 != demuxer.stream && $0.pointee.codecType == AVMEDIA_TYPE_VIDEO }
            .map { Int($0.pointee.index) }
    }

    /// The streams that may show pictures and cannot be read, in words: `stream 2 (dvd_subtitle)`.
    public var unreadablePictures: [String] {
        demuxer.input.streams.filter { stream in
            switch stream.pointee.codecType {
            case AVMEDIA_TYPE_SUBTITLE:
                // Without a known format, they may be pictures as well.
                guard let format = avcodec_descriptor_get(stream.pointee.codec) else { return true }
                return format.pointee.props & AV_CODEC_PROP_TEXT_SUB == 0
            case AVMEDIA_TYPE_ATTACHMENT: return ![AV_CODEC_ID_TTF, AV_CODEC_ID_OTF].contains(stream.pointee.codec)
            default: return false
            }
        }.map { stream in
            let isAttachment = stream.pointee.codecType == AVMEDIA_TYPE_ATTACHMENT
            return "stream \(stream.pointee.index) (\(isAttachment ? "an attachment" : stream.pointee.codecName))"
        }
    }
}
