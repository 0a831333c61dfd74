internal import CFFmpeg

/// The NAL units of H.264 and HEVC packets (ITU-T H.264 and H.265, 7.3.1 and annex B).
struct NALUnits {
    enum Codec { case h264, hevc }

    /// `offset`: of the unit's header.
    typealias Unit = (type: UInt8, offset: Int)

    /// `nil` for codecs whose bitstream is not examined.
    let codec: Codec?
    /// Bytes of the length field before each unit; `nil` if start codes separate the units.
    private let lengthSize: Int?

    init(_ parameters: AVCodecParameters) {
        let extradata = parameters.extradataBytes
        switch parameters.codec_id {
        case AV_CODEC_ID_H264:
            codec = .h264
            lengthSize = extradata.count > 4 && extradata[0] == 1 ? Int(extradata[4] & 3) + 1 : nil
        case AV_CODEC_ID_HEVC:
            codec = .hevc
            lengthSize = Self.isHEVCRecord(extradata) ? Int(extradata[21] & 3) + 1 : nil
        default: (codec, lengthSize) = (nil, nil)
        }
    }

    /// Whether HEVC extradata are an hvcC record. Its version byte is 1 (0 from early muxers); start codes begin with two zeros.
    static func isHEVCRecord(_ extradata: UnsafeBufferPointer<UInt8>) -> Bool {
        extradata.count > 22 && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1)
    }

    /// The next unit whose whole header lies in `bytes`. Moves `position` past what has been read.
    func next(in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int) -> Unit? {
        let headerSize = codec == .hevc ? 2 : 1
        guard let lengthSize else {
            while position + 3 + headerSize <= bytes.count {
                if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
                    position += 3
                    return unit(bytes, at: position)
                }
                position += 1
            }
            return nil
        }
        guard position + lengthSize + headerSize <= bytes.count else { return nil }
        var length = 0
        for offset in 0..<lengthSize { length = length << 8 | Int(bytes[position + offset]) }
        let header = position + lengthSize
        position = header + length
        return length > 0 ? unit(bytes, at: header) : nil
    }

    private func unit(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Unit {
        (type: codec == .hevc ? bytes[offset] >> 1 & 0x3F : bytes[offset] & 0x1F, offset: offset)
    }

    /// The first unit that belongs to a picture. `visit` gets each unit before it.
    func firstSlice(in bytes: UnsafeBufferPointer<UInt8>, before visit: (Unit) -> Void = { _ in }) -> Unit? {
        var position = 0
        while let unit = next(in: bytes, from: &position) {
            if codec == .hevc ? unit.type < 32 : (1...5).contains(unit.type) { return unit }
            visit(unit)
        }
        return nil
    }

    /// Whether the bytes consist of one or more whole units that all satisfy a condition. `false` for damaged bytes.
    func allSatisfy(in bytes: UnsafeBufferPointer<UInt8>, _ condition: (Unit) -> Bool) -> Bool {
        var (position, count) = (0, 0)
        while let unit = next(in: bytes, from: &position) {
            guard condition(unit) else { return false }
            count += 1
        }
        return count > 0 && (lengthSize == nil || position == bytes.count)
    }
}

extension AVCodecParameters {
    var extradataBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: extradata, count: extradata == nil ? 0 : Int(max(0, extradata_size)))
    }
}

/// Detects the packets at which decoding can begin, by NAL unit types (ITU-T H.264 and H.265, table 7-1).
///
/// The container's keyframe flag is not enough: H.264 files also flag recovery points, after which pictures become exact only
/// some frames later or depend on earlier frame numbers.
struct RandomAccessPointDetector {
    private let units: NALUnits
    /// Only codecs in which skipping a packet is known to leave every other frame unchanged.
    let allowsSkipping: Bool

    /// An HEVC decoder that meets a CRA picture after a gap derives picture order counts from earlier pictures.
    var needsFlushAfterGap: Bool { units.codec == .hevc }

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        let isKeyframeFlagReliable = [
            AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
            AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_RAWVIDEO,
        ].contains(parameters.codec_id)
        allowsSkipping = units.codec != nil || isKeyframeFlagReliable
    }

    /// Whether every frame presented before the packet belongs to an earlier sequence, as far as the codec shows.
    func beginsSequence(_ packet: borrowing Packet) -> Bool {
        guard packet.has(AV_PKT_FLAG_KEY) else { return false }
        guard let codec = units.codec else { return true }
        guard let type = units.firstSlice(in: packet.bytes)?.type else { return false }
        // H.264: IDR. HEVC: BLA, IDR and CRA.
        return codec == .h264 ? type == 5 : (16...21).contains(type)
    }

    /// Whether every frame presented at or after the packet's can be decoded without the packets before it.
    func isRandomAccessPoint(_ packet: borrowing Packet) -> Bool { allowsSkipping && beginsSequence(packet) }
}

