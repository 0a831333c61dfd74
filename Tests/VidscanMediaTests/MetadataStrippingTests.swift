import Foundation
import Testing
import TestSupport
import VidscanMedia

@Suite("Sound in a video without metadata")
struct MetadataStrippingTests {
    /// A video with sound of one codec, transcoded without metadata.
    private struct Stripped {
        let folder: TemporaryFolder
        let source: String
        let path: String
        let transcoder: Transcoder

        init(
            _ encoder: [String], container: VideoContainer = .mp4,
            change: (inout Data, String) throws -> Void = { _, _ in }
        ) throws {
            folder = try TemporaryFolder()
            source = folder.path + "/source.mkv"
            let made = try ChildProcess.run(
                [
                    "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=0.8", "-f", "lavfi",
                    "-i",
                    "aevalsrc=exprs=sin(440*2*PI*t)|sin(660*2*PI*t):s=48000:d=0.8", "-c:v", "libx264",
                ] + encoder + [source])
            if made.errors.contains("Unknown encoder") { try skip(missing: .encoder(encoder.joined(separator: " "))) }
            try #require(made.status == 0, "\(made.errors)")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
            try change(&bytes, source)
            try bytes.write(to: URL(fileURLWithPath: source))
            var options = Transcoder.Options(rateFactor: 40)
            options.keepsMetadata = false
            transcoder = try Transcoder(source: source, options: options)
            #expect(transcoder.omittedStreams == [])
            path = folder.path + "/new." + container.rawValue
            try transcoder.run(to: path, container: container) { _ in }
        }

        func contains(_ text: String) throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    /// From the container's start, as 16-bit numbers.
    private static func samples(_ path: String) throws -> [Double] {
        let outcome = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a", "-af", "aresample=async=1:first_pts=0",
            "-f",
            "s16le", "-",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return stride(from: 0, to: outcome.outputBytes.count - 1, by: 2).map { index in
            Double(Int16(bitPattern: UInt16(outcome.outputBytes[index]) | UInt16(outcome.outputBytes[index + 1]) << 8))
        }
    }

    private static let lossless = [
        ["-c:a", "flac"], ["-c:a", "alac"], ["-c:a", "pcm_s16le"], ["-c:a", "pcm_s24le"],
        ["-c:a", "wavpack", "-sample_fmt", "s16p"],
        ["-c:a", "truehd", "-strict", "-2"], ["-c:a", "pcm_s16le", "-ar", "192000"],
    ]

    private static let lossy = [
        ["-c:a", "aac"], ["-c:a", "aac", "-ac", "1"], ["-af", "pan=6.1(back)|FL=c0|FR=c1", "-c:a", "aac"],
        ["-c:a", "libmp3lame"], ["-c:a", "mp2"], ["-c:a", "ac3"], ["-af", "pan=5.1(side)|FL=c0|FR=c1", "-c:a", "ac3"],
        ["-c:a", "eac3"], ["-c:a", "libopus"], ["-c:a", "libvorbis"], ["-c:a", "vorbis", "-strict", "-2"],
        ["-c:a", "dca", "-strict", "-2"], ["-c:a", "pcm_mulaw", "-ar", "8000", "-ac", "1"],
    ]

    /// Every codec, and every container with samples of 16 and of 24 bits.
    private static let losslessCases =
        lossless.map { ($0, VideoContainer.mp4) }
        + [VideoContainer.mov, .mkv].flatMap { container in lossless[2...3].map { ($0, container) } }

    @Test("Sound without loss has the same samples", arguments: losslessCases)
    func same(encoder: [String], container: VideoContainer) throws {
        let new = try Stripped(encoder, container: container)
        let (expected, samples) = (try Self.samples(new.source), try Self.samples(new.path))
        try #require(expected.count > 70_000)
        let isSame = samples == expected
        #expect(isSame, "\(samples.count) numbers, not \(expected.count)")
        #expect(new.transcoder.soundCodecs == [container == .mov ? "ALAC" : "FLAC"])
    }

    @Test("Other sound keeps its time, its rate and its channels", arguments: lossy)
    func similar(encoder: [String]) throws {
        let new = try Stripped(encoder)
        let (old, now) = (try Probe(path: new.source).stream("a:0"), try Probe(path: new.path).stream("a:0"))
        #expect(now["sample_rate"] as? String == old["sample_rate"] as? String)
        #expect(now["channels"] as? Int == old["channels"] as? Int)
        let (expected, samples) = (try Self.samples(new.source), try Self.samples(new.path))
        // The first and the last frames of a codec are not complete.
        let middle = expected.count / 8..<expected.count * 3 / 4
        try #require(middle.count > 2000 && samples.count >= middle.upperBound)
        let energy = middle.reduce(0) { $0 + expected[$1] * expected[$1] }
        let error = middle.reduce(0) { $0 + (samples[$1] - expected[$1]) * (samples[$1] - expected[$1]) }
        // A second codec with losses changes these tones by up to 3 %. Four samples too late, the error would be 8 %.
        #expect(error < 0.04 * energy, "\(error / energy)")
    }

