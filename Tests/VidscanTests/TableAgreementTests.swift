import Testing
import TestSupport
import Vidscan

@Suite("The library returns the values of the command's tables")
struct TableAgreementTests {
    /// Tables have two to four decimals, and the library's values are not rounded.
    private func agree(_ text: String, _ value: Double?, decimals: Int) -> Bool {
        guard let value, let written = Double(text) else { return text.isEmpty && value == nil }
        let unit = (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
        return abs(written - value) <= unit / 2 * (1 + 1e-6)
    }

    private static let columns: [(name: String, decimals: Int, value: @Sendable (Face) -> Double?)] = [
        ("confidence", 4, { $0.confidence }), ("x", 2, { $0.box.x }), ("y", 2, { $0.box.y }),
        ("width", 2, { $0.box.width }), ("height", 2, { $0.box.height }), ("presence", 4, { $0.presence }),
        ("left_eye_x", 2, { $0.leftEye.x }), ("left_eye_y", 2, { $0.leftEye.y }),
        ("right_eye_x", 2, { $0.rightEye.x }), ("right_eye_y", 2, { $0.rightEye.y }), ("nose_x", 2, { $0.nose.x }),
        ("nose_y", 2, { $0.nose.y }), ("mouth_x", 2, { $0.mouth.x }), ("mouth_y", 2, { $0.mouth.y }),
        ("left_mouth_corner_x", 2, { $0.leftMouthCorner.x }), ("left_mouth_corner_y", 2, { $0.leftMouthCorner.y }),
        ("right_mouth_corner_x", 2, { $0.rightMouthCorner.x }),
        ("right_mouth_corner_y", 2, { $0.rightMouthCorner.y }), ("chin_x", 2, { $0.chin?.x }),
        ("chin_y", 2, { $0.chin?.y }), ("interocular_distance", 2, { $0.interocularDistance }),
        ("yaw", 2, { $0.yaw }), ("pitch", 2, { $0.pitch }), ("roll", 2, { $0.roll }),
        ("axis_yaw", 2, { $0.axisYaw }), ("axis_pitch", 2, { $0.axisPitch }),
        ("axis_gaze_yaw", 2, { $0.axisGazeYaw }), ("axis_gaze_pitch", 2, { $0.axisGazePitch }),
        ("mouth_covered", 2, { $0.mouthCovered }), ("eyes_covered", 2, { $0.eyesCovered }),
        ("speaking", 1, { $0.speaking }), ("speech_movement", 1, { $0.speechMovement }),
        ("brightness", 2, { $0.brightness }), ("sharpness", 2, { $0.sharpness }),
        ("face_id", 0, { Double($0.id) }), ("person_id", 0, { $0.personID.map(Double.init) }),
        ("person_match", 2, { $0.personMatch }), ("looks_at_camera", 0, { $0.looksAtCamera.map { $0 ? 1 : 0 } }),
        ("looks_at", 0, { $0.looksAt.map(Double.init) }),
    ]

    private static let metricColumns = Metric.allCases.map { metric in
        (
            name: metric.rawValue, decimals: metric.group == .aus ? 4 : 2,
            value: { @Sendable (face: Face) in face[metric] }
        )
    }

    @Test("Faces equal faces.csv, in every column and row")
    func faces() async throws {
        // At this rate, boxes and points are smoothed. The part has a person who is judged by a resting level, and ends with
        // two people in sight.
        let table = try CommandResult(Checkout.clip, options: ["--rate", "12", "--end", "12.4"]).table("faces.csv")
        let settings = Library.settings {
            $0.sample.rate = .perSecond(12)
            $0.sample.end = 12_400_000
        }
        let frames = try await VideoAnalyzer(settings: settings).analyze(Checkout.clip).frames
        let faces = frames.flatMap { frame in frame.faces.map { (frame, $0) } }
        #expect(faces.count == table.rows.count && faces.count > 50)
        #expect(faces.contains { $0.1.box != $0.1.detectedBox })
        let columns = Self.columns + Self.metricColumns
        #expect(
            Set(columns.map(\.name)).union(["time", "frame", "measured_from", "dominant_emoji"]) == Set(table.columns))
        #expect(faces.contains { $0.1.looksAtCamera == true && $0.1.looksAt == 0 })
        for (row, (frame, face)) in faces.enumerated() where row < table.rows.count {
            #expect(agree(try table.text("time", row), frame.seconds, decimals: 6))
            #expect(try table.text("frame", row) == "\(frame.index)")
            #expect(try table.text("measured_from", row) == face.measuredFrom?.rawValue ?? "")
            #expect(try table.text("dominant_emoji", row) == face.dominantEmoji.map(String.init) ?? "")
            for column in columns {
                let text = try table.text(column.name, row)
                #expect(
                    agree(text, column.value(face), decimals: column.decimals), "row \(row), \(column.name): \(text)")
            }
        }
    }

    @Test("Frames equal frames.csv, also those without a face")
    func frames() async throws {
        let table = try CommandResult(Checkout.clip).table("frames.csv")
        let frames = try await Library.analysis.value.frames
        #expect(try table.texts("frame") == frames.map { "\($0.index)" })
        #expect(try table.texts("faces") == frames.map { "\($0.faces.count)" })
        for (row, frame) in frames.enumerated() where row < table.rows.count {
            #expect(agree(try table.text("luma", row), frame.luma, decimals: 2))
            #expect(agree(try table.text("sharpness", row), frame.sharpness, decimals: 2))
            #expect(agree(try table.text("voice", row), frame.voice, decimals: 1))
            #expect(try table.text("damaged", row) == (frame.isDamaged ? "1" : "0"))
            #expect(try table.text("shot", row) == frame.shot.map { "\($0)" } ?? "")
        }
        #expect(frames.contains { $0.faces.isEmpty })
        #expect(frames.allSatisfy { $0.size.width == 640 && $0.size.height == 360 })
    }

    @Test("Tracks and people equal tracks.csv")
    func tracks() async throws {
        let table = try CommandResult(Checkout.clip).table("tracks.csv")
        let analysis = try await Library.analysis.value
        #expect(analysis.tracks.count == table.rows.count && analysis.tracks.count == 2)
        for (row, track) in analysis.tracks.enumerated() where row < table.rows.count {
            #expect(try table.text("face_id", row) == "\(track.id)")
            #expect(try table.text("person_id", row) == track.personID.map { "\($0)" } ?? "")
            #expect(agree(try table.text("person_confidence", row), track.personConfidence, decimals: 2))
            #expect(try table.text("samples", row) == "\(track.samples)")
            #expect(try table.text("appearances", row) == "\(track.appearances)")
            #expect(try table.text("best_frame", row) == "\(track.bestFrame)")
            var numbers: [(String, Double?)] = [
                ("first_time", Double(track.firstMicroseconds) / 1e6),
                ("last_time", Double(track.lastMicroseconds) / 1e6),
                ("best_time", Double(track.bestMicroseconds) / 1e6), ("x", track.meanBox.x), ("y", track.meanBox.y),
                ("width", track.meanBox.width), ("height", track.meanBox.height),
            ]
            let named =
                [("yaw", track.yaw), ("pitch", track.pitch), ("roll", track.roll), ("brightness", track.brightness)]
                + Metric.allCases.map { ($0.rawValue, track[$0]) }
            #expect(agree(try table.text("seconds_visible", row), track.visibleSeconds, decimals: 3))
            // At the default rate, blinks cannot be seen.
            for name in ["blinks", "blink_seconds", "blink_rate"] { #expect(try table.text(name, row) == "") }
            #expect(track.blinks == nil && track.blinkSeconds == nil && track.blinkRate == nil)
            for column in table.columns where column.hasSuffix("_rest") {
                let metric = try #require(Metric(rawValue: String(column.dropLast(5))), "\(column)")
                let level = try #require(track.restingLevel(of: metric), "\(column)")
                numbers.append((column, level))
            }
            #expect(track.restingLevel(of: .joy) == nil)
            for (column, value) in numbers {
                #expect(agree(try table.text(column, row), value, decimals: 2), "row \(row), \(column)")
            }
            for (name, statistics) in named {
                #expect(try table.text(name + "_samples", row) == "\(statistics.samples)")
                #expect(agree(try table.text(name + "_seconds", row), statistics.seconds, decimals: 3))
                for (column, value) in [
                    ("mean", statistics.mean), ("median", statistics.median), ("max", statistics.maximum),
                ] {
                    let text = try table.text("\(name)_\(column)", row)
                    #expect(agree(text, value, decimals: name.hasPrefix("AU") ? 4 : 2), "row \(row), \(name)_\(column)")
                }
            }
        }
        let people = try Set(table.texts("person_id"))
        #expect(Set(analysis.people.map { "\($0.id)" }) == people && !people.isEmpty)
        #expect(Set(analysis.people.flatMap(\.trackIDs)) == Set(analysis.tracks.map(\.id)))
    }

    @Test("Events equal events.csv, blinks included")
    func events() async throws {
        let clip = try Variants.path("blinks.mp4")
        let table = try CommandResult(clip, options: ["--every-frame"]).table("events.csv")
        let settings = Library.settings { $0.sample.rate = .everyFrame }
        let analysis = try await VideoAnalyzer(settings: settings).analyze(clip)
        let events = analysis.events
        #expect(try table.texts("kind") == events.map(\.kind.rawValue))
        #expect(try table.texts("face_id") == events.map { $0.faceID.map { "\($0)" } ?? "" })
        for (row, event) in events.enumerated() where row < table.rows.count {
            #expect(agree(try table.text("time", row), event.seconds, decimals: 6))
            switch event.value {
            case .none: #expect(try table.text("value", row) == "")
            case .text(let text): #expect(try table.text("value", row) == text)
            case .number(let value): #expect(agree(try table.text("value", row), value, decimals: 3))
            }
            #expect(agree(try table.text("measured", row), event.measuredFraction, decimals: 2))
            #expect(try table.text("complete", row) == event.isComplete.map { $0 ? "1" : "0" } ?? "")
            #expect(agree(try table.text("one_eye", row), event.oneEyeFraction, decimals: 2))
        }
        #expect(try table.texts("episode") == events.map { $0.episode.map { "\($0)" } ?? "" })
        let rows = try CommandResult(clip, options: ["--every-frame"]).table("episodes.csv")
        #expect(try rows.texts("episode") == analysis.episodes.map { "\($0.id)" })
        #expect(try rows.texts("kind") == analysis.episodes.map(\.kind.rawValue))
        for (row, episode) in analysis.episodes.enumerated() where row < rows.rows.count {
            #expect(agree(try rows.text("start", row), Double(episode.startMicroseconds) / 1e6, decimals: 6))
            #expect(agree(try rows.text("end", row), Double(episode.endMicroseconds) / 1e6, decimals: 6))
            #expect(agree(try rows.text("peak", row), episode.peak, decimals: 2))
            #expect(agree(try rows.text("mean", row), episode.mean, decimals: 2))
        }
        let blinks = events.filter { $0.kind == .blink }
        #expect(blinks.map(\.seconds) == [1, 2.48])
        #expect(blinks.map(\.durationSeconds) == [0.2, 0.24])
        #expect(blinks.map(\.measuredFraction) == [1, 1])
        #expect(blinks.map(\.isComplete) == [true, true])
        #expect(blinks.map(\.oneEyeFraction) == [0, 0])
        // Two blinks in 4 s.
        let tracks = try CommandResult(clip, options: ["--every-frame"]).table("tracks.csv")
        #expect(try tracks.texts("blinks") == ["2"])
        #expect(try tracks.texts("blink_seconds") == ["4.000"])
        #expect(try tracks.texts("blink_rate") == ["30.00"])
        let track = try #require(analysis.tracks.first)
        #expect(track.blinks == 2)
        #expect(agree("4.000", track.blinkSeconds, decimals: 3) && agree("30.00", track.blinkRate, decimals: 2))
    }
}
