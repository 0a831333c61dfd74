package import VidscanBase
package import VidscanFaces
package import VidscanResults

package typealias ShotCut = (microseconds: Int64, kind: ShotChange.Kind)

/// The tables from which faces are drawn or hidden.
///
/// Faces are drawn as a person corrected them. They are hidden where the detector found them, because a correction must not
/// uncover a face; only who they are comes from the corrected tables.
package struct FaceTables {
    let positions: StoredResult
    /// Who they are, as corrected; `nil` if the same result.
    let corrections: StoredResult?
    /// Face_ids whose tracks corrections removed entirely. No other face has these numbers.
    let removedFaces: Set<Int>

    var identities: StoredResult { corrections ?? positions }

    init(drawing result: StoredResult) { (positions, corrections, removedFaces) = (result, nil, []) }

    package init(hiding result: StoredResult) throws(VidscanError) {
        positions = try result.analysed()
        corrections = result.record.corrections == nil ? nil : result
        removedFaces = corrections == nil ? [] : try Self.faceIDs(of: positions).subtracting(Self.faceIDs(of: result))
    }

    /// Throws if anybody changed the tables since vidscan wrote them.
    func checkDigests(readsLandmarks: Bool) throws(VidscanError) {
        try positions.checkDigests(readsLandmarks: readsLandmarks)
        try corrections?.checkDigests(readsLandmarks: false)
    }

    /// In time order.
    func cuts() throws(VidscanError) -> [ShotCut] {
        let events = try TableReader(folder: positions.name, name: "events.csv")
        let (time, kind, value) = (try events.column("time"), try events.column("kind"), try events.column("value"))
        var cuts: [ShotCut] = []
        while try events.next() {
            let moment = try events.microseconds(time)
            guard try events.value(kind, FaceEvent.Kind.init(rawValue:)) == .shotCut else { continue }
            guard moment >= cuts.last?.microseconds ?? moment else { throw events.problem("time goes back") }
            try events.require(
                cuts.count < ReadLimits.events, "is one of more than \(ReadLimits.events) cuts, too many for a video")
            cuts.append((moment, try events.value(value, ShotChange.Kind.init(rawValue:))))
        }
        return cuts
    }

    static func faceIDs(of result: StoredResult) throws(VidscanError) -> Set<Int> {
        let tracks = try TableReader(folder: result.name, name: "tracks.csv")
        let column = try tracks.column("face_id")
        var ids: Set<Int> = []
        while try tracks.next() {
            let id = try tracks.integer(column, in: ReadLimits.ids)
            try tracks.require(ids.insert(id).inserted, "face_id \(id) appears twice")
            try tracks.require(ids.count <= ReadLimits.tracks, "is one of more than \(ReadLimits.tracks) faces")
        }
        return ids
    }
}

/// Gives the faces of an analysis their corrected numbers, from the corrected `faces.csv` read along with the original.
///
/// A removed face keeps its face_id if no other has it, so that a user can name it; otherwise it gets a negative one.
final class CorrectedNumbers {
    private let faces: TableReader
    private let columns: (time: Int, frame: Int, faceID: Int, match: Int?)
    private let box: FaceColumns
    private let removedFaces: Set<Int>
    private var hasRow: Bool

    init(_ result: StoredResult, removedFaces: Set<Int>) throws(VidscanError) {
        faces = try TableReader(folder: result.name, name: "faces.csv")
        columns = (
            try faces.column("time"), try faces.column("frame"), try faces.column("face_id"),
            faces.optionalColumn("person_match")
        )
        box = try FaceColumns(FaceField.box, of: faces)
        self.removedFaces = removedFaces
        hasRow = try faces.next()
    }

    /// Throws if the corrected table has a face that the analysis did not find.
    func number(_ states: inout [FaceState], frame: Int, microseconds: Int64) throws(VidscanError) {
        var removed = Set(states.indices)
        while hasRow, try faces.count(columns.frame) == frame, try faces.microseconds(columns.time) == microseconds {
            let own = try box.numbers(in: faces).box
            guard let index = removed.sorted().first(where: { states[$0].box == own }) else {
                throw faces.problem("names a face that the analysis did not find")
            }
            removed.remove(index)
            states[index].faceID = try faces.integer(columns.faceID, in: ReadLimits.ids)
            // A split makes it blank: it compares the sample with the rest of the track of the analysis.
            if let match = columns.match, states[index].personMatch != nil {
                states[index].personMatch = try faces.optionalNumber(match, in: 0...1)
            }
            hasRow = try faces.next()
        }
        for index in removed where !removedFaces.contains(states[index].faceID) { states[index].faceID.negate() }
    }

    func finish() throws(VidscanError) {
        guard !hasRow else { throw faces.problem("names a face that the analysis did not find") }
    }
}