/// Detects pictures to which no other refers, from the bitstream: few containers mark them, and some mark wrong ones.
///
/// In HEVC, pictures of higher sub-layers may refer to a sub-layer non-reference picture (ITU-T H.265, 7.4.2.2). Therefore only
/// those of the highest sub-layer are disposable, although libavcodec's `skip_frame` drops all.
struct DisposableFrameDetector {
    private let units: NALUnits
    /// The highest TemporalId announced by a sequence parameter set or seen in a picture.
    private var highestLayer = 0

    init(_ parameters: AVCodecParameters) {
        units = NALUnits(parameters)
        guard units.codec == .hevc else { return }
        let extradata = parameters.extradataBytes
        guard NALUnits.isHEVCRecord(extradata) else {
            highestLayer = firstSlice(extradata).highestLayer
            return
        }
        // numTemporalLayers; if 0, the pictures show it.
        highestLayer = max(0, Int(extradata[21] >> 3 & 7) - 1)
        // The parameter sets in an hvcC record (ISO/IEC 14496-15, 8.3.3.1).
        var position = 23
        for _ in 0..<Int(extradata[22]) {
            guard position + 3 <= extradata.count else { return }
            let type = extradata[position] & 0x3F
            let count = Int(extradata[position + 1]) << 8 | Int(extradata[position + 2])
            position += 3
            for _ in 0..<count {
                guard position + 2 <= extradata.count else { return }
                let length = Int(extradata[position]) << 8 | Int(extradata[position + 1])
                highestLayer = max(highestLayer, Self.announcedLayer(extradata, (type, offset: position + 2)))
                position += 2 + length
            }
        }
    }

    /// Note each packet before any decision about an earlier one.
    mutating func note(_ packet: borrowing Packet) {
        guard units.codec == .hevc else { return }
        let found = firstSlice(packet.bytes)
        highestLayer = max(found.highestLayer, found.layer ?? 0)
    }

    func isSkippableByDecoder(_ packet: borrowing Packet) -> Bool {
        guard units.codec == .hevc else { return true }
        let found = firstSlice(packet.bytes)
        return found.layer.map { $0 >= found.highestLayer } ?? false
    }

    /// No other picture refers to the packet's picture, and it holds nothing else that later packets may need, such as parameter
    /// sets. Dropping the packet is cheaper than a decoder skip, which keeps a decoder thread busy.
    func isDisposable(_ packet: borrowing Packet) -> Bool {
        guard let codec = units.codec, isSkippableByDecoder(packet) else { return false }
        let bytes = packet.bytes
        return units.allSatisfy(in: bytes) { unit in
            switch codec {
            case .hevc: Self.isNonReference(hevc: unit.type) || unit.type == 35
            // nal_ref_idc is 0 in all slices of a picture or in none. 9 is the access unit delimiter.
            case .h264: (1...4).contains(unit.type) && bytes[unit.offset] >> 5 & 3 == 0 || unit.type == 9
            }
        }
    }

    /// Whether other pictures may refer to the packet's picture. `nil` if the bitstream is not examined.
    func isReference(_ packet: borrowing Packet) -> Bool? {
        guard let codec = units.codec else { return nil }
        guard let slice = units.firstSlice(in: packet.bytes) else { return true }
        switch codec {
        case .h264: return packet.bytes[slice.offset] >> 5 & 3 != 0
        case .hevc: return !Self.isNonReference(hevc: slice.type) || !isSkippableByDecoder(packet)
        }
    }

    /// Sub-layer non-reference slices have even types up to 14 (ITU-T H.265, table 7-1).
    private static func isNonReference(hevc type: UInt8) -> Bool { type <= 14 && type % 2 == 0 }

    /// The sub-layer of the first slice, and the highest one, also by the sequence parameter sets before the slice.
    private func firstSlice(_ bytes: UnsafeBufferPointer<UInt8>) -> (layer: Int?, highestLayer: Int) {
        var highest = highestLayer
        let slice = units.firstSlice(in: bytes) { unit in highest = max(highest, Self.announcedLayer(bytes, unit)) }
        return (slice.map { max(0, Int(bytes[$0.offset + 1] & 7) - 1) }, highest)
    }

    /// A sequence parameter set begins with a 4-bit identifier and the 3-bit sps_max_sub_layers_minus1.
    private static func announcedLayer(_ bytes: UnsafeBufferPointer<UInt8>, _ unit: NALUnits.Unit) -> Int {
        unit.type == 33 && unit.offset + 2 < bytes.count ? Int(bytes[unit.offset + 2] >> 1 & 7) : 0
    }
}
