internal import CFFmpeg

/// Detects H.264 packets that hold a single field. Two fields in two packets make one frame.
final class FieldDetector {
    enum Structure {
        case frame
        case firstField
        /// Completes the frame of the packet before.
        case secondField
    }

    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: CodecContext
    /// The parity of a first field whose second field has not come yet.
    private var unpaired: AVPictureStructure?

    /// - Returns: `nil` for codecs whose packets always hold whole frames.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_H264,
            let context = try? CodecContext(avcodec_find_decoder(AV_CODEC_ID_H264)),
            avcodec_parameters_to_context(context.pointer, parameters) >= 0,
            let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue))
        else { return nil }
        // Every packet is a whole access unit.
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        self.parser = parser
        self.context = context
    }

    deinit { av_parser_close(parser) }

    /// Takes every packet in decoding order.
    func structure(of packet: borrowing Packet) -> Structure {
        guard packet.size > 0, let data = packet.data else { return .frame }
        var output: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        av_parser_parse2(
            parser, context.pointer, &output, &size, data, packet.size, FFmpeg.noTimestamp, FFmpeg.noTimestamp,
            packet.pos)
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
