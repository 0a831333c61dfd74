import Testing
import TestSupport

@Suite("--baseline judges a face by what it looks like at rest")
struct BaselineTests {
    /// Expressions and eyes, and what follows from them.
    private static let raw = ["smile", "brow_furrow", "nose_wrinkle", "left_eye_openness", "eye_closure"]
    private static let derived = ["anger", "contempt", "disgust", "fear", "joy", "sadness", "surprise", "disappointed"]

    private func faces(_ folder: TemporaryFolder, _ name: String = "faces.mp4") throws -> CSVTable {
        try CSVTable(path: folder.path + "/\(name).vidscan/faces.csv")
    }

    private func tracks(_ folder: TemporaryFolder, _ name: String = "faces.mp4") throws -> CSVTable {
        try CSVTable(path: folder.path + "/\(name).vidscan/tracks.csv")
    }

    private static func rests(_ table: CSVTable) -> [String] { table.columns.filter { $0.hasSuffix("_rest") } }

    @Test("Expressions stay as they are, no emotion rises, and some fall")
    func person() throws {
        let unjudgedFolder = try Tool.analyzed(Checkout.clip, "--baseline", "none")
        let (none, unjudged) = (try faces(unjudgedFolder), try tracks(unjudgedFolder))
        try #require(Self.rests(unjudged).count == 21 && unjudged.rows.count == 2)
        for column in Self.rests(unjudged) {
            #expect(try unjudged.texts(column).allSatisfy(\.isEmpty))
        }
        let folder = try Tool.analyzed()
        let person = try faces(folder)
        try #require(none.rows.count == person.rows.count && none.rows.count > 50)
        for column in Self.raw {
            #expect(
                try none.rows.indices.allSatisfy { try none.text(column, $0) == person.text(column, $0) }, "\(column)")
        }
        var fallen = 0
        for column in Self.derived {
            for row in none.rows.indices {
                guard let before = try none.number(column, row), let after = try person.number(column, row) else {
                    continue
                }
                #expect(after <= before, "\(column)")
                if after < before - 1 { fallen += 1 }
            }
        }
        #expect(fallen > 0)
        let summary = try tracks(folder)
        #expect(Self.rests(summary).count == 21)
        for column in Self.rests(summary) {
            for row in summary.rows.indices {
                let level = try #require(try summary.number(column, row), "\(column)")
                #expect((0...100).contains(level))
            }
        }
        #expect(try folder.text("faces.mp4.vidscan/run.json").contains("\"baseline\" : \"person\""))
        // Every person has one face in the clip.
        let track = try Tool.analyzed(Checkout.clip, "--baseline", "track")
        #expect(try faces(track).rows == person.rows)
    }

    @Test("The JSON formats give the emotions as measured too")
    func json() throws {
        let folder = try Tool.analyzed(Checkout.clip, "--format", "csv,jsonl")
        let (none, person) = (
            try faces(try Tool.analyzed(Checkout.clip, "--baseline", "none")), try faces(folder)
        )
        #expect(try none.texts("fear") != person.texts("fear"))
        let lines = try folder.text("faces.mp4.vidscan/faces.jsonl").split(separator: "\n")
        try #require(lines.count == none.rows.count)
        for (row, line) in lines.enumerated() {
            let raw = try #require(line.split(separator: "\"raw\":").last)
            for column in Self.derived {
                let value = try none.text(column, row)
                #expect(raw.contains("\"\(column)\":\(value.isEmpty ? "null" : value)"), "\(column)")
            }
        }
    }

    @Test("A still picture and a short video are judged as they are", arguments: ["still.png", "oneframe.mp4"])
    func picture(name: String) throws {
        let path = try Variants.path(name)
        let folder = try Tool.analyzed(path)
        let (none, person) = (
            try faces(try Tool.analyzed(path, "--baseline", "none"), name), try faces(folder, name)
        )
        try #require(person.rows.count > 0)
        #expect(person == none)
        let summary = try tracks(folder, name)
        #expect(Self.rests(summary).count == 21)
        for column in Self.rests(summary) { #expect(try summary.text(column, 0) == "") }
    }

    @Test("Less than five seconds of a person are judged as they are")
    func shortVideo() throws {
        let none = try faces(try Tool.analyzed(Checkout.clip, "--end", "4.8", "--baseline", "none"))
        let person = try faces(try Tool.analyzed(Checkout.clip, "--end", "4.8"))
        try #require(person.rows.count > 10)
        #expect(person == none)
    }

    @Test("Without metrics there are no levels, and a metric alone has the value that it has among all")
    func metrics() throws {
        let some = try Tool.analyzed(Checkout.clip, "--metrics", "fear,smile")
        #expect(try faces(some).texts("fear") == faces(try Tool.analyzed()).texts("fear"))
        let summary = try tracks(some)
        #expect(try summary.number("smile_rest", 0) != nil)
        #expect(try summary.text("brow_furrow_rest", 0) == "")
        let none = try tracks(try Tool.analyzed(Checkout.clip, "--end", "1", "--metrics", "none"))
        #expect(Self.rests(none).count == 21)
        for column in Self.rests(none) { #expect(try none.text(column, 0) == "") }
    }

    @Test("One and eight workers and segments give the same levels")
    func workers() throws {
        let folder = try TemporaryFolder()
        // One person is seen for more than five seconds.
        let window = ["--end", "9.6"]
        for count in ["1", "8"] {
            let run = try ChildProcess.run(
                [Checkout.tool, "analyze", Checkout.clip, "--workers", count, "--output", count] + window,
                in: folder.path)
            try #require(run.status == 0, "\(run.errors)")
        }
        #expect(try CSVTable(path: folder.path + "/1/faces.mp4.vidscan/tracks.csv").number("smile_rest", 0) != nil)
        try folder.expectSameTables("1/faces.mp4.vidscan", "8/faces.mp4.vidscan")
        try Tool.analyzeSegments(3, of: Checkout.clip, "--end", "9.6", in: folder)
        try #require(try Tool.shell("\"$0\" merge *-of-3 --output merged", in: folder).status == 0)
        try folder.expectSameTables("1/faces.mp4.vidscan", "merged/faces.mp4.vidscan")
    }

    @Test("An unknown baseline is refused")
    func unknown() throws {
        let run = try Tool.run("analyze", Checkout.clip, "--baseline", "me", in: try TemporaryFolder())
        #expect(run.status == 2)
        #expect(run.errors.contains("person, track, none"))
    }
}
