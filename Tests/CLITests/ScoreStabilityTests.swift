import Foundation
import Testing
import TestSupport

/// How much the scores change when the picture changes and the faces do not.
@Suite("Scores stay stable when only the image changes")
struct ScoreStabilityTests {
    /// A change of the picture, and the mean change of a score (0 to 100) that docs/measurements.md states for it.
    struct Change: Sendable, CustomTestStringConvertible {
        var name: String
        var filter: String
        var quality: Int
        var stated: Double

        var testDescription: String { name }
    }

    private static let changes = [
        Change(name: "encoded at crf 18", filter: "null", quality: 18, stated: 1),
        Change(name: "encoded at crf 28", filter: "null", quality: 28, stated: 2),
        Change(name: "twice the size", filter: "scale=1280:720:flags=bicubic", quality: 12, stated: 1),
        Change(name: "half the size", filter: "scale=320:180:flags=area", quality: 12, stated: 4),
        Change(name: "turned by 20 degrees", filter: "rotate=20*PI/180:ow=640:oh=480", quality: 12, stated: 2.5),
        Change(name: "turned by -45 degrees", filter: "rotate=-45*PI/180:ow=720:oh=720", quality: 12, stated: 2.5),
    ]

    @Test("Scores change no more than the documentation states", arguments: changes)
    func change(change: Change) throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            ["ffmpeg", "-v", "error", "-i", Checkout.clip, "-an", "-vf", "select='not(mod(n,20))',\(change.filter)"]
                + ["-vsync", "passthrough", "-c:v", "libx264", "-crf", "\(change.quality)", "changed.mkv"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let original = try Tool.analyzed(Checkout.clip, "--rate", "1.25")
        let before = try CSVTable(path: original.path + "/faces.mp4.vidscan/faces.csv")
        let run = try Tool.run("analyze", "changed.mkv", "--quiet", "--every-frame", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        let after = try CSVTable(path: folder.path + "/changed.mkv.vidscan/faces.csv")
        let scores = before.columns.drop { $0 != "attention" }.prefix { $0 != "measured_from" }
        try #require(scores.count > 35)
        var differences: [Double] = []
        for row in before.rows.indices {
            let frame = try #require(try before.number("frame", row)) / 20
            let same = try after.rows.indices.filter { try after.number("frame", $0) == frame }
            let alone = try before.rows.indices.filter { try before.number("frame", $0) == frame * 20 }.count == 1
            // Two faces in one picture could be confused.
            guard alone, same.count == 1 else { continue }
            for score in scores {
                guard let old = try before.number(score, row), let new = try after.number(score, same[0]) else {
                    continue
                }
                differences.append(abs(old - new))
            }
        }
        #expect(differences.count > 12 * scores.count)
        #expect(differences.reduce(0, +) / Double(differences.count) < change.stated)
    }
}
