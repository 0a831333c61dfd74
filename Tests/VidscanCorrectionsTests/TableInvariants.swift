import Foundation
import TestSupport
import Testing

/// What holds for the tables of every result, corrected or not. Nothing here uses the code that writes them.
struct TableInvariants {
    private let sample: CorrectedSample
    private let faces: CSVTable
    private let frames: CSVTable
    private let tracks: CSVTable
    private let events: CSVTable
    private let episodes: CSVTable

    init(_ sample: CorrectedSample) throws {
        self.sample = sample
        faces = try sample.table("faces.csv")
        frames = try sample.table("frames.csv")
        tracks = try sample.table("tracks.csv")
        events = try sample.table("events.csv")
        episodes = try sample.table("episodes.csv")
    }

    func check() throws {
        try checkFrames()
        try checkTracks()
        try checkEvents()
        try checkEpisodes()
        try checkOtherFormats()
        try checkRecord()
    }

    private func checkFrames() throws {
        let times = try frames.numbers("time")
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let perFrame = Dictionary(grouping: try faces.texts("frame"), by: { $0 }).mapValues(\.count)
        for (row, frame) in try frames.texts("frame").enumerated() {
            #expect(try frames.text("faces", row) == "\(perFrame[frame] ?? 0)", "frame \(frame)")
        }
        #expect(Set(perFrame.keys).isSubset(of: Set(try frames.texts("frame"))))
        let keys = try zip(faces.numbers("frame"), faces.numbers("face_id")).map { ($0, $1) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        let timeOfFrame = Dictionary(uniqueKeysWithValues: zip(try frames.texts("frame"), try frames.texts("time")))
        for (frame, time) in zip(try faces.texts("frame"), try faces.texts("time")) {
            #expect(timeOfFrame[frame] == time)
        }
    }

    private func checkTracks() throws {
        let ids = try tracks.numbers("face_id")
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Set(try faces.texts("face_id")) == Set(try tracks.texts("face_id")))
        let rows = Dictionary(grouping: faces.rows.indices) { faces.rows[$0][2] }
        for track in tracks.rows.indices {
            let id = try tracks.text("face_id", track)
            let own = try #require(rows[id])
            #expect(try tracks.text("samples", track) == "\(own.count)")
            #expect(try tracks.text("first_time", track) == faces.text("time", own[0]))
            #expect(try tracks.text("last_time", track) == faces.text("time", own[own.count - 1]))
            for row in own {
                #expect(try faces.text("person_id", row) == tracks.text("person_id", track))
            }
            let best = try tracks.text("best_frame", track)
            #expect(try own.contains { try faces.text("frame", $0) == best })
            for name in ["smile", "yaw", "joy", "brightness", "has_smile", "AU12"] {
                let values = try own.compactMap { try faces.number(name, $0) }
                #expect(try tracks.text("\(name)_samples", track) == "\(values.count)")
                guard let maximum = values.max() else {
                    #expect(try tracks.text("\(name)_mean", track) == "")
                    continue
                }
                // Both are rounded.
                let mean = values.reduce(0, +) / Double(values.count)
                #expect(abs(try #require(try tracks.number("\(name)_mean", track)) - mean) < 0.011)
                #expect(abs(try #require(try tracks.number("\(name)_max", track)) - maximum) < 0.006)
            }
            let seconds = try #require(try tracks.number("seconds_visible", track))
            #expect(seconds > 0 && seconds < 0.16 * Double(own.count) + 0.01)
            #expect(try #require(try tracks.number("smile_seconds", track)) <= seconds + 0.001)
        }
    }

