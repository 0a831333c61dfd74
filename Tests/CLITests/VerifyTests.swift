import Foundation
import TestSupport
import Testing
import VidscanBase

@Suite("verify finds faces that are still visible, and writes nothing unless asked")
struct VerifyTests: AnonymizationTesting {
    /// Half a second of the sample with one face, and the same with the face hidden.
    private func clips() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "9", "-t", "0.4", "-i", Checkout.clip, "-an", "-c:v", "libx264", folder.path + "/movie.mp4")
        let made = try Tool.run("analyze", "movie.mp4", "--anonymize", "blur", "-q", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        return folder
    }

    @Test("An original has status 1 and its times, and a video with hidden faces status 0")
    func verdicts() throws {
        let folder = try clips()
        let before = folder.entries
        let plain = try Tool.run("verify", "movie.mp4", in: folder)
        #expect(plain.status == 1)
        #expect(plain.output.hasPrefix("movie.mp4: 0.000–0.360 s: 10 frames, at "), "\(plain.output)")
        #expect(
            plain.errors.hasPrefix("vidscan: movie.mp4: a face may be visible in 10 frames; 10 frames searched in "))
        let hidden = try Tool.run("verify", "movie.mp4.vidscan/anonymized.mp4", in: folder)
        #expect(hidden.status == 0 && hidden.output == "", "\(hidden.output)")
        #expect(hidden.errors.contains("anonymized.mp4: no face found; 10 frames searched in "), "\(hidden.errors)")
        #expect(folder.entries == before)
    }

    @Test("Every frame is listed as CSV and JSON, whatever the number of workers")
    func lists() throws {
        let folder = try clips()
        let truth = try SampleTruth.faces()
        var texts: [String] = []
        for workers in ["1", "3"] {
            let csv = try Tool.run("verify", "movie.mp4", "--format", "csv", "--workers", workers, "-q", in: folder)
            #expect(csv.status == 1 && csv.errors == "")
            texts.append(csv.output)
        }
        #expect(texts[0] == texts[1])
        let table = try CSVTable(texts[0])
        #expect(table.columns == ["time", "frame", "x", "y", "width", "height", "score"])
        #expect(try table.texts("time") == (0..<10).map { String(format: "%.6f", Double($0) * 0.04) })
        for (row, box) in try table.boxes().enumerated() {
            // The search's box ends at the eyebrows.
            let face = try #require(truth.first { $0.frame == 225 + row }).box
            #expect(box.intersectionOverUnion(with: face) > 0.3, "\(box) \(face)")
        }
        let json = try Tool.run("verify", "movie.mp4", "--format", "json", "-q", in: folder)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.outputBytes)) as? [String: Any])
        #expect(object["frames"] as? Int == 10 && object["frames_with_faces"] as? Int == 10)
        #expect((object["faces"] as? [Any])?.count == 10)
    }

    @Test("The page has a picture of each finding, loads nothing, and is not replaced")
    func page() throws {
        let folder = try clips()
        let evil = "a<b>&\".mp4"
        try FileManager.default.moveItem(atPath: folder.path + "/movie.mp4", toPath: folder.path + "/" + evil)
        #expect(try Tool.run("verify", evil, "--page", "-q", in: folder).status == 1)
        let page = try folder.text(evil + ".verify.html")
        #expect(page.contains("<h1>a&lt;b&gt;&amp;&quot;.mp4</h1>") && !page.contains("<b>&"))
        #expect(page.components(separatedBy: "<img src=\"data:image/jpeg;base64,").count == 2)
        #expect(page.contains("default-src 'none'") && !page.contains("http:") && !page.contains("https"))
        let again = try Tool.run("verify", evil, "--page", in: folder)
        again.expectError("\(evil).verify.html exists; --force replaces it", status: 2)
        let named = try Tool.run("verify", evil, "--output", "p.html", "-q", in: folder)
        #expect(named.status == 1 && folder.entries.contains("p.html"))
    }

    @Test("A file that cannot be read, or not to its end, is an error")
    func damaged() throws {
        let folder = try clips()
        try Tool.run("verify", "none.mp4", in: folder)
            .expectError("none.mp4: cannot open: No such file or directory", status: 2)
        try folder.write("no video", to: "text.mp4")
        try Tool.run("verify", "text.mp4", in: folder).expectError("text.mp4: not a video or picture", status: 2)
        let wrong = try Tool.run("verify", "movie.mp4", "--min-score", "2", in: folder)
        wrong.expectError("--min-score must be 0.1 to 1.", status: 2)
    }

    @Test("Of a result, the video with hidden faces is searched; a result without one is an error")
    func result() throws {
        let folder = try clips()
        try #require(
            try Tool.run("analyze", "movie.mp4", "--anonymize", "solid", "-q", "--force", in: folder).status == 0)
        let outcome = try Tool.run("verify", "movie.mp4.vidscan", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("movie.mp4.vidscan/anonymized.mp4: no face found; "))
        try #require(try Tool.run("analyze", "movie.mp4", "-q", "--force", in: folder).status == 0)
        try Tool.run("verify", "movie.mp4.vidscan", in: folder)
            .expectError("movie.mp4.vidscan: has no video in which faces are hidden", status: 2)
    }
}
