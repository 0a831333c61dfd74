internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Copies `tracks.csv`: the rows of unchanged tracks as they are, and the others made anew from their samples.
struct TrackTableCopy {
    let tracks: CorrectedTracks
    let tallies: TrackTallies
    let events: CorrectedEvents

    private struct Row {
        let faceID: Int
        let bytes: [UInt8]
    }

    func write(from source: String, to folder: String) throws(VidscanError) {
        let table = try TableReader(folder: source, name: "tracks.csv")
        let face = try table.column("face_id")
        let output = try OutputFile(path: "\(folder)/\(table.name)")
        output.buffer.write(row: table)
        var rows: [Row] = []
        while try table.next() {
            let original = try table.integer(face, in: ReadLimits.ids)
            for part in tracks.partsOfFace[original] ?? [] where !tracks.rows(ofPart: part).isEmpty {
                rows.append(Row(faceID: tracks.parts[part].faceID, bytes: try row(of: part, table)))
            }
        }
        for row in rows.sorted(by: { $0.faceID < $1.faceID }) {
            output.buffer.write(slice: row.bytes[...])
            try output.drain()
        }
        try output.finish()
    }

    /// Returns the row of a part, given that of its track.
    private func row(of part: Int, _ table: TableReader) throws(VidscanError) -> [UInt8] {
        let own = tracks.parts[part]
        var writer = ByteWriter(reservingCapacity: 8192)
        guard var row = tallies.rows[part] else {
            let texts = try changes(of: own, table)
            writer.write(row: table, replacing: texts)
            return writer.bytes
        }
        try complete(&row, of: part, table)
        let fields = Dictionary(uniqueKeysWithValues: zip(TrackTable.names, TrackTable.fields(of: row)))
        var values: [Field] = []
        for column in table.header {
            guard let field = fields[column] else {
                throw VidscanError(
                    .result,
                    "tracks.csv has the column \(Printable.line(String(column.prefix(40)))), which this version cannot make"
                        + " anew; analyse the video again", stage: .open)
            }
            values.append(field)
        }
        writer.writeCSV(row: values)
        return writer.bytes
    }

    /// Returns what changes in the row of a track that has all its samples, by column.
    private func changes(of own: TrackPart, _ table: TableReader) throws(VidscanError) -> [Int: String] {
        var texts: [Int: String] = [:]
        if own.personID != tracks.samples.people[own.original] {
            texts[try table.column("person_id")] = "\(own.personID)"
        }
        if own.isDecided, let confidence = table.optionalColumn("person_confidence") { texts[confidence] = "1.00" }
        // A range that is left out can cut an appearance or a blink between two samples of the face.
        let appearances = events.appearances(ofFace: own.faceID)
        if let column = table.optionalColumn("appearances"), try table.count(column) != appearances {
            texts[column] = "\(appearances)"
        }
        let count = events.count(of: .blink, face: own.faceID)
        if let blinks = table.optionalColumn("blinks"), let seconds = table.optionalColumn("blink_seconds"),
            let rate = table.optionalColumn("blink_rate"), table.text(blinks) != nil, try table.count(blinks) != count
        {
            let measured = try table.number(seconds, in: ReadLimits.durations)
            texts[blinks] = "\(count)"
            texts[rate] =
                TrackRow.Blinks(count: count, seconds: measured).perMinute.map {
                    Field.decimal($0, decimals: 2).text
                } ?? ""
        }
        return texts
    }

    /// Adds what does not follow from the samples of the part.
    private func complete(_ row: inout TrackRow, of part: Int, _ table: TableReader) throws(VidscanError) {
        let own = tracks.parts[part]
        row.personConfidence =
            own.isDecided ? 1 : try table.optionalNumber(table.column("person_confidence"), in: 0...1)
        row.appearances = events.appearances(ofFace: own.faceID)
        // The best sample of the whole track is the best of its part.
        let best = try table.microseconds(table.column("best_time"))
        let frame = Int64(try table.count(table.column("best_frame")))
        let samples = tracks.samples
        let hasBest = tracks.rows(ofPart: part).contains { samples.frames[Int(samples.rows[$0].frame)].index == frame }
        if hasBest { (row.bestMicroseconds, row.bestFrame) = (best, frame) }
        row.blinks = try blinks(of: part, seconds: row.blinks?.seconds ?? 0, table)
        for (index, measure) in TrackTable.measures.enumerated() {
            guard let column = table.optionalColumn("\(measure.name)_rest") else { continue }
            row.statistics[index].rest = try table.optionalNumber(column, in: measure.range).map(Float.init)
        }
    }

    /// - Returns: `nil` if blinks could not be seen, or if the tables do not tell when.
    private func blinks(of part: Int, seconds: Double, _ table: TableReader) throws(VidscanError) -> TrackRow.Blinks? {
        let own = tracks.parts[part]
        guard let column = table.optionalColumn("blink_seconds"),
            let measured = try table.optionalNumber(column, in: ReadLimits.durations),
            // Without these columns, as with '--metrics none', the rows do not say when an eye was measured.
            abs((tallies.measuredEyes[own.original] ?? 0) - measured) < 1e-3
        else { return nil }
        return TrackRow.Blinks(count: events.count(of: .blink, face: own.faceID), seconds: seconds)
    }
}
