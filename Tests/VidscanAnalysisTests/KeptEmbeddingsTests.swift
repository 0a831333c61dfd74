import AnalysisSupport
import Foundation
import TestSupport
import Testing
import VidscanAnalysis
import VidscanResults

@Suite("Embeddings that are kept belong to the tables beside them")
struct KeptEmbeddingsTests {
    @Test("Each row is a face of faces.csv and has the person of tracks.csv")
    func rows() async throws {
        let run = try await AnalysisRun.shared(Checkout.clip) { $0.track.keepsEmbeddings = true }
        let rows = try EmbeddingArray(run.bytes("embeddings.npy")).rows
        let (faces, tracks) = (try run.table("faces.csv"), try run.table("tracks.csv"))
        let seen = Set(
            try zip(faces.numbers("face_id"), faces.numbers("time")).map { "\(Int($0)) at \($1)" })
        for row in rows {
            #expect(seen.contains("\(row.face) at \(row.time)"), "\(row.face) at \(row.time)")
            #expect(row.weight > 0 && row.weight < 2)
        }
        let ids = try zip(tracks.numbers("face_id"), tracks.numbers("person_id")).map { (Int($0), Int($1)) }
        let people = Dictionary(uniqueKeysWithValues: ids)
        #expect(rows.allSatisfy { people[$0.face] == $0.person })
        // The clip shows two people well.
        #expect(Set(rows.map(\.person)) == [1, 2])
        // A face_id can continue across cuts, and each of its tracks has at most five.
        for (row, face) in try tracks.numbers("face_id").enumerated() {
            let appearances = Int(try #require(try tracks.number("appearances", row)))
            let count = rows.count { $0.face == Int(face) }
            #expect((1...5 * appearances).contains(count), "face \(face): \(count)")
        }
        let record = try run.record()
        #expect(record.embeddings?.file == "embeddings.npy")
        #expect(record.embeddings?.rows == rows.count)
    }

    @Test("Rows are sorted by person, face and time")
    func order() async throws {
        let run = try await AnalysisRun.shared(Checkout.clip) { $0.track.keepsEmbeddings = true }
        let rows = try EmbeddingArray(run.bytes("embeddings.npy")).rows
        try #require(rows.count > 4)
        for (row, next) in zip(rows, rows.dropFirst()) {
            #expect((row.person, row.face, row.time) < (next.person, next.face, next.time))
        }
    }

    @Test("One person's rows are near to each other, and two people's are far apart")
    func distances() async throws {
        let run = try await AnalysisRun.shared(Checkout.clip) { $0.track.keepsEmbeddings = true }
        let rows = try EmbeddingArray(run.bytes("embeddings.npy")).rows
        try #require(Set(rows.map(\.person)).count == 2)
        for (index, row) in rows.enumerated() {
            for other in rows[..<index] {
                #expect((row.distance(to: other) < 0.5) == (row.person == other.person))
            }
        }
    }

    @Test("One, two and eight workers keep the same embeddings")
    func workers() async throws {
        var files: [Data] = []
        for workers in [1, 2, 8] {
            let run = try await AnalysisRun(Checkout.clip) {
                $0.track.keepsEmbeddings = true
                $0.detect.workers = workers
                $0.sample.rate = try .of("12")
                ($0.sample.start, $0.sample.end) = (5_500_000, 10_500_000)
            }
            files.append(try run.bytes("embeddings.npy"))
        }
        try #require(try EmbeddingArray(files[0]).rows.count > 4)
        #expect(files[1] == files[0] && files[2] == files[0])
    }

    @Test("The other files do not depend on whether embeddings are kept")
    func others() async throws {
        let kept = try await AnalysisRun.shared(Checkout.clip) { $0.track.keepsEmbeddings = true }
        let discarded = try await AnalysisRun.shared(Checkout.clip)
        for file in ["faces.csv", "frames.csv", "tracks.csv", "events.csv", "episodes.csv"] {
            #expect(try kept.bytes(file) == discarded.bytes(file), "\(file)")
        }
        #expect(try discarded.record().embeddings == nil)
        #expect(!discarded.folder.entries.contains { $0.hasSuffix(".npy") })
    }

    @Test("Tracks that are dropped leave no embeddings")
    func dropped() async throws {
        let run = try await AnalysisRun(Checkout.clip) {
            $0.track.keepsEmbeddings = true
            $0.track.maximumFaces = 1
        }
        let rows = try EmbeddingArray(run.bytes("embeddings.npy")).rows
        let faces = Set(try run.table("tracks.csv").numbers("face_id").map { Int($0) })
        #expect(!rows.isEmpty && Set(rows.map(\.face)).isSubset(of: faces))
        #expect(Set(rows.map(\.person)).count == 1)
    }

    @Test("A video without a face has a file without rows")
    func noFaces() async throws {
        let run = try await AnalysisRun(Checkout.clip) {
            $0.track.keepsEmbeddings = true
            $0.sample.start = 19_700_000
        }
        try #require(run.summary.counts.faces == 0 && run.summary.counts.sampledFrames > 0)
        #expect(try EmbeddingArray(run.bytes("embeddings.npy")).rows.isEmpty)
        #expect(try run.record().embeddings?.rows == 0)
    }
}
