import Foundation
import TestSupport
import Testing
import VidscanBase

@Suite("One of three people stays visible, and the others never are")
struct KeptPersonTests {
    private let clip: ThreePeople

    /// The clip, its result, and `kept.mp4`, in which the first person is visible.
    init() throws {
        clip = try ThreePeople(
            analyzed: "--anonymize", "solid", "--crf", "0", "--tables",
            rendering: ["--anonymize", "solid", "--crf", "0", "--keep", "1", "-o", "kept.mp4"])
    }

    private func render(_ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            [Checkout.tool, "render", "three.mp4.vidscan", "--anonymize", "solid", "--crf", "0", "-o", "new.mp4"]
                + options, in: clip.folder.path)
    }

    @Test("--keep leaves the pixels of one person as they are, and covers the others in every frame")
    func keep() throws {
        // Faces are numbered from left to right.
        let (plain, hidden) = (try clip.video(clip.path), try clip.video(clip.folder.path + "/kept.mp4"))
        var apart = 0
        for frame in 0..<ThreePeople.frameCount {
            for person in [ThreePeople.Person.second, .third] {
                guard let box = ThreePeople.face(person, frame: frame) else { continue }
                #expect(hidden.isCovered(box, frame: frame), "\(person), frame \(frame)")
            }
            guard let box = ThreePeople.face(.first, frame: frame) else { continue }
            let second = ThreePeople.face(.second, frame: frame)
            if ThreePeople.isFirstApart(frame: frame) {
                #expect(hidden.isEqual(to: plain, in: box, frame: frame), "frame \(frame)")
                apart += 1
            } else if let second, box.intersectionArea(with: second) > 0.5 * box.area {
                #expect(hidden.isCovered(box, frame: frame), "frame \(frame)")
            }
        }
        #expect(apart > 180)
        let object = try JSONSerialization.jsonObject(with: clip.folder.bytes("kept.mp4.json"))
        let record = try #require(object as? [String: Any])
        let frames = try #require(record["frames"] as? [String: Any])
        let (visible, doubtful) = (
            try #require(frames["visible"] as? Int), try #require(frames["hidden_in_doubt"] as? Int)
        )
        #expect(frames["total"] as? Int == ThreePeople.frameCount && visible >= apart && doubtful >= 10)
        #expect(
            try clip.folder.text("errors.txt").contains(
                "; faces left visible in \(visible) frames, hidden in doubt in \(doubtful) frames\n"))
        let named = try #require(record["visible"] as? [String: Any])
        #expect(named["kept_person_ids"] as? [Int] == [1])
        #expect(try !clip.folder.text("kept.mp4.json").contains("vidscan-tests-"))
    }

    @Test("Every face that an analysis finds afterwards has the embedding of the person who was kept")
    func embedding() throws {
        // A second of the person's portrait comes first.
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-i", "kept.mp4", "-filter_complex",
                "[0:v]trim=start_frame=195:end_frame=220,setpts=PTS-STARTPTS,pad=960:360[a];[a][1:v]concat", "-c:v",
                "libx264", "-crf", "12", "both.mp4",
            ], in: clip.folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let analysed = try Tool.run("analyze", "both.mp4", "-q", "--rate", "12", "--faces", "small", in: clip.folder)
        try #require(analysed.status == 0, "\(analysed.errors)")
        let tracks = try CSVTable(path: clip.folder.path + "/both.mp4.vidscan/tracks.csv")
        #expect(Set(try tracks.numbers("person_id")) == [1])
        #expect(try tracks.numbers("samples").reduce(0, +) > 95)
    }

    @Test("--hide hides a person, and everybody who might be that person")
    func hide() throws {
        // The third person is the second one distorted.
        for (options, isFirstVisible) in [(["--hide", "2"], true), (["--hide", "1"], false)] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "render", "three.mp4.vidscan", "--anonymize", "solid", "--crf", "0", "-q", "--force"]
                    + ["-o", "new.mp4"] + options, in: clip.folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
            let (plain, hidden) = (try clip.video(clip.path), try clip.video(clip.folder.path + "/new.mp4"))
            for frame in 0..<ThreePeople.frameCount {
                if let box = ThreePeople.face(isFirstVisible ? .second : .first, frame: frame) {
                    #expect(hidden.isCovered(box, frame: frame), "\(options), frame \(frame)")
                }
                if isFirstVisible, ThreePeople.isFirstApart(frame: frame),
                    let box = ThreePeople.face(.first, frame: frame)
                {
                    #expect(hidden.isEqual(to: plain, in: box, frame: frame), "\(options), frame \(frame)")
                }
            }
        }
    }

    @Test("--invert with --keep shows nothing but the person")
    func inverted() throws {
        let outcome = try render("--keep", "1", "--invert", "-q")
        try #require(outcome.status == 0, "\(outcome.errors)")
        let (plain, hidden) = (try clip.video(clip.path), try clip.video(clip.folder.path + "/new.mp4"))
        for frame in 0..<ThreePeople.frameCount {
            for person in [ThreePeople.Person.second, .third] {
                guard let box = ThreePeople.face(person, frame: frame) else { continue }
                #expect(hidden.isCovered(box, frame: frame), "\(person), frame \(frame)")
            }
            if ThreePeople.isFirstApart(frame: frame), let box = ThreePeople.face(.first, frame: frame) {
                #expect(hidden.isEqual(to: plain, in: box, frame: frame), "frame \(frame)")
            }
        }
    }
}

