import Foundation
import TestSupport
import Testing
import VidscanAnalysis
import VidscanBase
import VidscanCorrections

/// A real result of the sample clip with every file that a result can have, and corrections of it.
struct CorrectedSample {
    let folder: TemporaryFolder
    var result: String { folder.path + "/faces.mp4.vidscan" }
    var name: String { "faces.mp4.vidscan" }

    /// Copies the result, which is made once for all tests.
    init() throws {
        folder = try PreparedFolder.copy("sample at 12.5 per second, in all formats") { folder in
            let outcome = try ChildProcess.run(
                [
                    Checkout.tool, "analyze", "--quiet", Checkout.clip, "--rate", "12.5", "--people", "--landmarks",
                    "--blendshapes", "--format", "csv,json,jsonl,openface,pyfeat",
                ], in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    // MARK: Corrections

    static let bytes = (try? FileManager.default.attributesOfItem(atPath: Checkout.clip)[.size] as? Int) ?? 0

    static func text(_ corrections: [String], bytes: Int = bytes) -> String {
        """
        {"format": "vidscan corrections 1", "video": {"name": "faces.mp4", "bytes": \(bytes)},
         "corrections": [
        \(corrections.joined(separator: ",\n"))
        ]}

        """
    }

    /// Writes a file of corrections.
    func write(_ corrections: [String], to name: String = "corrections.json") throws -> String {
        try folder.write(Self.text(corrections), to: name)
    }

    @discardableResult
    func apply(_ corrections: [String], isDryRun: Bool = false) async throws -> Corrector.Summary {
        var options = Corrector.Options()
        options.isDryRun = isDryRun
        return try await Self.corrector(options).apply(try write(corrections), to: result)
    }

    static func corrector(_ options: Corrector.Options = Corrector.Options()) -> Corrector {
        Corrector(options: options, model: ModelStore.expressionModel(recordedAs:))
    }

    /// The face of a row of a table of faces, as corrections name it.
    static func face(_ table: CSVTable, _ row: Int) throws -> String {
        let box = try ["x", "y", "width", "height"].map { try table.text($0, row) }
        return #"{"time": \#(try table.text("time", row)), "box": [\#(box.joined(separator: ", "))]}"#
    }

    /// The first face of a face_id at a time or after it.
    func face(_ id: Int, from seconds: Double, in name: String = "faces.csv") throws -> String {
        let table = try self.table(name)
        let row = try #require(
            table.rows.indices.first { row in
                try table.text("face_id", row) == "\(id)" && (try table.number("time", row) ?? 0) >= seconds
            })
        return try Self.face(table, row)
    }

    // MARK: Files

    func table(_ name: String) throws -> CSVTable { try CSVTable(path: "\(result)/\(name)") }

    func record() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: folder.bytes(name + "/run.json")) as? [String: Any])
    }

    /// All files of the result, by their paths in it.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: result) {
            if path != "original" { files[path] = try folder.bytes("\(name)/\(path)") }
        }
        return files
    }
}
