import AnalysisSupport
import VidscanResults
import VidscanAnalysis
import Foundation
import Testing
import TestSupport

@Suite("The same input always gives the same bytes")
struct DeterminismTests {
    private static let files = ["faces.csv", "frames.csv", "faces.json", "faces.jsonl", "openface.csv", "pyfeat.csv"]

    private func results(
        _ path: String, workers: Int, configure: (inout Settings) -> Void = { _ in }
    ) async throws -> [String: Data] {
        let run = try await AnalysisRun(path) {
            $0.detect.workers = workers
            $0.sample.rate = try .of("12")
            $0.write.formats = [.csv, .json, .jsonl, .openface, .pyfeat]
            configure(&$0)
        }
        return try Dictionary(uniqueKeysWithValues: Self.files.map { ($0, try run.bytes($0)) })
    }

    @Test(
        "One, two and eight workers give the same tables in every run",
        arguments: ["opengop.mkv", "vfr.mp4", "corrupt.ts"])
    func workers(name: String) async throws {
        let path = try Variants.path(name)
        let first = try await results(path, workers: 1)
        #expect(first["faces.csv", default: Data()].count > 2000)
        for workers in [2, 8] {
            let again = try await results(path, workers: workers)
            for file in Self.files { #expect(again[file] == first[file], "\(file) with \(workers) workers") }
        }
    }

    @Test("A video with two faces and cuts gives the same tables with eight workers")
    func clip() async throws {
        let window = { (settings: inout Settings) in
            (settings.sample.start, settings.sample.end) = (9_000_000, 13_000_000)
        }
        let one = try await results(Checkout.clip, workers: 1, configure: window)
        let eight = try await results(Checkout.clip, workers: 8, configure: window)
        #expect(one["faces.csv", default: Data()].count > 2000)
        for file in Self.files { #expect(one[file] == eight[file], "\(file)") }
    }

    @Test("CSV, JSON and JSON Lines hold the same values")
    func formats() async throws {
        struct Face: Decodable, Equatable {
            var face_id: Int
            var x: Double
            var presence: Double?
        }
        struct Frame: Decodable {
            var time: Double
            var frame: Int
            var faces: [Face]
        }
        struct Document: Decodable {
            var frames: [Frame]
        }
        let run = try await AnalysisRun(Checkout.clip) {
            $0.write.formats = [.csv, .json, .jsonl]
            $0.sample.start = 13_000_000
            $0.sample.end = 16_000_000
        }
        let table = try run.table("faces.csv")
        let document = try JSONDecoder().decode(Document.self, from: run.bytes("faces.json"))
        let lines = String(decoding: try run.bytes("faces.jsonl"), as: UTF8.self).split(separator: "\n")
        let faces = try lines.map { try JSONDecoder().decode(Face.self, from: Data($0.utf8)) }
        try #require(faces.count > 10)
        #expect(faces == document.frames.flatMap(\.faces))
        #expect(faces.map(\.x) == (try table.numbers("x")))
        #expect(faces.map(\.face_id) == (try table.faces().map(\.id)))
        #expect(document.frames.map(\.frame) == (try run.table("frames.csv").numbers("frame").map { Int($0) }))
        #expect(document.frames.last?.faces.isEmpty == true)
    }
}
