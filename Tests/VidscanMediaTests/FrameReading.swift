import Testing
import VidscanBase
import VidscanMedia

/// All samples of a video, for comparison.
struct FrameReading {
    let info: VideoInfo
    let rows: [Row]
    let statistics: ReadStatistics

    init(_ path: String, _ options: FrameReader.Options) throws {
        let reader = try FrameReader(path: path, options: options)
        info = reader.info
        var rows: [Row] = []
        while let frame = try reader.next() {
            #expect(frame.sequence == rows.count)
            rows.append(Row(index: frame.index, microseconds: frame.microseconds, md5: try frame.md5()))
        }
        self.rows = rows
        statistics = reader.statistics
    }
}

/// The files that `variants.sh` makes, by their use in tests.
enum VariantList {
    /// Files whose frames must equal those of ffmpeg, bit for bit.
    static let decodable = [
        "vfr.mp4", "vfr.mkv", "starttime.mp4", "starttime.ts", "audiofirst.mp4", "audiofirst.mkv", "editlist.mp4",
        "oneframe.mp4", "sar.mp4", "sar_tall.mp4", "oddsize.webm", "bpyramid.mp4", "blinks.mp4", "longgop.mp4",
        "opengop.mkv", "opengop.ts", "hevc_opengop.mkv", "intrarefresh.ts", "hevc.mp4", "vp8.webm", "vp9.webm",
        "av1.mp4", "mpeg2.ts",
        "mpeg2.mpg", "mjpeg.avi", "ffv1.mkv", "mpeg4.avi", "h264.avi", "raw.h264", "tenbit.mp4", "yuv422.mp4",
        "yuv444.mp4", "ten422.mkv", "rgb.mkv", "gray.mp4", "fullrange.mp4", "bt601.mp4", "interlaced.ts",
        "fragmented.mp4", "cover.mp4", "twovideo.mkv", "still.png", "still.jpg", "still_exif.jpg", "anim.gif",
        "truncated.mkv", "hevc_layers.mp4", "fields.ts", "fields.mp4", "cover_huge.mkv", "side_damaged.mkv",
        "clock.mp4", "clock.mkv", "sound_ac3.mkv", "sound_eac3.mp4", "sound_dts.mkv", "sound_mp3.mkv", "sound_opus.mkv",
        "sound_flac.mkv",
    ]
    /// Files whose timestamps jump, so that the times of ffprobe jump too.
    static let discontinuous = ["joined.ts", "reset.ts"]
    static let orientations = (1...8).map { "orient\($0).mp4" }
    /// Files whose frames depend on how a decoder conceals damage.
    static let corrupt = ["corrupt.ts", "corrupt.mkv"]
    static let refused = [
        "zeroframe.mp4", "audio.m4a", "cover_audio.m4a", "huge.png", "truncated_nomoov.mp4", "text.mp4", "empty.mp4",
        "playlist.m3u8", "concat.txt", "index.idx",
    ]
}
