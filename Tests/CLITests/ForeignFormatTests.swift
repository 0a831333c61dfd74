import Foundation
import Testing
import TestSupport

@Suite("--format openface and pyfeat write the values of the other tables")
struct ForeignFormatTests {
    private struct Result {
        let faces, frames, openFace, pyFeat: CSVTable
        let meshes: LandmarkArray
        let notices: [String]

        init() throws {
            struct Record: Decodable { var notices: [String] }
            let folder = try Tool.analyzed(
                Checkout.clip, "--start", "12", "--end", "19.5", "--format", "csv,openface,pyfeat", "--landmarks")
            let result = folder.path + "/faces.mp4.vidscan/"
            faces = try CSVTable(path: result + "faces.csv")
            frames = try CSVTable(path: result + "frames.csv")
            openFace = try CSVTable(path: result + "openface.csv")
            pyFeat = try CSVTable(path: result + "pyfeat.csv")
            meshes = try LandmarkArray(path: result + "landmarks.npy")
            notices = try JSONDecoder().decode(
                Record.self, from: Data(contentsOf: URL(fileURLWithPath: result + "run.json"))
            ).notices
        }

        /// The rows of a table that show a face, in the order of `faces.csv`.
        func rows(_ table: CSVTable, where shows: (Int) throws -> Bool) throws -> [Int] {
            let rows = try table.rows.indices.filter(shows)
            try #require(rows.count == faces.rows.count && rows.count > 20)
            return rows
        }
    }

    private func expect(_ found: Double?, _ wanted: Double, within tolerance: Double, _ what: String) throws {
        let found = try #require(found, "\(what)")
        #expect(abs(found - wanted) <= tolerance, "\(what): \(found), not \(wanted)")
    }

    private static let radians = Double.pi / 180

