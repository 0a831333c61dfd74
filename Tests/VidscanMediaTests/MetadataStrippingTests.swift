import Foundation
import Testing
import TestSupport
import VidscanMedia

@Suite("Audio copied without metadata")
struct MetadataStrippingTests {
    /// A video with audio of one codec, transcoded without metadata.
    private struct Stripped {
        let folder: TemporaryFolder
        let source: String
        let path: String

        init(_ encoder: [String], change: (inout [UInt8]) throws -> Void = { _ in }) throws {
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
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: source)))
            try change(&bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: source))
            var options = Transcoder.Options(rateFactor: 40)
            options.keepsMetadata = false
            let transcoder = try Transcoder(source: source, options: options)
            #expect(transcoder.omittedStreams == [])
            let container = transcoder.preferredContainer
            path = folder.path + "/new." + container.rawValue
            try transcoder.run(to: path, container: container) { _ in }
        }

        func contains(_ text: String) throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    private static func samples(_ path: String) throws -> [UInt8] {
        let outcome = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.outputBytes
    }

    private static let encoders = [
        ["-c:a", "aac"], ["-c:a", "aac", "-ac", "1"], ["-af", "pan=6.1(back)|FL=c0|FR=c1", "-c:a", "aac"],
        ["-c:a", "libmp3lame"], ["-c:a", "mp2"], ["-c:a", "ac3"], ["-c:a", "eac3"], ["-c:a", "libopus"],
        ["-c:a", "libvorbis"], ["-c:a", "vorbis", "-strict", "-2"], ["-c:a", "flac"], ["-c:a", "alac"],
        ["-c:a", "pcm_s24le"], ["-c:a", "dca", "-strict", "-2"], ["-c:a", "truehd", "-strict", "-2"],
    ]

    @Test("The samples are the same, and neither headers nor packets name the encoder", arguments: encoders)
    func same(encoder: [String]) throws {
        // Replaces the names that FFmpeg writes, as another encoder might, by a name of the same length.
        let name = "SECRETname"
        let new = try Stripped(encoder) { bytes in
            for index in bytes.indices.dropLast(name.utf8.count) {
                let isName =
                    bytes[index...].starts(with: "Lavc".utf8) || bytes[index...].starts(with: "Lavf".utf8)
                    || bytes[index...].starts(with: "Xiph.Org".utf8)
                guard isName, bytes[index...].prefix(name.utf8.count).allSatisfy({ (0x20...0x7E).contains($0) }) else {
                    continue
                }
                bytes.replaceSubrange(index..<index + name.utf8.count, with: name.utf8)
            }
            try #require(Data(bytes).range(of: Data(name.utf8)) != nil)
        }
        #expect(try !new.contains("SECRET"))
        // The samples of a video that keeps its metadata, which other tests compare with the source.
        let golden = new.folder.path + "/golden." + String(new.path.suffix(3))
        let plain = try Transcoder(source: new.source, options: Transcoder.Options(rateFactor: 40))
        let container = try #require(VideoContainer(path: golden))
        try plain.run(to: golden, container: container) { _ in }
        let (expected, samples) = (try Self.samples(golden), try Self.samples(new.path))
        try #require(expected.count > 70_000)
        let isSame = samples == expected
        #expect(isSame, "\(samples.count) bytes, not \(expected.count)")
    }

    @Test("A tag after an MPEG audio frame is removed, and the other packets stay the same")
    func tags() throws {
        let encoder = ["-c:a", "mp2", "-b:a", "64k"]
        let new = try Stripped(encoder) { bytes in
            // At 64 kbit/s and 48 kHz, every frame of layer II begins with these bytes and has 192 bytes.
            let starts = bytes.indices.dropLast(192).filter { bytes[$0...].starts(with: [0xFF, 0xFD, 0x44]) }
            try #require(starts.count > 20)
            // At 32 kbit/s, the frame has half as many bytes.
            bytes[starts[5] + 2] = 0x14
            let tag = Array("APETAGEX SECRETtitle".utf8)
            bytes.replaceSubrange(
                starts[5] + 96..<starts[5] + 192, with: tag + [UInt8](repeating: 0, count: 96 - tag.count))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: new.source)).range(of: Data("SECRET".utf8)) != nil)
        #expect(try !new.contains("SECRET"))
        let before = try Probe(path: new.source).packets("a:0").map(\.hash)
        let after = try Probe(path: new.path).packets("a:0").map(\.hash)
        try #require(before.count == after.count)
        #expect(before.indices.filter { before[$0] != after[$0] } == [5])
    }
}
