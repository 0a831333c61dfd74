package import Foundation

/// Writes results of videos that do not exist, with the people that a test wants.
package struct SyntheticResult {
    /// A track, which is one person's.
    package struct Track {
        package var face: Int
        package var person: Int
        package var seconds: ClosedRange<Double>
        /// Unit vectors of 256 numbers.
        package var embeddings: [[Float]]
        /// 1 if a correction says who it is.
        package var confidence: Double

        package init(
            face: Int, person: Int? = nil, seconds: ClosedRange<Double> = 0...9, embeddings: [[Float]],
            confidence: Double = 0.9
        ) {
            self.face = face
            self.confidence = confidence
            self.person = person ?? face
            self.seconds = seconds
            self.embeddings = embeddings
        }
    }

    /// Writes a result.
    ///
    /// - Parameters:
    ///   - folder: the folder of the result, which is created.
    ///   - video: the path of the video that `run.json` names.
    ///   - keepsEmbeddings: whether there is an `embeddings.npy`.
    package static func write(
        _ tracks: [Track], to folder: String, video: String, keepsEmbeddings: Bool = true
    ) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func put(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        let rows = tracks.map { track in
            let (first, last) = (track.seconds.lowerBound, track.seconds.upperBound)
            return
                "\(track.face),\(track.person),\(track.confidence),\(first),\(last),\(last - first),10,1,10,20,30,40,\(first),\(track.face)\n"
        }
        try put(
            "face_id,person_id,person_confidence,first_time,last_time,seconds_visible,samples,appearances,x,y,width,"
                + "height,best_time,best_frame\n" + rows.joined(), "tracks.csv")
        let starts = tracks.map { ($0.seconds.lowerBound, "face_started,\($0.face),\n") }
        let stops = tracks.map { ($0.seconds.upperBound, "face_stopped,\($0.face),end\n") }
        let events = (starts + stops).sorted { $0.0 < $1.0 }.map { "\($0.0),\($0.1)" }
        try put("time,kind,face_id,value\n" + events.joined(), "events.csv")
        let faces = tracks.map { "\($0.seconds.lowerBound),0,\($0.face),10,20,30,40,\($0.person)\n" }
        try put("time,frame,face_id,x,y,width,height,person_id\n" + faces.joined(), "faces.csv")
        try put("time,frame,faces\n0,0,\(tracks.count)\n", "frames.csv")
        try put(record(video, keepsEmbeddings: keepsEmbeddings), "run.json")
        if keepsEmbeddings {
            try embeddings(tracks).write(to: URL(fileURLWithPath: "\(folder)/embeddings.npy"))
        }
    }

    /// The file `embeddings.npy`, as NumPy would write it.
    package static func embeddings(_ tracks: [Track]) -> Data {
        var body = Data()
        var count = 0
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { body.append(contentsOf: $0) }
        }
        for track in tracks.sorted(by: { ($0.person, $0.face) < ($1.person, $1.face) }) {
            for (index, embedding) in track.embeddings.enumerated() {
                append(Int32(track.person))
                append(Int32(track.face))
                append((track.seconds.lowerBound + 0.1 * Double(index)).bitPattern)
                append((1 / Float(index + 1)).bitPattern)
                for value in embedding { append(value.bitPattern) }
                count += 1
            }
        }
        return header(rows: count) + body
    }

    /// - Parameter type: of the records, as NumPy describes it.
    package static func header(rows: Int, type: String = embeddingType) -> Data {
        var text = "{'descr': \(type), 'fortran_order': False, 'shape': (\(rows),), }"
        while !(10 + text.utf8.count + 1).isMultiple(of: 64) { text += " " }
        text += "\n"
        let length = text.utf8.count
        return Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 255), UInt8(length >> 8)]) + Data(text.utf8)
    }

    package static let embeddingType =
        "[('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'), ('embedding', '<f4', (256,))]"

    private static func record(_ video: String, keepsEmbeddings: Bool) throws -> String {
        let path = String(decoding: try JSONEncoder().encode(video), as: UTF8.self)
        return """
            {"counts": {"damaged_frames_or_packets": 0, "decoded_frames": 9, "events": 0, "face_ids": 1, "faces": 1,
              "gradual_cuts": 0, "hard_cuts": 0, "packets_not_decoded": 0, "person_ids": 1, "sampled_frames": 9,
              "tracks_dropped": 0},
             \(keepsEmbeddings ? "\"embeddings\": {\"file\": \"embeddings.npy\", \"rows\": 1}," : "")
             "ffmpeg_version": "5", "openvino_version": "2026", "models": {}, "notices": [], "warnings": [],
             "input": {"bytes": 100, "modified": 1795359580.2719746, "path": \(path)},
             "pipeline": {"sample": {"rate": "5", "start": null, "end": null}, "track": {"min_track": 2, "smoothing": true},
              "detect": {"accuracy": "medium", "faces": "large", "min_confidence": 0.5, "min_face": 0}},
             "timings": {"crop_seconds": 0.029677683000000003, "detect_seconds": 0, "follow_seconds": 0, "look_seconds": 0,
              "measure_seconds": 0, "mesh_seconds": 0, "resample_seconds": 0, "table_seconds": 0, "wall_seconds": 1},
             "vidscan_version": "0.1.0", "workers": 1,
             "video": {"codec": "h264", "coded_height": 360, "coded_width": 640, "container_start_seconds": 0,
              "format": "mp4", "stream": 0}}
            """
    }
}
