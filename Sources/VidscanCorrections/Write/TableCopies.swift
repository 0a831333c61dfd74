internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Copies `faces.csv`, and counts the rows of the tracks that have other samples now.
final class FaceTableCopy: FrameFileCopy {
    private let table: TableReader
    private let output: OutputFile
    private let columns: (faceID: Int, personID: Int, match: Int?)
    private let tallies: TrackTallies

    init(from source: String, to folder: String, tallies: TrackTallies) throws(VidscanError) {
        table = try TableReader(folder: source, name: "faces.csv")
        columns = (
            try table.column("face_id"), try table.column("person_id"), table.optionalColumn("person_match")
        )
        output = try OutputFile(path: "\(folder)/\(table.name)")
        output.buffer.write(row: table)
        self.tallies = tallies
        try tallies.prepare(table)
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        tallies.begin(frame)
        var rows: [Int: ByteWriter] = [:]
        for offset in frame.originals.indices {
            guard try table.next() else { throw table.problem("has no more rows") }
            let face = frame.faces.first { $0.offset == offset }
            try tallies.add(table, original: frame.originals[offset], part: face?.part)
            guard let face else { continue }
            var texts: [Int: String] = [:]
            if face.isSplitOff {
                texts[columns.faceID] = "\(face.faceID)"
                // It compares the sample with those of the other part.
                if let match = columns.match { texts[match] = "" }
            }
            if let person = face.newPersonID { texts[columns.personID] = "\(person)" }
            var row = ByteWriter(reservingCapacity: 1024)
            row.write(row: table, replacing: texts)
            rows[offset] = row
        }
        for face in frame.faces {
            if let row = rows[face.offset] { output.buffer.write(slice: row.bytes[...]) }
        }
        try output.drain()
    }

    func finish() throws(VidscanError) { try output.finish() }
}

/// Copies `frames.csv`.
final class FrameTableCopy: FrameFileCopy {
    private let table: TableReader
    private let output: OutputFile
    private let count: Int

    init(from source: String, to folder: String) throws(VidscanError) {
        table = try TableReader(folder: source, name: "frames.csv")
        count = try table.column("faces")
        output = try OutputFile(path: "\(folder)/\(table.name)")
        output.buffer.write(row: table)
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        guard try table.next() else { throw table.problem("has no more rows") }
        guard !frame.isExcluded else { return }
        let isSame = frame.faces.count == frame.originals.count
        output.buffer.write(row: table, replacing: isSame ? [:] : [count: "\(frame.faces.count)"])
        try output.drain()
    }

    func finish() throws(VidscanError) { try output.finish() }
}

/// Copies `blendshapes.csv`, which has rows of the faces that were measured.
final class BlendshapeCopy: FrameFileCopy {
    private let table: TableReader
    private let output: OutputFile
    private let columns: (frame: Int, faceID: Int)
    private var hasRow: Bool

    init(from source: String, to folder: String) throws(VidscanError) {
        table = try TableReader(folder: source, name: ResultFiles.blendshapes)
        columns = (try table.column("frame"), try table.column("face_id"))
        output = try OutputFile(path: "\(folder)/\(table.name)")
        output.buffer.write(row: table)
        hasRow = try table.next()
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        var rows: [Int: ByteWriter] = [:]
        while hasRow, try table.count(columns.frame) == Int(frame.index) {
            let id = try table.integer(columns.faceID, in: ReadLimits.ids)
            guard let offset = frame.originals.firstIndex(of: id), rows[offset] == nil else {
                throw table.problem("is of no row of faces.csv")
            }
            var row = ByteWriter(reservingCapacity: 512)
            if let face = frame.faces.first(where: { $0.offset == offset }) {
                row.write(row: table, replacing: face.isSplitOff ? [columns.faceID: "\(face.faceID)"] : [:])
            }
            rows[offset] = row
            hasRow = try table.next()
        }
        for face in frame.faces {
            if let row = rows[face.offset] { output.buffer.write(slice: row.bytes[...]) }
        }
        try output.drain()
    }

    func finish() throws(VidscanError) {
        guard !hasRow else { throw table.problem("belongs to no frame in frames.csv") }
        try output.finish()
    }
}

/// Copies `landmarks.npy`.
final class LandmarkCopy: FrameFileCopy {
    private let reader: LandmarkReader
    private let output: LandmarkFile

    init(from source: String, to folder: String) throws(VidscanError) {
        reader = try LandmarkReader(folder: source)
        output = try LandmarkFile(folder: folder)
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        var meshes: [FaceMesh?] = []
        for _ in frame.originals { meshes.append(try reader.next()) }
        for face in frame.faces { try output.append(meshes[face.offset]) }
    }

    func finish() throws(VidscanError) {
        try reader.finish()
        try output.finish()
    }
}
