import Foundation
import TestSupport
import Testing

@Suite("Who speaks")
struct SpeechTests {
    /// The sample clip with a voice from 4 to 8 s, and silence around it. `gaps.mkv` has sound only from 2 to 5 s and from 6 to
    /// 8 s, as far as packets allow.
    private static func talkingClip() throws -> TemporaryFolder {
        try PreparedFolder.copy("a voice") { folder in
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-t", "10", "-i", Checkout.clip, "-f", "lavfi", "-i",
                "flite=text='Good morning everybody, this is a test of a detector of voices.'", "-filter_complex",
                "[1]aresample=16000,adelay=4000,apad=whole_dur=10[a]", "-map", "0:v", "-map", "[a]", "-c:v", "copy",
                "-c:a", "aac", "-b:a", "96k", folder.path + "/talk.mp4",
            ])
            try #require(made.status == 0, "\(made.errors)")
            let cut = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-i", folder.path + "/talk.mp4", "-c:v", "copy", "-af",
                "aselect='between(t,2,5)+between(t,6,8)'", "-c:a", "flac", folder.path + "/gaps.mkv",
            ])
            try #require(cut.status == 0, "\(cut.errors)")
        }
    }

    /// The beginning of the sample clip, `faces.mp4`, without sound.
    private static func muteClip(seconds: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-t", "\(seconds)", "-i", Checkout.clip, "-an", "-c", "copy",
            folder.path + "/faces.mp4",
        ])
        try #require(made.status == 0, "\(made.errors)")
        return folder
    }

    private static func table(_ name: String, in folder: TemporaryFolder) throws -> CSVTable {
        try CSVTable(bytes: folder.bytes(name))
    }

    @Test("A voice is heard where it is; faces that do not move their mouths do not speak")
    func offScreen() throws {
        let folder = try Self.talkingClip()
        let outcome = try Tool.run("analyze", "talk.mp4", "--speech", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let frames = try Self.table("talk.mp4.vidscan/frames.csv", in: folder)
        let voice = try frames.rows.indices.map { row in
            (time: try frames.number("time", row) ?? -1, voice: try frames.number("voice", row))
        }
        let within = voice.filter { (4.6...6.5).contains($0.time) }.compactMap(\.voice)
        let before = voice.filter { $0.time < 3.8 }.compactMap(\.voice)
        try #require(within.count > 5 && before.count > 15)
        #expect(within.count { $0 > 50 } > within.count * 2 / 3)
        #expect(before.allSatisfy { $0 < 30 })
        let faces = try Self.table("talk.mp4.vidscan/faces.csv", in: folder)
        let speaking = try faces.rows.indices.compactMap { try faces.number("speaking", $0) }
        #expect(speaking.count > faces.rows.count / 2)
        #expect(speaking.count { $0 >= 50 } < speaking.count / 20)
        // Where nothing can be heard, nobody speaks.
        for row in faces.rows.indices where try faces.number("time", row) ?? 9 < 3 {
            #expect(try faces.number("speaking", row) ?? 0 < 25)
        }
    }

    @Test("Workers and segments do not change who speaks")
    func invariance() throws {
        let folder = try Self.talkingClip()
        // The voice is heard from 4 s on, with a gap.
        for workers in ["1", "8"] {
            let outcome = try Tool.run(
                "analyze", "gaps.mkv", "--speech", "--quiet", "--workers", workers, "--start", "3", "--end", "7",
                "--output", "w" + workers, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try Tool.analyzeSegments(2, of: "gaps.mkv", "--speech", "--start", "3", "--end", "7", in: folder)
        #expect(try Tool.shell("\"$0\" merge gaps.mkv.part-*-of-2 --output merged", in: folder).status == 0)
        #expect(try Self.table("w1/gaps.mkv.vidscan/faces.csv", in: folder).texts("speaking").contains { $0 != "" })
        for other in ["w8", "merged"] {
            try folder.expectSameTables("w1/gaps.mkv.vidscan", other + "/gaps.mkv.vidscan")
        }
    }

    @Test(
        "Segments with filters are merged, and the filters run where mouths are read, with permission if they need it")
    func filtered() throws {
        let folder = try Self.talkingClip()
        try folder.write("LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n", to: "same.cube")
        let options = [
            "--speech", "--filter", "hflip,lut3d=file=same.cube", "--allow-file-filters", "--start", "3", "--end", "6",
        ]
        let whole = try ChildProcess.run(
            [Checkout.tool, "analyze", "gaps.mkv", "--quiet", "--output", "whole"] + options, in: folder.path)
        #expect(whole.status == 0, "\(whole.errors)")
        for segment in ["0/2", "1/2"] {
            let part = try ChildProcess.run(
                [Checkout.tool, "analyze", "gaps.mkv", "--quiet", "--segment", segment] + options, in: folder.path)
            #expect(part.status == 0, "\(part.errors)")
        }
        try Tool.shell("\"$0\" merge gaps.mkv.part-*-of-2 --output refused", in: folder).expectError(
            "filter 'lut3d' accesses a file through its option 'file'; --allow-file-filters permits it")
        let merged = try Tool.shell(
            "\"$0\" merge gaps.mkv.part-*-of-2 --allow-file-filters --output merged", in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        try folder.expectSameTables("whole/gaps.mkv.vidscan", "merged/gaps.mkv.vidscan")
    }

    @Test("Where the sound begins late, has a gap or ends early, voices are blank, not silent, and end unseen")
    func interrupted() throws {
        let folder = try Self.talkingClip()
        let outcome = try Tool.run("analyze", "gaps.mkv", "--speech", "--quiet", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        func hasSound(_ time: Double) -> Bool { (2.1...5.1).contains(time) || (6.1...8.1).contains(time) }
        let frames = try Self.table("gaps.mkv.vidscan/frames.csv", in: folder)
        for row in frames.rows.indices {
            #expect(try (frames.number("voice", row) != nil) == hasSound(frames.number("time", row) ?? -1))
        }
        let faces = try Self.table("gaps.mkv.vidscan/faces.csv", in: folder)
        let moving = try faces.rows.indices.filter { try faces.number("speech_movement", $0) != nil }
        for row in moving {
            #expect(try (faces.number("speaking", row) != nil) == hasSound(faces.number("time", row) ?? -1))
        }
        #expect(try moving.contains { try !hasSound(faces.number("time", $0) ?? -1) })
        let episodes = try Self.table("gaps.mkv.vidscan/episodes.csv", in: folder)
        let voices = try episodes.rows.indices.filter { try episodes.texts("kind")[$0] == "voice_off_screen" }
        let ends = try voices.map { row in
            try ["start", "end", "start_seen", "end_seen"].map { try episodes.number($0, row) }
        }
        #expect(ends == [[4.2, 5, 1, 0], [6.2, 8, 0, 0]])
    }

    @Test("Without sound, the picture alone tells how mouths move; without --speech, nothing is written")
    func blank() throws {
        let folder = try Self.muteClip(seconds: 5)
        let outcome = try Tool.run("analyze", "faces.mp4", "--speech", "--rate", "2", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("note: without readable sound, 'voice' and 'speaking' are blank"),
            "\(outcome.errors)")
        #expect(try !Tool.run("cite", "faces.mp4.vidscan", in: folder).output.contains("LR-ASD"))
        let export = try Tool.run("export", "faces.mp4.vidscan", "--to", "rttm", in: folder)
        #expect(export.status == 0 && export.errors.contains("note: the RTTM file is empty: "), "\(export.errors)")
        #expect(try folder.text("faces.mp4.vidscan/faces.rttm") == "")
        let faces = try Self.table("faces.mp4.vidscan/faces.csv", in: folder)
        #expect(try faces.texts("speaking").allSatisfy(\.isEmpty))
        #expect(try faces.texts("speech_movement").contains { $0 != "" })
        #expect(try Self.table("faces.mp4.vidscan/frames.csv", in: folder).texts("voice").allSatisfy(\.isEmpty))
        let plain = try Tool.analyzed(Checkout.clip, "--rate", "2")
        let silent = try Self.table("faces.mp4.vidscan/faces.csv", in: plain)
        #expect(try (silent.texts("speaking") + silent.texts("speech_movement")).allSatisfy(\.isEmpty))
    }

    @Test("Of a video with few frames per second, nobody's speech is measured, and this is said")
    func fewFrames() throws {
        let folder = try Self.talkingClip()
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", "talk.mp4", "-r", "3", "-t", "4", "slow.mp4"], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let outcome = try Tool.run("analyze", "slow.mp4", "--speech", "--every-frame", in: folder)
        #expect(outcome.status == 0 && outcome.errors.contains("'speaking' is blank: to see who speaks"))
        let faces = try Self.table("slow.mp4.vidscan/faces.csv", in: folder)
        #expect(try (faces.texts("speaking") + faces.texts("speech_movement")).allSatisfy(\.isEmpty))
    }

    /// Samples are searched one by one, so that a moment has the same box at both rates. The last ones see another end.
    @Test("A mouth moves as much at 25 samples per second as at 5")
    func rates() throws {
        let folder = try Self.muteClip(seconds: 4)
        let movements = try ["25", "5"].map { rate -> [(String, String)] in
            let outcome = try Tool.run(
                "analyze", "faces.mp4", "--speech", "--stride", "1", "--no-smoothing", "--rate", rate, "-o", rate,
                in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
            let faces = try Self.table("\(rate)/faces.mp4.vidscan/faces.csv", in: folder)
            return zip(try faces.texts("time"), try faces.texts("speech_movement")).filter { $0.0 < "3.5" }
        }
        let dense = Dictionary(movements[0], uniquingKeysWith: { first, _ in first })
        #expect(movements[1].count == 18)
        for (time, movement) in movements[1] { #expect(dense[time] == movement, "\(time)") }
    }

    @Test("Who hides faces is not told who speaks by a pipeline, only by the option")
    func hidden() throws {
        let folder = try Self.talkingClip()
        try folder.write("speech: true\nwrite:\n  tables: true\n", to: "talk.yaml")
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-t", "1", "-i", "talk.mp4", "-c", "copy", "short.mp4"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let outcome = try Tool.run(
            "analyze", "short.mp4", "--pipeline", "talk.yaml", "--anonymize", "blur", "--end", "1", in: folder)
        #expect(outcome.status == 2)
        let hidden = try Tool.run("analyze", "short.mp4", "--pipeline", "talk.yaml", "--anonymize", "blur", in: folder)
        #expect(hidden.status == 0, "\(hidden.errors)")
        #expect(hidden.errors.contains("who speaks is not written, because of --anonymize; --speech asks for it"))
        let faces = try Self.table("short.mp4.vidscan/faces.csv", in: folder)
        try #require(faces.rows.count > 20)
        #expect(try (faces.texts("speaking") + faces.texts("speech_movement")).allSatisfy(\.isEmpty))
    }

    @Test("A stream that is no sound is an error")
    func wrongStream() throws {
        let folder = try Self.talkingClip()
        let outcome = try Tool.run("analyze", "talk.mp4", "--speech", "--audio-stream", "0", in: folder)
        outcome.expectError("stream 0 is not an audio stream; choose from 1")
        #expect(!folder.entries.contains { $0.hasPrefix("talk.mp4.vidscan") })
    }
}
