import Foundation
import TestSupport
import Testing

@Suite("vidscan cite")
struct CiteTests {
    @Test("A paragraph names version, settings, coverage and validity, and run.json says when, how and of what")
    func paragraph() throws {
        let folder = try TemporaryFolder()
        let clip = try Variants.path("still.png")
        for options in [["--every-frame", "--output", "whole"], ["--start", "0", "--end", "1", "--output", "part"]] {
            #expect(try ChildProcess.run([Checkout.tool, "analyze", clip] + options, in: folder.path).status == 0)
        }
        func record(_ name: String) throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: folder.bytes("\(name)/still.png.vidscan/run.json"))
            return try #require(object as? [String: Any])
        }
        let (whole, part) = (try record("whole"), try record("part"))
        #expect(
            (whole["command"] as? [String])?.dropFirst() == ["analyze", "--every-frame", "--output", "whole", clip])
        #expect((whole["started"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        let sum = try ChildProcess.run(["sha256sum", clip]).output.prefix(64)
        #expect((whole["input"] as? [String: Any])?["sha256"] as? String == String(sum))
        #expect((part["input"] as? [String: Any])?["sha256"] == nil)

        let cited = try Tool.run("cite", "whole/still.png.vidscan", in: folder)
        #expect(cited.status == 0 && cited.errors == "", "\(cited.errors)")
        for words in ["vidscan 0.1.0", String(sum), "CenterFace", "not what somebody feels"] {
            #expect(cited.output.contains(words), "\(words): \(cited.output)")
        }
        #expect(cited.output.contains(") was analysed. Faces were detected "), "\(cited.output)")
        #expect(!cited.output.contains("corrected by hand"))
        #expect(!cited.output.contains("still.png") && cited.output.split(separator: "\n").count == 1)
        try folder.write(
            "person_id,seconds_visible,measured_seconds,one_side_seconds,half_covered_seconds\n"
                + "1,10,2.5,0,0\n2,4,,,\n3,10,5,2,1\n", to: "whole/still.png.vidscan/quality.csv")
        #expect(
            try Tool.run("cite", "whole/still.png.vidscan", in: folder).output.contains(
                "Expressions were measured in this fraction of the time in sight: person 1 25 % of 10.0 s,"
                    + " person 3 50 % of 10.0 s (emotions, which need the whole face, in 20 %). "))
        var old = whole
        (old["started"], old["processor"]) = (nil, nil)
        try JSONSerialization.data(withJSONObject: old).write(
            to: URL(fileURLWithPath: folder.path + "/whole/still.png.vidscan/run.json"))
        let early = try Tool.run("cite", "whole/still.png.vidscan", in: folder)
        #expect(early.output.hasPrefix("Faces were measured with vidscan 0.1.0. The picture ("), "\(early.output)")
        try Tool.run("cite", "missing", in: folder).expectError("missing: is not a vidscan result")
    }

    @Test(
        "A paragraph says how a video was sampled, not what was asked for beyond what it has",
        arguments: [
            (["--start", "1", "--end", "2.5"], " was sampled from 1 s to 2.5 s at 5 frames per second: 8 frames. "),
            (["--start", "2", "--end", "99"], " was sampled from 2 s on at 5 frames per second: 5 frames. "),
            (["--rate", "100", "--end", "0.4"], " was sampled to 0.4 s at every frame: 10 frames. "),
            (
                ["--end", "0.4", "--filter", "hflip"],
                "; the size is that after the filters hflip) was sampled to 0.4 s at 5 "
            ),
        ])
    func sampling(options: [String], words: String) throws {
        let folder = try TemporaryFolder()
        let analyze = ["analyze", try Variants.path("bpyramid.mp4"), "--metrics", "none", "-o", "r"]
        try #require(try ChildProcess.run([Checkout.tool] + analyze + options, in: folder.path).status == 0)
        let cited = try Tool.run("cite", "r/bpyramid.mp4.vidscan", in: folder).output
        #expect(cited.contains(words), "\(cited)")
    }
}
