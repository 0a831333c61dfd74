import Foundation
import Synchronization
import TestSupport
import Testing
import VidscanBase
import VidscanExport

@Suite("vidscan interact compares two people")
struct InteractionAnalysisTests {
    private static let names = "time,frame,face_id,x,y,width,height,person_id,smile,brow_raise,yaw,pitch"

    /// A result. `rows`: the fields from `x` on of each face in a sample. `rate`: samples per second.
    private static func result(
        seconds: Int = 60, rate: Int = 10, names: String = names, _ rows: (Int) -> [String]
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try SyntheticResult.write([], to: folder.path + "/result", video: "/videos/talk.mp4", keepsEmbeddings: false)
        var (faces, frames) = (names + "\n", "time,frame,faces\n")
        for sample in 0..<rate * seconds {
            let time = String(format: "%.6f", Double(sample) / Double(rate))
            frames += "\(time),\(sample),2\n"
            for (face, row) in rows(sample).enumerated() { faces += "\(time),\(sample),\(face + 1),\(row)\n" }
        }
        try folder.write(faces, to: "result/faces.csv")
        try folder.write(frames, to: "result/frames.csv")
        return folder
    }

    private static func smile(_ sample: Int) -> Double {
        let time = Double(sample)
        return 50 + 20 * sin(time / 7) + 15 * sin(time / 4.3) + 10 * sin(time * time / 900)
    }

    private static func face(_ person: Int, _ smile: Double?, width: Int = 40) -> String {
        "10,10,\(width),50,\(person),\(smile.map { "\($0)" } ?? ""),,,"
    }

    private static func analyzed(_ folder: TemporaryFolder) async throws -> CSVTable {
        let summary = try await InteractionAnalysis(replaces: true).run(resultPath: folder.path + "/result")
        #expect(summary.path == folder.path + "/result/dyads.csv")
        return try CSVTable(path: summary.path)
    }

    @Test("Person 2, who smiles 0.4 s after person 1, follows; the coverage says how long both were measured")
    func leader() async throws {
        let folder = try Self.result { sample in
            [
                Self.face(1, (100..<200).contains(sample) ? nil : Self.smile(sample)),
                Self.face(2, Self.smile(sample - 4)),
            ]
        }
        let table = try await Self.analyzed(folder)
        #expect(try table.texts("measure") == ["smile_synchrony"])
        #expect(try table.text("person_a", 0) == "1" && table.text("person_b", 0) == "2")
        #expect(try table.text("lag_seconds", 0) == "0.400" && table.text("leader", 0) == "1")
        #expect(try table.text("coverage_seconds", 0) == "50.000" && table.text("coverage_fraction", 0) == "0.83")
        #expect(try table.text("reached", 0) == "0" && table.text("seconds", 0) == "")
    }

    @Test("With too little coverage, a measure is blank, and people who hardly meet have no rows")
    func coverage() async throws {
        let brief = try Self.result { [Self.face(1, $0 < 90 ? Self.smile($0) : nil), Self.face(2, Self.smile($0))] }
        let table = try await Self.analyzed(brief)
        #expect(try table.text("coverage_seconds", 0) == "9.000" && table.text("value", 0) == "")
        let strangers = try Self.result { [Self.face($0 < 300 ? 1 : 2, Self.smile($0))] }
        #expect(try await Self.analyzed(strangers).rows.isEmpty)
    }

    @Test("Ten seconds are enough, also in times that are rounded to microseconds")
    func roundedTimes() async throws {
        let folder = try Self.result(seconds: 10, rate: 24, names: Self.names + ",looks_at") { _ in
            [Self.face(1, nil) + ",2", Self.face(2, nil) + ",1"]
        }
        let table = try await Self.analyzed(folder)
        #expect(try table.texts("measure") == ["looks_at", "looks_at", "mutual_gaze"])
        for column in ["coverage_seconds", "seconds"] {
            #expect(try table.texts(column) == ["10.000", "10.000", "10.000"])
        }
    }

