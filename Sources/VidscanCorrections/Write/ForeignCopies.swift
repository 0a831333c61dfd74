internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Copies `openface.csv`, which has a row for a frame without a face too.
final class OpenFaceCopy: FrameFileCopy {
    private let table: TableReader
    private let output: OutputFile
    private let columns: (frame: Int, faceID: Int)

    init(from source: String, to folder: String) throws(VidscanError) {
        table = try TableReader(folder: source, name: OpenFaceTable.file)
        guard table.header == OpenFaceTable.names else {
            throw table.problem("has other columns: another version of vidscan wrote it")
        }
        columns = (try table.column("frame"), try table.column("face_id"))
        output = try OutputFile(path: "\(folder)/\(table.name)")
        output.buffer.write(row: table)
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        var rows: [ByteWriter] = []
        for offset in 0..<max(frame.originals.count, 1) {
            let original = frame.originals.isEmpty ? 0 : frame.originals[offset]
            guard try table.next(), try table.count(columns.frame) == Int(frame.index) + 1,
                try table.integer(columns.faceID, in: 0...ReadLimits.ids.upperBound) == original
            else { throw table.problem("does not fit faces.csv") }
            let face = frame.faces.first { $0.offset == offset }
            var row = ByteWriter(reservingCapacity: 8192)
            row.write(row: table, replacing: face?.isSplitOff == true ? [columns.faceID: "\(face?.faceID ?? 0)"] : [:])
            rows.append(row)
        }
        guard !frame.isExcluded else { return }
        if frame.originals.isEmpty {
            output.buffer.write(slice: rows[0].bytes[...])
        } else if frame.faces.isEmpty {
            output.buffer.writeCSV(row: OpenFaceTable.fields(microseconds: frame.microseconds, emptyFrame: frame.index))
        }
        for face in frame.faces { output.buffer.write(slice: rows[face.offset].bytes[...]) }
        try output.drain()
    }

    func finish() throws(VidscanError) { try output.finish() }
}

/// Copies `pyfeat.csv`, which has a row for a frame without a face too, and no face_ids.
final class PyFeatCopy: FrameFileCopy {
    private let lines: LineReader
    private let output: OutputFile

    init(from source: String, to folder: String) throws(VidscanError) {
        lines = try LineReader(folder: source, name: PyFeatTable.file)
        output = try OutputFile(path: "\(folder)/\(lines.name)")
        guard let header = try lines.next(),
            String(decoding: lines.buffer[header], as: UTF8.self) == PyFeatTable.names.joined(separator: ",")
        else { throw lines.problem("has other columns: another version of vidscan wrote it") }
        output.buffer.write(slice: lines.buffer[header])
        output.buffer.write("\n")
    }

    func copy(_ frame: CorrectedFrame) throws(VidscanError) {
        var rows: [ArraySlice<UInt8>] = []
        for _ in 0..<max(frame.originals.count, 1) {
            guard let line = try lines.next() else { throw lines.problem("ends before faces.csv") }
            let row = lines.buffer[line]
            guard Self.frame(row) == frame.index else { throw lines.problem("does not fit faces.csv") }
            rows.append(ArraySlice(Array(row)))
        }
        guard !frame.isExcluded else { return }
        if frame.originals.isEmpty {
            output.buffer.write(slice: rows[0])
            output.buffer.write("\n")
        } else if frame.faces.isEmpty {
            guard let row = PyFeatTable.emptied(rows[0]) else { throw lines.problem("has too few fields") }
            output.buffer.write(slice: row)
            output.buffer.write("\n")
        }
        for face in frame.faces {
            var row = rows[face.offset]
            if let person = face.newPersonID, let comma = row.lastIndex(of: UInt8(ascii: ",")) {
                row = row[...comma] + PyFeatTable.identity(ofPerson: person).utf8
            }
            output.buffer.write(slice: row)
            output.buffer.write("\n")
        }
        try output.drain()
    }

    /// The frame's index, which is the third field from the end. The path before it may have commas.
    private static func frame(_ row: ArraySlice<UInt8>) -> Int64? {
        var fields = row.reversed().split(
            separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4 else { return nil }
        return Int64(String(decoding: fields.remove(at: 2).reversed(), as: UTF8.self))
    }

    func finish() throws(VidscanError) {
        guard try lines.next() == nil else { throw lines.problem("has more rows than faces.csv") }
        try output.finish()
    }
}