    private func checkEvents() throws {
        let times = try events.numbers("time")
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(try events.texts("face_id")).subtracting([""]).isSubset(of: Set(try tracks.texts("face_id"))))
        let sampled = Set(try frames.texts("time"))
        var counts: [String: [String: Int]] = [:]
        /// When each face is in sight, and the rows of its smiles.
        var (started, smiles): ([String: Double], [String: Double]) = ([:], [:])
        let samples = Dictionary(grouping: faces.rows.indices) { faces.rows[$0][2] }
        var covered: [String: Int] = [:]
        for row in events.rows.indices {
            let (kind, face) = (try events.text("kind", row), try events.text("face_id", row))
            let time = try #require(try events.number("time", row))
            #expect(sampled.contains(try events.text("time", row)), "\(events.rows[row])")
            counts[face, default: [:]][kind, default: 0] += 1
            #expect((kind == "shot_cut") == (face == ""))
            guard kind != "shot_cut" else { continue }
            if kind == "face_started" {
                #expect(started.updateValue(time, forKey: face) == nil, "face \(face) starts twice at \(time)")
            }
            let begin = try #require(started[face], "\(kind) of face \(face) at \(time) is not in an appearance")
            switch kind {
            case "smile_started": #expect(smiles.updateValue(time, forKey: face) == nil)
            case "smile_stopped":
                let removed = smiles.removeValue(forKey: face)
                let start = try #require(removed, "face \(face) at \(time)")
                #expect(abs(try #require(try events.number("value", row)) - (time - start)) < 0.001)
            case "face_stopped":
                #expect(smiles[face] == nil, "face \(face) at \(time)")
                started[face] = nil
                let inside = try (samples[face] ?? []).filter { row in
                    let sample = try #require(try faces.number("time", row))
                    return sample >= begin - 1e-9 && sample <= time + 1e-9
                }
                covered[face, default: 0] += inside.count
                let ends = try [inside.first, inside.last].map { try faces.number("time", try #require($0)) }
                #expect(ends == [begin, time])
            case "blink", "eyes_closed", "look_away":
                let end = time + (try #require(try events.number("value", row)))
                let last = try #require(
                    try tracks.number("last_time", try tracks.texts("face_id").firstIndex(of: face) ?? 0))
                #expect(end <= last + 0.001)
            default: break
            }
        }
        #expect(started.isEmpty)
        for track in tracks.rows.indices {
            let face = try tracks.text("face_id", track)
            #expect(covered[face] == samples[face]?.count, "samples of face \(face) are in no appearance")
            #expect(try tracks.text("appearances", track) == "\(counts[face]?["face_started"] ?? 0)")
            if try tracks.text("blinks", track) != "" {
                #expect(try tracks.text("blinks", track) == "\(counts[face]?["blink"] ?? 0)")
            }
        }
    }

    /// Each episode has the events that begin and end it, and each event its episode.
    private func checkEpisodes() throws {
        #expect(try episodes.texts("episode") == (1...episodes.rows.count).map { "\($0)" })
        let starts = try episodes.numbers("start")
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 })
        let owned = Dictionary(grouping: events.rows.indices) { events.rows[$0].last ?? "" }
        #expect(Set(owned.keys).isSubset(of: Set(try episodes.texts("episode"))))
        let lastTime = try frames.text("time", frames.rows.count - 1)
        var (seconds, shots): ([String: Double], Double) = ([:], 0)
        for row in episodes.rows.indices {
            let (kind, face) = (try episodes.text("kind", row), try episodes.text("face_id", row))
            let own = owned[try episodes.text("episode", row)] ?? []
            let kinds = try own.map { try events.text("kind", $0) }
            let times = try own.map { try events.text("time", $0) }
            let (start, end) = (try episodes.text("start", row), try episodes.text("end", row))
            #expect(try own.allSatisfy { try events.text("face_id", $0) == face })
            let measured = try #require(try episodes.number("measured_seconds", row))
            switch kind {
            case "visible":
                #expect(kinds == ["face_started", "face_stopped"] && times == [start, end])
                seconds[face, default: 0] += measured
                let ending = try events.text("value", try #require(own.last))
                #expect(ending != "end" || end == lastTime)
                if ending != "corrected" {
                    #expect(try episodes.text("end_seen", row) == (ending == "end" ? "0" : "1"), "\(ending)")
                }
            case "smile": #expect(kinds == ["smile_started", "smile_stopped"] && times == [start, end])
            case "shot":
                #expect(kinds == (shots == 0 ? [] : ["shot_cut"]) && times.allSatisfy { $0 == start } && face == "")
                shots += measured
            default: #expect(kinds == [kind] && times == [start])
            }
            guard kind != "shot", kind != "visible" else { continue }
            let complete = try ["start_seen", "end_seen"].allSatisfy { try episodes.text($0, row) == "1" }
            #expect(try events.text("complete", try #require(own.last)) == (complete ? "1" : "0"))
            #expect(try #require(try episodes.number("mean", row)) <= #require(try episodes.number("peak", row)))
        }
        for track in tracks.rows.indices {
            let visible = try #require(try tracks.number("seconds_visible", track))
            #expect(abs(visible - (seconds[try tracks.text("face_id", track)] ?? 0)) < 0.01)
        }
    }

