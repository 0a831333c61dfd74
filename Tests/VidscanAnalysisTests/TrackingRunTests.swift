import AnalysisSupport
import VidscanResults
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanMedia

@Suite("Tracks, events and face numbers of a whole run are right")
struct TrackingRunTests {
    /// The tables of the sample clip.
    private static func sample(workers: Int = 2, _ change: (inout Settings) throws -> Void = { _ in })
        async throws
        -> AnalysisRun
    {
        try await AnalysisRun.shared(Checkout.clip) {
            $0.detect.workers = workers
            try change(&$0)
        }
    }

    @Test("One and two workers give the same tables and leave nothing else")
    func workers() async throws {
        let one = try await Self.sample(workers: 1)
        let names = [
            "episodes.csv", "events.csv", "faces.csv", "faces.record", "frames.csv", "quality.csv", "run.json",
            "tracks.csv",
        ]
        #expect(one.folder.entries == [AnalysisRun.resultName] + names.map { "\(AnalysisRun.resultName)/\($0)" })
        try #require(one.summary.counts.faces >= 90)
        let two = try await Self.sample(workers: 2)
        for name in names where name != "run.json" { #expect(try one.bytes(name) == two.bytes(name), "\(name)") }
    }

    @Test("The sample's cuts are found, and its two people get two numbers, at any rate", arguments: ["5", "12"])
    func cutsAndPeople(rate: String) async throws {
        let run = try await Self.sample { $0.sample.rate = try .of(rate) }
        let events = try run.table("events.csv")
        let rows = { (kind: String) in try events.rows.indices.filter { try events.text("kind", $0) == kind } }
        let cuts = try rows("shot_cut").map { try #require(try events.number("time", $0)) }
        try #require(cuts.count == 6)
        let step = 1 / (try #require(Double(rate)))
        for (cut, truth) in zip(cuts, [3, 6.52, 9.52, 11.52, 14.52, 17]) {
            #expect(cut > truth - 0.02 && cut <= truth + step + 0.02)
        }
        let tracks = try run.table("tracks.csv")
        #expect(try tracks.numbers("face_id") == [1, 2])
        #expect(try tracks.numbers("person_id") == [1, 2])
        // The first person is in three scenes, the second in four.
        #expect(try tracks.numbers("appearances") == [3, 4])
        #expect(try rows("face_started").count == 7)
        let stops = try rows("face_stopped").map { try events.text("value", $0) }
        #expect(stops.dropLast() == ["cut", "cut", "cut", "cut", "cut", "cut"])
        #expect(try tracks.numbers("samples").reduce(0, +) == Double(run.table("faces.csv").rows.count))
    }

    @Test("Every face belongs to a person, and embeddings are neither computed unless asked for nor written")
    func people() async throws {
        let with = try await Self.sample()
        let without = try await Self.sample { $0.track.person = false }
        for run in [with, without] {
            let tracks = try run.table("tracks.csv")
            #expect(try tracks.texts("person_id").allSatisfy { !$0.isEmpty })
            #expect(try tracks.numbers("person_confidence").allSatisfy { (0...1).contains($0) })
        }
        #expect(try with.table("tracks.csv").numbers("person_confidence").allSatisfy { $0 > 0.9 })
        // Without embeddings, nobody is known across a cut, which changes resting levels. Everything else is the same.
        #expect(try with.table("tracks.csv").texts("person_id") == ["1", "2"])
        #expect(try without.table("tracks.csv").texts("person_id") == (1...7).map { "\($0)" })
        #expect(try with.bytes("frames.csv") == without.bytes("frames.csv"))
        for column in ["frame", "x", "y", "width", "height"] {
            #expect(try with.table("faces.csv").texts(column) == without.table("faces.csv").texts(column), "\(column)")
        }
        #expect(try without.table("faces.csv").texts("person_match").allSatisfy(\.isEmpty))
        #expect(with.folder.entries == without.folder.entries)
        let seconds = { (run: AnalysisRun) in
            let record = try JSONSerialization.jsonObject(with: Data(run.bytes("run.json"))) as? [String: Any]
            return (record?["timings"] as? [String: Any])?["embed_seconds"] as? Double
        }
        #expect(try #require(try seconds(with)) > 0)
        #expect(try seconds(without) == 0)
    }

    @Test(
        "Two people stay two when hair, clothes and skin change their colour, which hair and clothes alone cannot tell")
    func relit() async throws {
        let people = { (person: Bool) in
            let run = try await Self.sample {
                $0.track.person = person
                $0.sample.end = 14_400_000
                $0.filters = try FilterChain(steps: ["hue=h=120:enable='gte(t,9.5)'"], allowsFiles: false)
            }
            let tracks = try run.table("tracks.csv")
            try #require(try Double(run.table("faces.csv").rows.count) == tracks.numbers("samples").reduce(0, +))
            return Set(try tracks.texts("person_id")).count
        }
        #expect(try await people(true) == 2)
        #expect(try await people(false) > 2)
    }

    @Test("With a limit, the most prominent face is kept in every frame")
    func maximumFaces() async throws {
        let window = { (settings: inout Settings) in
            (settings.sample.start, settings.sample.end) = (11_600_000, 14_400_000)
        }
        let all = try await Self.sample(window)
        let one = try await Self.sample {
            window(&$0)
            $0.track.maximumFaces = 1
        }
        #expect(Set(try all.table("frames.csv").numbers("faces")) == [2])
        #expect(Set(try one.table("frames.csv").numbers("faces")) == [1])
        var sizes: [Int: Double] = [:]
        for row in try all.table("faces.csv").faces() { sizes[row.id, default: 0] += row.box.area.squareRoot() }
        let largest = try #require(sizes.max { $0.value < $1.value }?.key)
        let faces = try all.table("faces.csv")
        let expected = try faces.rows.indices.filter { try faces.text("face_id", $0) == "\(largest)" }
        #expect(try one.table("faces.csv").texts("x") == expected.map { try faces.text("x", $0) })
    }

    @Test("Faces below the minimum share of the picture's shorter side are left out")
    func minimumFace() async throws {
        let run = try await Self.sample {
            ($0.sample.start, $0.sample.end) = (3_000_000, 6_400_000)
            $0.detect.minimumFace = 0.35
        }
        let all = try await Self.sample { ($0.sample.start, $0.sample.end) = (3_000_000, 6_400_000) }
        let heights = { (run: AnalysisRun) in try run.table("faces.csv").numbers("height") }
        // The scene zooms, so only part of it has a large enough face. Smoothing moves a box by a few per cent.
        try #require(heights(run).count >= 3)
        #expect(try heights(run).count < heights(all).count)
        #expect(try heights(run).allSatisfy { $0 > 0.33 * 360 })
    }

    @Test("Where one face dissolves into another in the same position, the track ends and another person begins")
    func dissolvingFace() async throws {
        let folder = try TemporaryFolder()
        let portrait = { (frame: Int, x: Int) in
            "trim=start_frame=\(frame):end_frame=\(frame + 1),loop=loop=199:size=1,setpts=N/25/TB,crop=200:230:\(x):60"
        }
        let graph = [
            "[0:v]split=2[i][j]", "[i]\(portrait(200, 220))[a]",
            "[j]\(portrait(250, 228)),format=yuva420p,fade=in:st=3.5:d=0.6:alpha=1[b]",
            "testsrc2=s=1280x720:r=25:d=8[bg]", "[bg][a]overlay=220:60:shortest=1[s]",
            "[s][b]overlay=225:67:shortest=1[o]",
        ]
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-filter_complex", graph.joined(separator: ";"),
            "-map", "[o]", "-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p", folder.path + "/dissolve.mp4",
        ])
        try #require(made.status == 0, "\(made.errors)")
        let run = try await AnalysisRun(folder.path + "/dissolve.mp4") { _ in }
        let tracks = try run.table("tracks.csv")
        #expect(try tracks.texts("person_id") == ["1", "2"])
        let starts = try tracks.numbers("first_time")
        #expect(starts[0] == 0)
        #expect((3.4...4.4).contains(starts[1]))
        #expect(try tracks.numbers("samples").reduce(0, +) == Double(run.table("faces.csv").rows.count))
    }
}
