internal import CFFmpeg
internal import Glibc
internal import VidscanBase

struct OutputContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFormatContext>

    init(path: String, container: VideoContainer) throws(MediaError) {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        let result = avformat_alloc_output_context2(&allocated, nil, container.formatName, "file:" + path)
        guard result >= 0, let allocated else {
            throw MediaError(.io, "cannot write \(container.rawValue) files: \(FFmpeg.message(result))")
        }
        pointer = allocated
        // Without random numbers and versions, the same run writes the same bytes.
        pointer.pointee.flags |= AVFMT_FLAG_BITEXACT
        // FLAC in MP4 is experimental in FFmpeg 5.
        pointer.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    }

    deinit {
        avio_closep(&pointer.pointee.pb)
        avformat_free_context(pointer)
    }

    /// Creates the file and writes its header. Add all streams before.
    func open(path: String, options: inout OptionDictionary) throws(MediaError) {
        FFmpeg.beginErrors()
        try check(avio_open(&pointer.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create")
        try check(avformat_write_header(pointer, &options.pointer), "begin")
    }

    /// Takes over the packet's data, which may wait for packets of other streams.
    func write(_ packet: borrowing Packet) throws(MediaError) {
        FFmpeg.beginErrors()
        try check(av_interleaved_write_frame(pointer, packet.pointer), "write")
        // A full disk may show only in the byte stream.
        try check(pointer.pointee.pb?.pointee.error ?? 0, "write")
    }

    func finish() throws(MediaError) {
        FFmpeg.beginErrors()
        try check(av_write_trailer(pointer), "write")
        try check(avio_closep(&pointer.pointee.pb), "write")
    }

    private func check(_ result: Int32, _ verb: String) throws(MediaError) {
        guard result < 0 else { return }
        let isFull = result == vs_averror(ENOSPC) || result == vs_averror(EDQUOT)
        throw MediaError(isFull ? .diskFull : .io, "cannot \(verb) the video: \(FFmpeg.reason(result))")
    }
}

struct OptionDictionary: ~Copyable {
    var pointer: OpaquePointer?

    init(_ options: KeyValuePairs<String, String> = [:]) {
        for (name, value) in options { av_dict_set(&pointer, name, value, 0) }
    }

    deinit {
        var pointer = pointer
        av_dict_free(&pointer)
    }
}