    @Test("The encoder's name in headers and packets is not written", arguments: lossy + [["-c:a", "flac"]])
    func names(encoder: [String]) throws {
        // Replaces the names that FFmpeg writes, as another encoder might, by a name of the same length.
        let name = Data("SECRETname".utf8)
        let new = try Stripped(encoder) { bytes, _ in
            for known in ["Lavc", "Lavf", "Xiph.Org"] {
                var start = bytes.startIndex
                while let found = bytes.range(of: Data(known.utf8), in: start..<bytes.endIndex) {
                    start = found.upperBound
                    let range = found.lowerBound..<found.lowerBound + name.count
                    guard range.upperBound <= bytes.endIndex, bytes[range].allSatisfy({ (0x20...0x7E).contains($0) })
                    else { continue }
                    bytes.replaceSubrange(range, with: name)
                }
            }
            try #require(bytes.range(of: name) != nil)
        }
        #expect(try !new.contains("SECRET"))
    }

    @Test(
        "The bytes of packets are not written, wherever an encoder may put a text",
        arguments: lossy)
    func packets(encoder: [String]) throws {
        let mark = Data("SECRETmark".utf8)
        let new = try Stripped(encoder) { bytes, source in
            let copied = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-i", source, "-map", "0:a", "-c", "copy", "-f", "data", "-",
            ])
            let sizes = try Probe(path: source).packetSizes("a:0")
            try #require(sizes.count > 5 && sizes.reduce(0, +) == copied.outputBytes.count)
            var start = 0
            for (number, size) in sizes.enumerated() {
                let packet = Data(copied.outputBytes[start..<start + size])
                start += size
                // Padding, data and extensions follow the sound.
                guard number % 5 == 3, size >= 2 * mark.count, let place = bytes.range(of: packet) else { continue }
                bytes.replaceSubrange(place.upperBound - mark.count..<place.upperBound, with: mark)
            }
            try #require(bytes.range(of: mark) != nil)
        }
        #expect(try !new.contains("SECRET"))
        #expect(try Self.samples(new.path).count > 5000)
    }

    @Test("The additional information of AC-3 is not written")
    func additionalInformation() throws {
        let mark = Array("SECRETtext".utf8)
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "anullsrc=cl=stereo:r=48000", "-t", "0.8", "-c:a",
            "ac3",
            "-b:a", "192k", folder.path + "/plain.ac3",
        ])
        try #require(made.status == 0, "\(made.errors)")
        // ATSC A/52, 5.3.2: for stereo without optional fields, addbsie is bit 66; then follow addbsil and addbsi.
        var bytes: [UInt8] = []
        let plain = Array(try folder.bytes("plain.ac3"))
        for start in stride(from: 0, to: plain.count - 767, by: 768) {
            var bits = Self.bits(plain[start..<start + 768])
            try #require(bits[66] == 0)
            bits[66] = 1
            let length = Self.bits([UInt8(mark.count - 1)]).dropFirst(2)
            bits.insert(contentsOf: length + Self.bits(mark), at: 67)
            for first in stride(from: 0, to: 768 * 8, by: 8) {
                var byte: UInt8 = 0
                for bit in bits[first..<first + 8] { byte = byte << 1 | bit }
                bytes.append(byte)
            }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/marked.ac3"))
        let source = folder.path + "/source.mkv"
        let joined = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=0.8", "-i",
            folder.path + "/marked.ac3", "-c:v", "libx264", "-c:a", "copy", source,
        ])
        try #require(joined.status == 0, "\(joined.errors)")
        #expect(try Self.isIn(source, mark))
        let path = folder.path + "/new.mp4"
        var options = Transcoder.Options(rateFactor: 40)
        options.keepsMetadata = false
        try Transcoder(source: source, options: options).run(to: path, container: .mp4) { _ in }
        #expect(try !Self.isIn(path, mark))
        #expect(try Self.samples(path).count > 70_000)
    }

    private static func bits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var bits: [UInt8] = []
        for byte in bytes { for shift in (0..<8).reversed() { bits.append(byte >> UInt8(shift) & 1) } }
        return bits
    }

    /// Whether a file has a text at any bit.
    private static func isIn(_ path: String, _ text: [UInt8]) throws -> Bool {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for shift in 0..<8 {
            // Without the first and the last byte, which may be incomplete.
            var inner = Data()
            for index in 1..<text.count {
                let pair = UInt16(text[index - 1]) << 8 | UInt16(text[index])
                inner.append(UInt8(truncatingIfNeeded: pair >> UInt16(shift)))
            }
            if bytes.range(of: inner) != nil { return true }
        }
        return false
    }
}
