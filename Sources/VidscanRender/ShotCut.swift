internal import VidscanBase
package import VidscanFaces
internal import VidscanResults

/// A cut of a finished result.
package struct ShotCut {
    var microseconds: Int64
    var kind: ShotChange.Kind

    package init(microseconds: Int64, kind: ShotChange.Kind) {
        self.microseconds = microseconds
        self.kind = kind
    }

    /// Returns the cuts of a result in time order.
    static func all(of result: StoredResult) throws(VidscanError) -> [ShotCut] {
        let events = try TableReader(folder: result.name, name: "events.csv")
        let (time, kind, value) = (
            try events.column("time"), try events.column("kind"), try events.column("value")
        )
        var cuts: [ShotCut] = []
        while try events.next() {
            let moment = try events.microseconds(time)
            guard try events.value(kind, FaceEvent.Kind.init(rawValue:)) == .shotCut else { continue }
            guard moment >= cuts.last?.microseconds ?? moment else { throw events.problem("time goes back") }
            guard cuts.count < ReadLimits.events else {
                throw events.problem("is one of more than \(ReadLimits.events) cuts, too many for a video")
            }
            cuts.append(
                ShotCut(microseconds: moment, kind: try events.value(value, ShotChange.Kind.init(rawValue:))))
        }
        return cuts
    }
}