    private func checkOtherFormats() throws {
        let lines = try sample.folder.text(sample.name + "/faces.jsonl").split(separator: "\n")
        #expect(lines.count == faces.rows.count)
        for (row, line) in lines.enumerated() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for name in ["frame", "face_id", "person_id", "smile", "person_match"] {
                #expect(object[name] as? Double == (try faces.number(name, row)), "\(name) of line \(row + 1)")
            }
        }
        let document = try #require(
            try JSONSerialization.jsonObject(with: sample.folder.bytes(sample.name + "/faces.json")) as? [String: Any])
        let frameObjects = try #require(document["frames"] as? [[String: Any]])
        #expect(frameObjects.map { $0["frame"] as? Double } == (try frames.numbers("frame")))
        let nested = frameObjects.flatMap { $0["faces"] as? [[String: Any]] ?? [] }
        #expect(nested.map { $0["face_id"] as? Double } == (try faces.numbers("face_id")))
        #expect(nested.map { $0["person_id"] as? Double } == (try faces.numbers("person_id")))
        #expect(nested.map { $0["smile"] as? Double } == (try faces.rows.indices.map { try faces.number("smile", $0) }))

        let openFace = try sample.table("openface.csv")
        let seen = openFace.rows.indices.filter { openFace.rows[$0][1] != "0" }
        #expect(try seen.map { try openFace.text("face_id", $0) } == faces.texts("face_id"))
        let empty = try frames.rows.indices.filter { try frames.text("faces", $0) == "0" }
        #expect(openFace.rows.count == faces.rows.count + empty.count)
        let numbers = try openFace.numbers("frame")
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(numbers) == Set(try frames.numbers("frame").map { $0 + 1 }))

        let pyFeat = try sample.table("pyfeat.csv")
        let found = try pyFeat.texts("Identity").filter { $0 != "" }
        #expect(found == (try faces.texts("person_id").map { "Person_\($0)" }))
        #expect(pyFeat.rows.count == openFace.rows.count)
        #expect(Set(try pyFeat.texts("frame")) == Set(try frames.texts("frame")))

        let blendshapes = try sample.table("blendshapes.csv")
        let keys = Set(try zip(faces.texts("frame"), faces.texts("face_id")).map { "\($0) \($1)" })
        #expect(
            try zip(blendshapes.texts("frame"), blendshapes.texts("face_id")).allSatisfy {
                keys.contains("\($0) \($1)")
            })
        let meshes = try faces.rows.indices.filter { try faces.text("chin_x", $0) != "" }
        #expect(blendshapes.rows.count == meshes.count)

        let landmarks = try sample.folder.bytes(sample.name + "/landmarks.npy")
        #expect(landmarks.count == 128 + faces.rows.count * 478 * 12)
        // The chin of the mesh is that of the row: the mesh has not been given to another face.
        for row in meshes where try faces.number("confidence", row) != nil {
            let (x, y) = (try #require(try faces.number("nose_x", row)), try #require(try faces.number("nose_y", row)))
            let point = { (axis: Int) in
                landmarks.withUnsafeBytes {
                    Double($0.loadUnaligned(fromByteOffset: 128 + row * 478 * 12 + 12 + 4 * axis, as: Float.self))
                }
            }
            // The points of the row are smoothed.
            #expect(abs(point(0) - x) < 12 && abs(point(1) - y) < 12, "row \(row)")
        }
        let embeddings = try sample.folder.bytes(sample.name + "/embeddings.npy")
        #expect((embeddings.count - 192) % 1044 == 0)
        let samples = Set(
            try faces.rows.indices.map { row in
                "\(try faces.text("person_id", row)) \(try faces.text("face_id", row)) \(try #require(try faces.number("time", row)))"
            })
        for start in stride(from: 192, to: embeddings.count, by: 1044) {
            let key = embeddings.withUnsafeBytes { bytes in
                let (person, face) = (
                    bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    bytes.loadUnaligned(fromByteOffset: start + 4, as: Int32.self)
                )
                return "\(person) \(face) \(bytes.loadUnaligned(fromByteOffset: start + 8, as: Double.self))"
            }
            #expect(samples.contains(key), "\(key)")
        }
    }

    private func checkRecord() throws {
        let counts = try #require(try sample.record()["counts"] as? [String: Int])
        #expect(counts["faces"] == faces.rows.count)
        #expect(counts["sampled_frames"] == frames.rows.count)
        #expect(counts["face_ids"] == tracks.rows.count)
        #expect(counts["person_ids"] == Set(try tracks.texts("person_id")).count)
        #expect(counts["events"] == events.rows.count)
        #expect(counts["hard_cuts"] == (try events.texts("kind").filter { $0 == "shot_cut" }.count))
        let embeddings = try sample.folder.bytes(sample.name + "/embeddings.npy")
        let recorded = try #require(try sample.record()["embeddings"] as? [String: Any])
        #expect(recorded["rows"] as? Int == (embeddings.count - 192) / 1044)
    }
}
