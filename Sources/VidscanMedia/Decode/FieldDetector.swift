internal import CFFmpeg

/// Tells H.264 pictures that are single fields from whole frames: two fields, each in a packet of its own, make one frame.
final class FieldDetector {
    enum Structure {
        case frame
        case firstField
        /// The other field of the packet before.
        case secondField
    }

    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// Of a field whose other half has not come yet.
    private var unpaired: AVPictureStructure?

    /// - Returns: `nil` for codecs whose packets are never single fields.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_H264,
            let context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))
        else { return nil }
        guard avcodec_parameters_to_context(context, parameters) >= 0,
            let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue))
        else {
            var optional: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&optional)
            return nil
        }
        // Every packet is a whole access unit already.
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        self.parser = parser
        self.context = context
    }

    deinit {
        av_parser_close(parser)
        var optional: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&optional)
    }

    /// Packets are given in decoding order.
    func structure(of packet: AVPacket) -> Structure {
        guard packet.size > 0, let data = packet.data else { return .frame }
        var output: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        av_parser_parse2(
            parser, context, &output, &size, data, packet.size, FFmpeg.noTimestamp, FFmpeg.noTimestamp, packet.pos)
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
