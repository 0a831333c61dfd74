import Foundation
import Glibc
import VidscanBase
import VidscanMedia

/// The bytes of a video, which is opened, decoded, sampled and cropped, and on request copied, as for hiding
/// faces, or heard. The first four bytes choose the settings.
enum VideoFuzzing {
    static let headerCount = 4

    private static let rates: [SampleGrid.Rate] =
        [.everyFrame]
        + [(1, 1), (5, 1), (24000, 1001), (1, 10), (1000, 1)].compactMap { Rational($0, $1) }.map { .perSecond($0) }
    /// The maximum number of samples that are read, because a small file may have any number.
    private static let maximumSamples = 32
    private static let limits = MediaLimits(maximumPixels: 512 * 512, maximumDurationSeconds: 3600)

    static func feed(_ bytes: ArraySlice<UInt8>, scratch: FuzzScratch) {
        guard bytes.count > headerCount else { return }
        let header = Array(bytes.prefix(headerCount))
        // FFmpeg's demuxer of VobSub would open the other file, and wait for ever.
        let path = scratch.path + "/video.idx"
        mkfifo(scratch.path + "/video.sub", 0o600)
        guard scratch.write(bytes.dropFirst(headerCount), to: path) else { return }
        do {
            try read(path, options: options(header))
            if header[1] & 128 != 0 { try hide(path, scratch) }
            if header[0] & 128 != 0 { try hear(path) }
        } catch let error as MediaError {
            demand(!error.reason.isEmpty, "an error without a reason")
        } catch {
            fatalError("an error of another kind: \(error)")
        }
    }

    private static func options(_ header: [UInt8]) throws -> FrameReader.Options {
        let flags = header[1]
        let start = flags & 1 != 0 ? Int64(header[2]) * 40_000 : nil
        let filters: FilterChain? =
            switch flags >> 5 & 3 {
            case 1: try FilterChain(steps: ["hflip", "crop=iw/2:ih/2"], allowsFiles: false)
            case 2: try FilterChain(steps: ["fps=3", "scale=32:32"], allowsFiles: false)
            default: nil
            }
        return FrameReader.Options(
            rate: rates[Int(header[0]) % rates.count], start: start,
            end: flags & 2 != 0 ? (start ?? 0) + Int64(header[3]) * 10_000 + 1 : nil,
            segment: flags & 4 != 0 ? VideoSegment(index: Int(header[2] % 3), count: 3) : nil,
            streamIndex: flags & 8 != 0 ? Int(header[3] % 4) : nil, decoderThreads: 1,
            skipsUnneededPackets: flags & 16 == 0, limits: limits, filters: filters)
    }

    /// Makes a copy without metadata, which must not show when the video was recorded.
    private static func hide(_ path: String, _ scratch: FuzzScratch) throws {
        var options = Transcoder.Options(rateFactor: 50)
        options.copiesSubtitles = false
        options.reading.decoderThreads = 1
        options.reading.limits = limits
        options.keepsMetadata = false
        let copy = scratch.path + "/copy.mp4"
        defer { unlink(copy) }
        var frames = 0
        try Transcoder(source: path, options: options).run(to: copy, container: .mp4) { _ in
            frames += 1
            if frames > maximumSamples { throw MediaError(.limitExceeded, "enough frames") }
        }
        let start = try FrameReader(path: copy, options: FrameReader.Options(rate: .everyFrame)).info
            .containerStartMicroseconds
        // A stream that was announced earlier may have lost its beginning, by ten seconds at most.
        demand(abs(start) < 11_000_000, "the copy starts at \(start) µs")
    }

    /// Decodes the first seconds of its sound.
    private static func hear(_ path: String) throws {
        let sound = try SoundReader(path: path, videoStream: nil, audioStream: nil, limits: limits)
        var end = 0
        try sound?.read(until: 10_000_000) { position, samples in
            demand(position >= end, "sound at sample \(position), after \(end)")
            end = position + samples.count
        }
    }

    private static func read(_ path: String, options: FrameReader.Options) throws {
        let reader = try FrameReader(path: path, options: options)
        let cropper = SquareCropper()
        let resampler = AreaResampler()
        var tensor = [Float](repeating: 0, count: 3 * 24 * 24)
        var last: Int64?
        for number in 0..<maximumSamples {
            guard let frame = try reader.next() else { break }
            demand(frame.sequence == number, "sample \(number) has number \(frame.sequence)")
            if let last {
                // Frames may share a timestamp, but samples at a rate must not.
                let grows = options.rate == .everyFrame ? frame.microseconds >= last : frame.microseconds > last
                demand(grows, "time goes back from \(last) to \(frame.microseconds)")
            }
            last = frame.microseconds
            if let start = options.start, options.segment == nil {
                demand(frame.microseconds >= start, "a sample before the window")
            }
            _ = try frame.md5()
            let size = frame.geometry.displaySize
            let square = RotatedSquare(
                center: Point(x: Double(size.width) / 3, y: Double(size.height) / 2),
                side: Double(size.height) * (number % 2 == 0 ? 0.5 : 3), angle: Double(number))
            do {
                try tensor.withUnsafeMutableBufferPointer { tensor in
                    guard let base = tensor.baseAddress else { return }
                    try cropper.crop(frame, square: square, resolution: 24, into: base)
                    try resampler.resample(
                        frame, pictureSize: PictureSize(width: 24, height: 13),
                        tensorSize: PictureSize(width: 24, height: 24), into: base)
                }
            } catch is MediaError {}
        }
    }
}
