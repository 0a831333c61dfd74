import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The sound of a transcoded video")
struct TranscodedSoundTests {
    @Test(
        "Audio packets are those of the source, bit for bit",
        arguments: ["audiofirst.mp4", "audiofirst.mkv", "starttime.mp4", "starttime.ts", "fragmented.mp4", "cover.mp4"])
    func sound(name: String) throws {
        let source = try Variants.path(name)
        let new = try Transcoded(source)
        // MP4 does not store the headers that MPEG streams put before each packet, so compare with a copy by ffmpeg.
        let golden = new.folder.path + "/golden.mp4"
        let copied = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", source, "-map", "0:a", "-c", "copy", golden,
        ])
        try #require(copied.status == 0, "\(copied.errors)")
        let packets = try Probe(path: new.path).packets("a:0")
        #expect(packets.map(\.hash) == (try Probe(path: golden).packets("a:0").map(\.hash)))
        let shift = name.hasSuffix(".ts") ? Double(new.transcoder.info.containerStartMicroseconds) / 1e6 : 0
        let times = try Probe(path: source).packets("a:0").map { $0.seconds - shift }
        try #require(times.count == packets.count)
        // Half a tick of the audio in MP4, 1/44100 s, plus the rounding to six decimals.
        for (packet, time) in zip(packets, times) { #expect(abs(packet.seconds - time) < 0.5 / 44_100 + 2e-6) }
    }

    @Test("Sound that no container holds is encoded again at its time, and left out if nobody can decode it")
    func foreignSound() throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/old.mkv"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", try Variants.path("audiofirst.mp4"), "-itsoffset", "0.5",
            "-f", "lavfi", "-i", "sine=440:d=1", "-f", "lavfi", "-i", "sine=550:d=1", "-map", "0:v", "-map", "1",
            "-map", "2",
            "-c:v", "copy", "-c:a:0", "wmav2", "-c:a:1", "sonic", "-strict", "-2", source,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let new = try Transcoded(source)
        #expect(new.path.hasSuffix(".mp4"))
        #expect(new.transcoder.soundCodecs == ["AAC"])
        #expect(new.transcoder.omittedStreams.map { $0.prefix(16) } == ["stream 2 (sonic)"])
        let sound = try #require(try Probe(path: new.path).packets("a:0").first)
        #expect(abs(sound.seconds - 0.5) < 0.1)
        #expect(new.transcoder.unsupportedCodecs(in: .mov).isEmpty)
        var options = Transcoder.Options()
        options.codec = .av1
        #expect(try Transcoder(source: source, options: options).unsupportedCodecs(in: .mov) == ["av1"])
    }

    @Test("Sound longer than its picture does not delay the sound after a jump")
    func jump() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=2", "-f", "lavfi", "-i",
            "sine=r=48000:d=2.6", "-c:v", "libx264", "-c:a", "aac", folder.path + "/part.ts",
        ])
        try #require(made.status == 0, "\(made.errors)")
        let bytes = try folder.bytes("part.ts")
        let source = folder.path + "/joined.ts"
        try (bytes + bytes).write(to: URL(fileURLWithPath: source))
        let new = try Transcoded(source)
        let packets = try Probe(path: new.path).packets("a:0").map(\.seconds)
        #expect(abs(try #require(packets.last) - 4.6) < 0.1)
        // A player that ignores their times stays within two packets of the picture.
        #expect(Double(packets.count) * 1024 / 48_000 < 4.6 + 0.1)
    }

    @Test("All packets of sound are copied, however short they are; those of another codec after a jump are left out")
    func shortAndForeignPackets() throws {
        let folder = try TemporaryFolder()
        for (name, sound) in [
            ("short.mkv", ["-af", "asetnsamples=n=32", "-c:a", "pcm_s16le"]), ("first.ts", ["-c:a", "aac"]),
            ("second.ts", ["-c:a", "mp2"]),
        ] {
            let made = try ChildProcess.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=2", "-f", "lavfi"]
                    + ["-i", "sine=r=48000:d=2", "-c:v", "libx264"] + sound + [folder.path + "/" + name])
            try #require(made.status == 0, "\(made.errors)")
        }
        let short = try Transcoded(folder.path + "/short.mkv")
        #expect(short.path.hasSuffix(".mkv"))
        #expect(
            try Probe(path: short.path).packets("a:0").map(\.hash)
                == (try Probe(path: folder.path + "/short.mkv").packets("a:0").map(\.hash)))
        let joined = folder.path + "/joined.ts"
        try (try folder.bytes("first.ts") + folder.bytes("second.ts")).write(to: URL(fileURLWithPath: joined))
        let foreign = try Transcoded(joined)
        #expect(foreign.transcoder.omittedPackets > 0)
        #expect(try Probe(path: foreign.path).packets("v:0").count == 100)
    }

    @Test("Sound that begins ten seconds late is copied; a stream in which none was found is named")
    func lateSound() throws {
        let folder = try TemporaryFolder()
        for seconds in [10, 75] {
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:d=\(seconds + 1)",
                "-itsoffset", "\(seconds)", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "mpeg2video", "-c:a", "ac3",
                "\(folder.path)/\(seconds).ts",
            ])
            try #require(made.status == 0, "\(made.errors)")
        }
        let new = try Transcoded(folder.path + "/10.ts")
        #expect(new.transcoder.omittedStreams == [])
        let packets = try Probe(path: new.path).packets("a:0")
        #expect(packets.map(\.hash) == (try Probe(path: folder.path + "/10.ts").packets("a:0").map(\.hash)))
        #expect(abs(try #require(packets.first).seconds - 10) < 0.1)
        let unheard = try Transcoder(source: folder.path + "/75.ts", options: Transcoder.Options())
        #expect(unheard.omittedStreams == ["stream 1 (ac3): no sound was found in it"])
    }
}