    @Test("Of two faces of one person, the larger one counts")
    func larger() async throws {
        let folder = try Self.result { sample in
            [
                Self.face(1, Self.smile(sample)), Self.face(1, 3, width: 20), Self.face(2, 5, width: 20),
                Self.face(2, Self.smile(sample)),
            ]
        }
        let table = try await Self.analyzed(folder)
        #expect(try table.text("value", 0) == "1.0000" && table.text("lag_seconds", 0) == "0.000")
        #expect(try table.text("leader", 0) == "")
    }

    @Test("Turns and looks have a row for each of the two")
    func directed() async throws {
        let folder = try Self.result(names: Self.names + ",speaking,looks_at") { sample in
            // Each speaks for 2 s, with gaps of half a second.
            let phase = sample % 50
            return [
                Self.face(1, nil) + ",\(phase < 20 ? 90 : 5),\(phase < 10 ? 2 : 0)",
                Self.face(2, nil) + ",\((25..<45).contains(phase) ? 90 : 5),\(phase < 20 ? 1 : 0)",
            ]
        }
        let table = try await Self.analyzed(folder)
        let measures = try table.texts("measure")
        #expect(
            measures == [
                "turns", "turns", "gaps", "overlaps_between", "overlaps_within", "interruptions", "interruptions",
                "speaking_synchrony", "looks_at", "looks_at", "mutual_gaze",
            ])
        #expect(try table.texts("person_a").prefix(2) == ["1", "2"])
        func row(_ measure: String, _ person: String = "1") throws -> Int {
            let people = try table.texts("person_a")
            return try #require(measures.indices.first { measures[$0] == measure && people[$0] == person })
        }
        #expect(try table.text("count", row("turns", "2")) == "12" && table.text("seconds", row("turns")) == "24.000")
        #expect(try table.text("mean_seconds", row("turns")) == "2.000")
        #expect(try table.text("count", row("gaps")) == "23" && table.text("median_seconds", row("gaps")) == "0.500")
        #expect(try table.text("count", row("interruptions")) == "0" && table.text("value", row("gaps")) == "0.1917")
        #expect(try table.text("value", row("looks_at")) == "0.2000")
        #expect(try table.text("value", row("looks_at", "2")) == "0.4000")
        #expect(try table.text("seconds", row("mutual_gaze")) == "12.000")
    }

    @Test("The progress counts pairs")
    func progress() async throws {
        let folder = try Self.result(seconds: 12) { _ in (1...3).map { Self.face($0, nil) } }
        let steps = Mutex([String]())
        let summary = try await InteractionAnalysis().run(resultPath: folder.path + "/result") { done, all in
            steps.withLock { $0.append("\(done)/\(all)") }
        }
        #expect(summary.pairs == 3 && steps.withLock { $0 } == ["1/3", "2/3", "3/3"])
    }

    @Test("A damaged table is one error, and nothing is written", arguments: ["101", "nan", "x"])
    func damage(value: String) async throws {
        let folder = try Self.result(seconds: 12) { [Self.face(1, Double($0)), "10,10,40,50,2,\(value),,,"] }
        do {
            _ = try await Self.analyzed(folder)
            Issue.record("no error")
        } catch let error as VidscanError {
            #expect(error.reason.hasPrefix("faces.csv, line 3: smile must be a number from 0 to 100"), "\(error)")
        }
        #expect(!folder.entries.contains("result/dyads.csv"))
    }

    @Test("An existing table is replaced only if that is asked for")
    func replacement() async throws {
        let folder = try Self.result(seconds: 12) { _ in [] }
        try folder.write("mine", to: "result/dyads.csv")
        await #expect(throws: VidscanError.self) {
            try await InteractionAnalysis().run(resultPath: folder.path + "/result")
        }
        #expect(try folder.text("result/dyads.csv") == "mine")
        _ = try await InteractionAnalysis(output: folder.path + "/a/b", outputIsFolder: true).run(
            resultPath: folder.path + "/result")
        #expect(try folder.text("a/b/talk.dyads.csv").hasPrefix("person_a,person_b,measure,"))
    }
}
