import AnalysisSupport
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanFaces
import VidscanMedia

@Suite("Events and averages rest on what was measured")
struct MeasuredTimeTests {
    /// The sample clip at 12 samples per second. In its first scene, which lasts 3 s, a woman smiles all the time; a box
    /// hides her face from 1.0 to 1.6 s.
    private static func hidden() async throws -> AnalysisRun {
        try await AnalysisRun.shared(Checkout.clip) {
            $0.sample.rate = try .of("12")
            $0.sample.end = 3_000_000
            $0.filters = try FilterChain(
                steps: ["drawbox=x=240:y=80:w=220:h=200:color=gray:t=fill:enable='between(t,1,1.6)'"],
                allowsFiles: false)
        }
    }

    @Test("A smile ends where the face is hidden and starts again when it is back, with the same face_id")
    func hiddenSmile() async throws {
        let run = try await Self.hidden()
        let (faces, events) = (try run.table("faces.csv"), try run.table("events.csv"))
        try #require(try Set(faces.texts("face_id")) == ["1"])
        let times = try faces.numbers("time")
        let gap = try #require(zip(times, times.dropFirst()).first { $1 - $0 > 0.5 })
        let smiles = try events.rows.indices.filter { try events.text("kind", $0).hasPrefix("smile") }
        #expect(
            try smiles.map { try events.text("kind", $0) }
                == ["smile_started", "smile_stopped", "smile_started", "smile_stopped"])
        let moments = try smiles.map { try #require(try events.number("time", $0)) }
        #expect(moments == [times[0], gap.0, gap.1, times[times.count - 1]])
        #expect(try smiles.map { try events.text("measured", $0) } == ["", "1.00", "", "1.00"])
        #expect(try smiles.map { try events.text("complete", $0) } == ["", "0", "", "0"])
    }

    @Test("The seconds of a face and of its metrics leave out the time in which it is hidden")
    func hiddenSeconds() async throws {
        let run = try await Self.hidden()
        let (faces, tracks) = (try run.table("faces.csv"), try run.table("tracks.csv"))
        let (visible, smile) = (try tracks.numbers("seconds_visible")[0], try tracks.numbers("smile_seconds")[0])
        #expect(visible < 2.5 && visible > 2.2)
        #expect(smile == visible)
        #expect(try tracks.texts("smile_samples") == ["\(faces.rows.count)"])
        #expect(try tracks.texts("blink_seconds") == tracks.texts("smile_seconds"))
        #expect(try tracks.texts("blink_rate") == ["0.00"])
    }

    @Test("The counts and means of tracks.csv are those of the measured rows in faces.csv", arguments: ["5", "12"])
    func counts(rate: String) async throws {
        let run = try await AnalysisRun(Checkout.clip) {
            $0.sample.rate = try .of(rate)
            // Each of the two people is seen for more than three seconds.
            $0.sample.end = 7_000_000
            $0.measure.metrics = Metric.allCases.filter { $0 != .joy }.reduce(into: []) { $0.insert($1) }
        }
        let (faces, tracks) = (try run.table("faces.csv"), try run.table("tracks.csv"))
        let ids = try faces.texts("face_id")
        try #require(tracks.rows.count == 2)
        for row in tracks.rows.indices {
            let id = try tracks.text("face_id", row)
            let rows = faces.rows.indices.filter { ids[$0] == id }
            let visible = try #require(try tracks.number("seconds_visible", row))
            for name in ["yaw", "brightness"] + Metric.allCases.map(\.rawValue) {
                let values = try rows.compactMap { try faces.number(name, $0) }
                #expect(try tracks.text("\(name)_samples", row) == "\(values.count)", "\(name)")
                let seconds = try #require(try tracks.number("\(name)_seconds", row))
                #expect(seconds <= visible)
                #expect(abs(seconds - visible * Double(values.count) / Double(rows.count)) < 0.25)
                let mean = try tracks.number("\(name)_mean", row)
                guard !values.isEmpty else {
                    #expect(mean == nil && seconds == 0, "\(name)")
                    continue
                }
                // Both are rounded to two decimals.
                let expected = values.reduce(0, +) / Double(values.count)
                #expect(abs(try #require(mean) - expected) <= 0.0101, "\(name)")
            }
            #expect(try tracks.text("joy_samples", row) == "0")
            // Blinks need 12 samples per second.
            #expect(try tracks.text("blink_rate", row).isEmpty == (rate == "5"))
        }
    }

    @Test("Neither a stall of the video nor a late last sample takes the blinks away")
    func stall() async throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", try Variants.path("blinks.mp4"), "-vf",
            "select='not(between(t,1.4,2.3))'", "-fps_mode", "vfr", "-c:v", "libx264", folder.path + "/stall.mp4",
        ])
        try #require(made.status == 0, "\(made.errors)")
        for (path, end, blinks) in [
            (folder.path + "/stall.mp4", nil, 2), (try Variants.path("blinks.mp4"), 1_920_000, 1),
            (try Variants.path("blinks.mp4"), 1_970_000, 1),
        ] as [(String, Int64?, Int)] {
            let run = try await AnalysisRun(path) {
                $0.sample.rate = .perSecond(12)
                $0.sample.end = end
            }
            #expect(
                try run.table("episodes.csv").texts("kind").count { $0 == "blink" } == blinks, "\(path) \(end ?? 0)")
        }
    }

    @Test("Each event of a face says how much of it faces.csv has")
    func shares() async throws {
        let run = try await AnalysisRun(try Variants.path("blinks.mp4")) { $0.sample.rate = .everyFrame }
        let (faces, events) = (try run.table("faces.csv"), try run.table("events.csv"))
        let times = try faces.numbers("time")
        var checked = 0
        for row in events.rows.indices {
            guard let share = try events.number("measured", row) else { continue }
            let (time, seconds) = (
                try #require(try events.number("time", row)), try #require(try events.number("value", row))
            )
            let begin = try events.text("kind", row) == "smile_stopped" ? time - seconds : time
            let inside = times.indices.filter { times[$0] > begin - 0.01 && times[$0] < begin + seconds - 0.01 }
            let column = try events.text("kind", row).hasPrefix("smile") ? "smile" : "left_eye_openness"
            let known = try inside.count { try !faces.text(column, $0).isEmpty }
            #expect(Double(known) / Double(max(inside.count, 1)) == share)
            checked += 1
        }
        #expect(checked >= 2)
    }
}
