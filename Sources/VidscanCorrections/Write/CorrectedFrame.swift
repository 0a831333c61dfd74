internal import VidscanBase
internal import VidscanResults

/// A sampled frame of the analysis, and what is left of it.
struct CorrectedFrame {
    /// A face that is left.
    struct Face {
        /// The position of its row among those of the frame.
        let offset: Int
        /// The position of its part.
        let part: Int
        let faceID: Int
        /// `nil` if it is the one that the analysis gave.
        let newPersonID: Int?
        /// Whether the part has another face_id than the track of the analysis.
        let isSplitOff: Bool
    }

    let microseconds: Int64
    /// As in the tables.
    let index: Int64
    let isExcluded: Bool
    /// The face_ids that the analysis gave, in the order of the rows.
    let originals: [Int]
    /// In the order of their face_ids.
    let faces: [Face]

    init(_ frame: Int, of tracks: CorrectedTracks) {
        let samples = tracks.samples
        microseconds = samples.frames[frame].microseconds
        index = samples.frames[frame].index
        isExcluded = tracks.isExcluded[frame]
        let rows = samples.rows(ofFrame: frame)
        originals = rows.map { Int(samples.rows[$0].faceID) }
        var faces: [Face] = []
        for (offset, row) in rows.enumerated() {
            guard let part = tracks.part(ofRow: row) else { continue }
            let own = tracks.parts[part]
            faces.append(
                Face(
                    offset: offset, part: part, faceID: own.faceID,
                    newPersonID: own.personID == samples.people[own.original] ? nil : own.personID,
                    isSplitOff: own.faceID != own.original))
        }
        self.faces = faces.sorted { $0.faceID < $1.faceID }
    }
}

/// Copies a file of a result frame by frame, with the corrections.
protocol FrameFileCopy: AnyObject {
    /// Copies what the file has of the next frame.
    func copy(_ frame: CorrectedFrame) throws(VidscanError)
    /// Completes the copy, after the last frame.
    func finish() throws(VidscanError)
}

extension ByteWriter {
    mutating func write(slice: ArraySlice<UInt8>) {
        slice.withUnsafeBytes { write(bytes: $0) }
    }

    /// Writes the current row of a table, with other texts in some columns, and a line end.
    mutating func write(row table: TableReader, replacing texts: [Int: String] = [:]) {
        guard !texts.isEmpty else {
            write(slice: table.row)
            write("\n")
            return
        }
        for column in table.header.indices {
            if column > 0 { write(",") }
            if let text = texts[column] { write(text: text) } else { write(slice: table.bytes(column)) }
        }
        write("\n")
    }
}

extension Field {
    /// The field as a table has it.
    var text: String {
        var writer = ByteWriter(reservingCapacity: 32)
        writer.writeCSV(row: [self])
        writer.removeLast()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
