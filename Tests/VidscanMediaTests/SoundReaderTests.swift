import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanMedia

@Suite("The sound of a video, on the clock of its frames")
struct SoundReaderTests {
    private static func make(_ name: String, _ options: [String], in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/" + name
        let made = try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "error"] + options + [path])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    private static let picture = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=2"]
    /// Two seconds with a click at 1 s.
    private static func click(rate: Int) -> [String] {
        ["-f", "lavfi", "-i", "aevalsrc=exprs='between(n,\(rate),\(rate + rate / 1000))*0.8':s=\(rate):d=2"]
    }

    /// Silence in the gaps.
    private static func samples(_ path: String, audioStream: Int? = nil, until end: Int64 = .max / 4) throws -> [Int16]
    {
        let reader = try #require(
            try SoundReader(path: path, videoStream: nil, audioStream: audioStream, limits: MediaLimits()))
        var samples: [Int16] = []
        try reader.read(until: end) { position, part in
            #expect(position >= samples.count)
            samples += [Int16](repeating: 0, count: position - samples.count)
            samples += part
        }
        return samples
    }

    private static func loudest(_ samples: [Int16]) -> Double {
        let index = samples.indices.max { abs(Int(samples[$0])) < abs(Int(samples[$1])) } ?? 0
        return Double(index) / Double(SoundReader.rate)
    }

    @Test("Sound at 16 kHz in one channel arrives as ffmpeg decodes it")
    func unchanged() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound.mkv",
            Self.picture + ["-f", "lavfi", "-i", "anoisesrc=r=16000:seed=7:d=2", "-c:a", "pcm_s16le", "-c:v", "mpeg4"],
            in: folder)
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-",
        ])
        let expected = decoded.outputBytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        try #require(expected.count == 32000)
        #expect(try Self.samples(path) == expected)
    }

    @Test(
        "A click stays at its time in every codec, rate and number of channels",
        arguments: [
            ("mp4", "aac", 44100, 2), ("mkv", "libopus", 48000, 1), ("mkv", "flac", 96000, 6),
            ("mov", "pcm_s24le", 8000, 1),
        ])
    func click(container: String, codec: String, rate: Int, channels: Int) throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound." + container,
            Self.picture + Self.click(rate: rate) + ["-c:v", "mpeg4", "-c:a", codec, "-ac", "\(channels)"], in: folder)
        #expect(abs(Self.loudest(try Self.samples(path)) - 1) < 0.01)
    }

    @Test("Only the chosen track is heard, also at the beginning of the file")
    func tracks() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "two.mkv",
            Self.picture + [
                "-f", "lavfi", "-i", "sine=440:r=16000:d=2", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono:d=2",
            ]
                + ["-map", "0", "-map", "1", "-map", "2", "-c:v", "mpeg4", "-c:a", "pcm_s16le", "-t", "2"], in: folder)
        #expect(try Self.samples(path, audioStream: 2).allSatisfy { $0 == 0 })
        #expect(try Self.samples(path, audioStream: 1).prefix(1600).contains { abs(Int($0)) > 1000 })
    }

    @Test("Sound with one timestamp far beyond the end is left out, and what follows it is heard")
    func farTimestamp() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "far.mkv",
            Self.picture + ["-f", "lavfi", "-i", "sine=440:r=16000:d=2:samples_per_frame=1600"]
                + ["-c:v", "mpeg4", "-c:a", "pcm_s16le", "-bsf:a", "setts=ts=if(eq(N\\,5)\\,PTS+600/TB\\,PTS)"],
            in: folder)
        let samples = try Self.samples(path, until: 2_000_000)
        #expect(samples.count <= 32_000 && samples.suffix(1600).contains { abs(Int($0)) > 1000 }, "\(samples.count)")
    }

    /// Those containers do not name the channels of PCM.
    @Test("The same sound in containers that do not name its channels is the same", arguments: ["avi", "mkv", "mxf"])
    func unnamedChannels(container: String) throws {
        let folder = try TemporaryFolder()
        let source = try Self.make(
            "sound.mov",
            Self.picture + ["-f", "lavfi", "-i", "anoisesrc=r=48000:seed=7:d=2"]
                + ["-c:v", "mpeg2video", "-c:a", "pcm_s16le"], in: folder)
        let path = try Self.make("sound." + container, ["-i", source, "-c", "copy"], in: folder)
        let (samples, expected) = (try Self.samples(path), try Self.samples(source))
        #expect(abs(samples.count - expected.count) < 8)
        #expect(samples.prefix(31_900) == expected.prefix(31_900))
    }

    @Test("Sound that begins later than the picture is later; sound before the picture too", arguments: [0.5, -0.25])
    func offset(_ seconds: Double) throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound.mkv",
            Self.picture + ["-itsoffset", "\(seconds)"] + Self.click(rate: 48000)
                + ["-map", "0:v", "-map", "1:a", "-c:v", "mpeg4", "-c:a", "flac"], in: folder)
        // The clock begins with the earlier of the two.
        #expect(abs(Self.loudest(try Self.samples(path)) - (1 + max(0, seconds))) < 0.003)
    }

    @Test("A gap in the sound is left empty")
    func gap() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound.mkv",
            Self.picture + Self.click(rate: 48000)
                + ["-af", "aselect='lt(t,0.3)+gt(t,0.8)'", "-c:v", "mpeg4", "-c:a", "flac"], in: folder)
        let samples = try Self.samples(path)
        #expect(abs(Self.loudest(samples) - 1) < 0.025)
        #expect(samples.count > 31000)
    }

    @Test("Sound longer than its picture does not hide that after a jump", arguments: [0, 500])
    func jump(second offset: Int) throws {
        let folder = try TemporaryFolder()
        let sound = ["-f", "lavfi", "-i", "aevalsrc=exprs='between(t,1,1.001)*0.8':s=16000:d=2.3"]
        var joined = Data()
        for (name, start) in [("first.ts", 0), ("second.ts", offset)] {
            _ = try Self.make(
                name,
                Self.picture + sound + ["-c:v", "libx264", "-c:a", "aac", "-output_ts_offset", "\(start)"], in: folder)
            joined += try folder.bytes(name)
        }
        let path = folder.path + "/joined.ts"
        try joined.write(to: URL(fileURLWithPath: path))
        let samples = try Self.samples(path)
        let halves = [samples[..<34_000], samples[34_000...]].map(Array.init)
        #expect(abs(Self.loudest(halves[0]) - 1) < 0.1)
        // At 1 s of the second picture.
        #expect(abs(Self.loudest(halves[1]) + 34.0 / 16 - 3) < 0.1)
        #expect(halves[1].map { abs(Int($0)) }.max() ?? 0 > 1000)
    }

    @Test("One of several streams is chosen; what is no sound is an error; a video without sound has none")
    func streams() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound.mkv",
            Self.picture + ["-f", "lavfi", "-i", "anullsrc=r=48000:d=2"] + Self.click(rate: 48000)
                + ["-map", "0:v", "-map", "1:a", "-map", "2:a", "-t", "2", "-c:v", "mpeg4", "-c:a", "flac"], in: folder)
        #expect(try Self.samples(path, audioStream: 1).allSatisfy { $0 == 0 })
        #expect(abs(Self.loudest(try Self.samples(path, audioStream: 2)) - 1) < 0.003)
        let error = #expect(throws: MediaError.self) { try Self.samples(path, audioStream: 0) }
        #expect(error?.reason == "stream 0 is not an audio stream; choose from 1, 2")
        let mute = try Self.make("mute.mkv", Self.picture + ["-c:v", "mpeg4"], in: folder)
        #expect(try SoundReader(path: mute, videoStream: nil, audioStream: nil, limits: MediaLimits()) == nil)
    }

    @Test("Reading ends where it is told to")
    func end() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "sound.mkv",
            Self.picture + ["-f", "lavfi", "-i", "anoisesrc=r=16000:seed=7:d=2", "-c:v", "mpeg4", "-c:a", "flac"],
            in: folder)
        let samples = try Self.samples(path, until: 500_000)
        #expect((8000...12000).contains(samples.count))
    }
}
