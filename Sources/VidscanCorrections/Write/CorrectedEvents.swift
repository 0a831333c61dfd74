internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The rows of `events.csv`, after the corrections.
///
/// Events of tracks that are split, or that lie in a range that is left out, are cut there. A smile, a look away and
/// closed eyes keep the parts that are left, without those of a single sample; a blink that is cut is dropped, because it
/// is not seen to begin or to end. Each end of a part of a track is the end of an appearance.
struct CorrectedEvents {
    /// A row, whose key decides its place.
    struct Row {
        var key: FaceEvent
        var fields: [String]
    }

    struct Columns {
        let time, kind, face, value: Int
        let complete: Int?
    }

    private let name = "events.csv"
    private let header: [String]
    private let columns: Columns
    private let rows: [Row]
    /// The numbers of events, by face_id and kind.
    private let counts: [Int: [FaceEvent.Kind: Int]]

    init(from source: String, _ tracks: CorrectedTracks) throws(VidscanError) {
        let table = try TableReader(folder: source, name: name)
        header = table.header
        columns = Columns(
            time: try table.column("time"), kind: try table.column("kind"), face: try table.column("face_id"),
            value: try table.column("value"), complete: table.optionalColumn("complete"))
        let touched = Self.touchedFaces(tracks)
        var rows: [Row] = []
        var ofTouched: [Int: [Row]] = [:]
        var cuts: [Row] = []
        var count = 0
        while try table.next() {
            count += 1
            guard count <= ReadLimits.events else {
                throw table.problem("is one of more than \(ReadLimits.events) events")
            }
            let kind = try table.value(columns.kind, FaceEvent.Kind.init(rawValue:))
            let face = try table.optionalInteger(columns.face, in: ReadLimits.ids)
            guard (kind == .shotCut) == (face == nil) else { throw table.problem("face_id does not fit the kind") }
            let row = Row(
                key: FaceEvent(microseconds: try table.microseconds(columns.time), kind: kind, faceID: face),
                fields: header.indices.map { table.text($0) ?? "" })
            if let face {
                guard tracks.samples.people[face] != nil else {
                    throw table.problem("face_id \(face) is not in tracks.csv")
                }
                if touched.contains(face) {
                    ofTouched[face, default: []].append(row)
                } else {
                    rows.append(row)
                }
            } else {
                cuts.append(row)
            }
        }
        let copy = EventCutter(header: header, columns: columns, tracks: tracks)
        rows += copy.cuts(cuts)
        for face in touched.sorted() { rows += copy.events(ofTouched[face] ?? [], of: face) }
        self.rows = rows.enumerated().sorted { one, other in
            if FaceEvent.precedes(one.element.key, other.element.key) { return true }
            return !FaceEvent.precedes(other.element.key, one.element.key) && one.offset < other.offset
        }.map(\.element)
        counts = Dictionary(grouping: self.rows.filter { $0.key.faceID != nil }) { $0.key.faceID ?? 0 }.mapValues {
            Dictionary($0.map { ($0.key.kind, 1) }, uniquingKeysWith: +)
        }
    }

    /// The tracks of the analysis that are not whole any more.
    private static func touchedFaces(_ tracks: CorrectedTracks) -> Set<Int> {
        let samples = tracks.samples
        let gaps = tracks.isExcluded.indices.filter { tracks.isExcluded[$0] }
        return Set(
            samples.rowsOfFace.keys.filter { face in
                let parts = tracks.partsOfFace[face] ?? []
                guard parts.count == 1, !tracks.parts[parts[0]].isRemoved, let rows = samples.rowsOfFace[face],
                    let first = rows.first, let last = rows.last
                else { return true }
                let span = Int(samples.rows[Int(first)].frame)...Int(samples.rows[Int(last)].frame)
                // The first gap at the beginning of the track or after it.
                var (low, high) = (0, gaps.count)
                while low < high {
                    let middle = (low + high) / 2
                    if gaps[middle] < span.lowerBound { low = middle + 1 } else { high = middle }
                }
                return low < gaps.count && gaps[low] <= span.upperBound
            })
    }

    // MARK: Results

    func appearances(ofFace face: Int) -> Int { count(of: .faceStarted, face: face) }

    func count(of kind: FaceEvent.Kind, face: Int) -> Int { counts[face]?[kind] ?? 0 }

    var count: Int { rows.count }

    /// The number of cuts of a kind.
    func cuts(_ kind: ShotChange.Kind) -> Int {
        rows.count { $0.key.kind == .shotCut && $0.fields[columns.value] == kind.rawValue }
    }

    func write(to folder: String) throws(VidscanError) {
        let output = try OutputFile(path: "\(folder)/\(name)")
        for fields in [header] + rows.map(\.fields) {
            output.buffer.write(text: fields.joined(separator: ","))
            output.buffer.write("\n")
            try output.drain()
        }
        try output.finish()
    }
}