/// A second of the sample with two people.
@Suite("People who stay visible are those of the earlier result")
struct ChosenPersonTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try PreparedFolder.copy("a second of two people, hidden") { folder in
            let made = try ChildProcess.run(
                [
                    "ffmpeg", "-nostdin", "-v", "error", "-ss", "11.6", "-t", "1", "-i", Checkout.clip, "-an", "-c:v",
                    "libx264", "two.mp4",
                ], in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
            let analysed = try Tool.run(
                "analyze", "two.mp4", "-q", "--anonymize", "solid", "--crf", "0", "--tables", in: folder)
            try #require(analysed.status == 0, "\(analysed.errors)")
        }
    }

    private func render(_ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            [Checkout.tool, "render", "two.mp4.vidscan", "--anonymize", "solid", "--crf", "0", "-o", "new.mp4"]
                + options, in: folder.path)
    }

    @Test("Without embeddings, people cannot be chosen")
    func noPerson() throws {
        let made = try Tool.run(
            "analyze", "two.mp4", "-q", "--force", "--anonymize", "solid", "--no-person", "--tables", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        for option in ["--keep", "--hide"] {
            let outcome = try render(option, "1")
            outcome.expectError("was analysed without recognising people by their faces (track.person)")
        }
        #expect(!folder.entries.contains { $0.hasPrefix("new.mp4") })
        #expect(try render("--keep-face", "1", "-q").status == 0)
    }

    @Test("analyze --keep takes the numbers of the earlier result, and shows the same person as render does")
    func analyzed() throws {
        let rendered = try render("--keep", "1", "-q")
        try #require(rendered.status == 0, "\(rendered.errors)")
        let analyse = { (options: [String]) in
            try ChildProcess.run(
                [Checkout.tool, "analyze", "two.mp4", "--anonymize", "solid", "--crf", "0"] + options,
                in: folder.path)
        }
        let before = folder.entries
        try analyse(["--keep", "1"]).expectError("the result \(folder.path)/two.mp4.vidscan exists")
        try analyse(["--keep", "1,7", "--force"]).expectError(
            "two.mp4: the earlier result two.mp4.vidscan has no person_id 7, which --keep or --hide names; it has")
        try analyse(["--keep", "1", "--output", "new"]).expectError(
            "people are chosen by the person_ids of an earlier result, but there is no new/two.mp4.vidscan; first run"
                + " 'vidscan analyze VIDEO --anonymize solid --report'")
        #expect(folder.entries == before)
        // An earlier result that numbers people in another way.
        let tracks = "two.mp4.vidscan/tracks.csv"
        let table = try folder.text(tracks)
        var swapped = try CSVTable(path: folder.path + "/" + tracks)
        try swapped.set("samples", 0, to: "3")
        try folder.write(swapped.text, to: tracks)
        let differs = try analyse(["--keep", "1", "--force", "-q"])
        differs.expectError(
            "this run numbers people differently from the earlier result two.mp4.vidscan, so that somebody else might"
                + " stay visible")
        #expect(folder.entries == before)
        try folder.write(table, to: tracks)
        let kept = try analyse(["--keep", "1", "--force"])
        try #require(kept.status == 0, "\(kept.errors)")
        #expect(kept.errors.contains("two.mp4: note: faces left visible in "), "\(kept.errors)")
        #expect(
            try folder.bytes("two.mp4.vidscan/anonymized.mp4") == folder.bytes("new.mp4"))
        #expect(!folder.entries.contains(tracks))
    }
}