    @Test("openface.csv agrees with faces.csv and landmarks.npy, in OpenFace's units and signs")
    func openFace() throws {
        let result = try Result()
        let (faces, table) = (result.faces, result.openFace)
        for (face, row) in try result.rows(table, where: { try table.text("success", $0) == "1" }).enumerated() {
            func number(_ name: String) throws -> Double? { try table.number(name, row) }
            func faceNumber(_ name: String) throws -> Double { try #require(try faces.number(name, face)) }
            try expect(number("frame"), faceNumber("frame") + 1, within: 0, "frame")
            #expect(try table.text("face_id", row) == faces.text("face_id", face))
            #expect(try table.text("timestamp", row) == faces.text("time", face))
            try expect(number("confidence"), faceNumber("presence"), within: 0.0051, "confidence")
            for (name, point) in [("30", 4), ("8", 152), ("36", 33), ("45", 263)] {
                try expect(number("x_\(name)"), result.meshes.x(face, point), within: 0.0051, "x_\(name)")
                try expect(number("y_\(name)"), result.meshes.y(face, point), within: 0.0051, "y_\(name)")
            }
            // Positive down, to the subject's right, and clockwise in the frame. The angles of faces.csv are taken in
            // another order, which matters little for a head that hardly turns.
            try expect(number("p_rx"), -Self.radians * faceNumber("pitch"), within: 0.02, "p_rx")
            try expect(number("p_ry"), -Self.radians * faceNumber("yaw"), within: 0.02, "p_ry")
            try expect(number("p_rz"), Self.radians * faceNumber("roll"), within: 0.02, "p_rz")
            // The camera that OpenFace assumes sees the face in this direction.
            let focalLength = 500 * (640.0 / 640 + 360.0 / 480) / 2
            let (x, y, z) = (try number("pose_Tx"), try number("pose_Ty"), try number("pose_Tz"))
            let distance = try #require(z)
            try expect(x, distance * ((number("p_tx") ?? .nan) - 320) / focalLength, within: 0.2, "pose_Tx")
            try expect(y, distance * ((number("p_ty") ?? .nan) - 180) / focalLength, within: 0.2, "pose_Ty")
            try expect(distance, focalLength / (number("p_scale") ?? .nan), within: 1, "pose_Tz")
            try expect(number("AU12_r"), faceNumber("smile") / 20, within: 0.0051, "AU12_r")
            try expect(number("AU45_r"), 5 * faceNumber("AU45"), within: 0.0051, "AU45_r")
            if abs(try faceNumber("smile") - 50) > 0.01 {
                #expect(try number("AU12_c") == (faceNumber("smile") > 50 ? 1 : 0))
            }
            #expect(try number("AU23_r") == 0 && number("p_33") == 0)
            let gaze = try ["x", "y", "z"].map { try #require(try number("gaze_0_\($0)")) }
            #expect(abs(gaze.map { $0 * $0 }.reduce(0, +) - 1) < 1e-4 && gaze[2] < 0)
        }
        #expect(result.notices.contains { $0.hasPrefix("openface.csv: success is 0 where") })
    }

    @Test("pyfeat.csv agrees with faces.csv and landmarks.npy, in Py-Feat's units and signs")
    func pyFeat() throws {
        let result = try Result()
        let (faces, table) = (result.faces, result.pyFeat)
        for (face, row) in try result.rows(table, where: { try table.text("FaceScore", $0) != "" }).enumerated() {
            func number(_ name: String) throws -> Double? { try table.number(name, row) }
            func faceNumber(_ name: String) throws -> Double { try #require(try faces.number(name, face)) }
            #expect(try table.text("frame", row) == faces.text("frame", face))
            #expect(try table.text("FaceScore", row) == faces.text("confidence", face))
            #expect(try table.text("Identity", row) == "Person_" + faces.text("person_id", face))
            #expect(try table.text("input", row) == Checkout.clip)
            try expect(number("x_30"), result.meshes.x(face, 4), within: 0.0051, "x_30")
            try expect(number("y_30"), result.meshes.y(face, 4), within: 0.0051, "y_30")
            try expect(number("Pitch"), Self.radians * faceNumber("pitch"), within: 2e-4, "Pitch")
            try expect(number("Yaw"), -Self.radians * faceNumber("yaw"), within: 2e-4, "Yaw")
            try expect(number("Roll"), -Self.radians * faceNumber("roll"), within: 2e-4, "Roll")
            try expect(number("AU12"), faceNumber("AU12"), within: 0, "AU12")
            try expect(number("happiness"), faceNumber("joy") / 100, within: 1.1e-4, "happiness")
            let emotions = try ["anger", "disgust", "fear", "happiness", "sadness", "surprise"].map {
                try number($0) ?? .nan
            }
            try expect(number("neutral"), 1 - (emotions.max() ?? .nan), within: 2e-4, "neutral")
            #expect(try table.text("AU11", row) == "" && table.text("AU23", row) == "")
        }
        #expect(result.notices.contains { $0.hasPrefix("pyfeat.csv: AU11, AU23") })
    }

    @Test("A sampled frame without a face has a row, and the frames are those of frames.csv")
    func empty() throws {
        let result = try Result()
        let sampled = try result.frames.texts("frame")
        let without = try result.frames.rows.indices.filter { try result.frames.text("faces", $0) == "0" }
        try #require(without.count > 3)
        #expect(try Set(result.pyFeat.texts("frame")) == Set(sampled))
        #expect(try Set(result.openFace.numbers("frame").map { "\(Int($0) - 1)" }) == Set(sampled))
        let failed = try result.openFace.rows.indices.filter { try result.openFace.text("success", $0) == "0" }
        #expect(try failed.map { try result.openFace.text("face_id", $0) } == without.map { _ in "0" })
    }

    @Test("The format alone measures what it needs, and writes no other table")
    func alone() throws {
        let folder = try TemporaryFolder()
        let run = try Tool.run(
            "analyze", Checkout.clip, "--end", "0.5", "--format", "openface", "--metrics", "none", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        let files = ["faces.record", "openface.csv", "run.json"].map { "faces.mp4.vidscan/\($0)" }
        #expect(folder.entries == ["faces.mp4.vidscan"] + files)
        let table = try CSVTable(path: folder.path + "/faces.mp4.vidscan/openface.csv")
        #expect(try table.rows.count == 3 && table.numbers("AU12_r").allSatisfy { $0 > 0 })
        // As a script for OpenFace expects it: NAME.csv, without a blank cell.
        try #require(
            try Tool.run("analyze", Checkout.clip, "--end", "0.5", "--landmarks", "--output", "b", in: folder).status
                == 0)
        let result = "b/faces.mp4.vidscan"
        let export = try Tool.run("export", result, "--to", "openface", "--output", "processed/", in: folder)
        #expect(export.status == 0 && export.errors.contains("(--openface-blanks zero)"), "\(export.errors)")
        #expect(try folder.bytes("processed/faces.csv") == folder.bytes(files[1]))
        // One file per person has each sample once.
        let split = try Tool.run(
            "export", result, "--to", "openface,pyfeat", "--split", "--output", "split", in: folder)
        #expect(split.status == 0, "\(split.errors)")
        let people = Set(try CSVTable(path: "\(folder.path)/\(result)/faces.csv").texts("person_id"))
        let names = people.flatMap { ["split/faces.person_\($0).csv", "split/faces.person_\($0).pyfeat.csv"] }
        #expect(folder.entries.filter { $0.hasPrefix("split/") } == names.sorted())
        for name in names { #expect(try CSVTable(path: "\(folder.path)/\(name)").rows.count == 3) }
        let all = try Tool.run("export", result, "--to", "all", "--output", "all", in: folder)
        #expect(all.status == 0 && folder.entries.count { $0.hasPrefix("all/") } == 9, "\(all.errors)")
        try (folder.bytes(result + "/faces.record") + Data([0])).write(
            to: URL(fileURLWithPath: "\(folder.path)/\(result)/faces.record"))
        try Tool.run("export", result, "--to", "all", "--output", "changed", in: folder)
            .expectError("faces.record is not as vidscan wrote it")
        #expect(!folder.entries.contains { $0.hasPrefix("changed/") })
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(result)/faces.record")
        let some = try Tool.run("export", result, "--to", "all", "--output", "some", in: folder)
        #expect(some.status == 0 && some.errors.contains("without openface, pyfeat: the result has no faces.record"))
        #expect(folder.entries.count { $0.hasPrefix("some/") } == 7)
    }
}
