import Foundation
import Testing
import TestSupport

@Suite("--metrics and --blendshapes choose what is measured")
struct MetricChoiceTests {
    private func analyze(_ options: [String]) throws -> CSVTable {
        let folder = try Tool.analyzed(options: ["--end", "1"] + options)
        return try CSVTable(path: folder.path + "/faces.mp4.vidscan/faces.csv")
    }

    @Test("Metrics that are not requested are blank, and all columns remain")
    func choice() throws {
        let all = try analyze([])
        let some = try analyze(["--metrics", "smile,eyes"])
        let none = try analyze(["--metrics", "none"])
        // A second has five samples, with a face in each.
        try #require([all, some, none].map(\.rows.count) == [5, 5, 5])
        #expect(some.columns == all.columns)
        #expect(none.columns == all.columns)
        for row in all.rows.indices {
            #expect(try all.number("joy", row) != nil)
            #expect(try some.text("joy", row) == "")
            #expect(try some.text("smile", row) == all.text("smile", row))
            #expect(try some.text("has_smile", row) == all.text("has_smile", row))
            #expect(try !all.text("has_smile", row).isEmpty)
            #expect(try some.text("left_eye_openness", row) == all.text("left_eye_openness", row))
            #expect(try none.text("smile", row) == "")
            #expect(try none.number("yaw", row) == all.number("yaw", row))
        }
    }

    @Test("has_smile comes with smile and can be alone, and is none of the eyes")
    func hasSmile() throws {
        let all = try analyze(["--metrics", "expressions"])
        let smile = try analyze(["--metrics", "smile"])
        let alone = try analyze(["--metrics", "has_smile"])
        let eyes = try analyze(["--metrics", "eyes"])
        try #require([all, smile, alone, eyes].map(\.rows.count) == [5, 5, 5, 5])
        for row in all.rows.indices {
            let value = try all.text("has_smile", row)
            #expect(["0", "1"].contains(value))
            #expect(try smile.text("has_smile", row) == value)
            #expect(try alone.text("has_smile", row) == value)
            #expect(try alone.text("smile", row) == "")
            #expect(try eyes.text("has_smile", row) == "")
            #expect(try !eyes.text("gaze_yaw", row).isEmpty)
        }
    }

    @Test("Action units are the expressions as shares of 1, and are measured by default")
    func actionUnits() throws {
        let all = try analyze([])
        let units = try analyze(["--metrics", "aus"])
        for row in all.rows.indices {
            for (unit, expression) in [("AU12", "smile"), ("AU04", "brow_furrow"), ("AU43", "eye_closure")] {
                let share = try #require(try all.number(unit, row))
                let value = try #require(try all.number(expression, row))
                #expect(abs(100 * share - value) <= 0.01, "row \(row), \(unit)")
                #expect(try units.number(unit, row) == share)
                #expect(try units.text(expression, row) == "")
            }
            #expect(try all.text("AU45", row) == units.text("AU45", row))
        }
        // Nothing stands for AU 23.
        #expect(!all.columns.contains("AU23"))
    }

    @Test("An unknown metric is refused")
    func unknown() throws {
        let run = try ChildProcess.run([Checkout.tool, "analyze", Checkout.clip, "--metrics", "smiles"], in: "/")
        #expect(run.status == 2)
        #expect(run.errors.contains("smiles"))
    }

    @Test("Blendshapes are written for every face")
    func blendshapes() throws {
        let folder = try Tool.analyzed(Checkout.clip, "--end", "1", "--blendshapes", "--metrics", "none")
        let faces = try CSVTable(path: folder.path + "/faces.mp4.vidscan/faces.csv")
        let scores = try CSVTable(path: folder.path + "/faces.mp4.vidscan/blendshapes.csv")
        try #require([faces, scores].map(\.rows.count) == [5, 5])
        #expect(scores.columns.count == 3 + 52)
        for row in scores.rows.indices {
            #expect(try scores.text("time", row) == faces.text("time", row))
            let smile = try #require(try scores.number("mouthSmileLeft", row))
            #expect((0...1).contains(smile))
        }
    }
}
