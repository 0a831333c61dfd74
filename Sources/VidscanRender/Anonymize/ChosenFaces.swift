package import VidscanBase
package import VidscanResults

/// Why a face may stay visible.
package enum FaceClaim: Equatable, Sendable {
    /// It belongs to a visible person, whose sample at that time is in the report.
    case ofPerson(bestMicroseconds: Int64)
    /// It is named itself.
    case named
    /// A correction says whose it is, at these times in microseconds, and that person is visible.
    case decided(at: Set<Int64>)
    /// It seems to belong to a visible person, but not certainly enough.
    case uncertain
}

package struct ChosenFaces {
    /// By face_id. Unlisted faces are hidden.
    let claims: [Int: FaceClaim]

    /// A face stays visible with its person from this `person_confidence`. Tracks linked by hair and clothes alone have
    /// at most 0.7, and tracks that could not be judged 0.3.
    static let minimumConfidence = 0.8

    /// Throws if the result lacks a named person or face: a mistyped number would keep the wrong people visible.
    package init(_ choice: FaceChoice, in tables: FaceTables) throws(VidscanError) {
        let tracks = try TableReader(folder: tables.identities.name, name: "tracks.csv")
        let (face, person) = (try tracks.column("face_id"), try tracks.column("person_id"))
        let (confidence, best) = (try tracks.column("person_confidence"), try tracks.column("best_time"))
        var claims: [Int: FaceClaim] = [:]
        var people: Set<Int> = []
        let faces = try FaceTables.faceIDs(of: tables.identities).union(tables.removedFaces)
        // Somebody who looked may show a face that a correction removed, but only by naming it here.
        for id in choice.keptFaces.intersection(tables.removedFaces) { claims[id] = .named }
        while try tracks.next() {
            let id = try tracks.integer(face, in: ReadLimits.ids)
            let owner = try tracks.optionalInteger(person, in: ReadLimits.ids)
            if let owner { people.insert(owner) }
            if choice.hiddenFaces.contains(id) { continue }
            if choice.keptFaces.contains(id) {
                claims[id] = .named
            } else if let owner, choice.keeps(person: owner) {
                if let times = tables.corrections?.record.corrections?.decided?[id], !times.isEmpty {
                    claims[id] = .decided(at: Set(times.map { Int64(($0 * 1e6).rounded()) }))
                    continue
                }
                let isCertain = (try tracks.optionalNumber(confidence, in: 0...1) ?? 0) >= Self.minimumConfidence
                claims[id] = isCertain ? .ofPerson(bestMicroseconds: try tracks.microseconds(best)) : .uncertain
            }
        }
        try Self.check(choice.namedPeople, "person_id", "--keep or --hide", known: people)
        try Self.check(
            choice.keptFaces.union(choice.hiddenFaces), "face_id", "--keep-face or --hide-face", known: faces)
        self.claims = claims
    }

    private static func check(
        _ named: Set<Int>, _ column: String, _ options: String, known: Set<Int>
    ) throws(VidscanError) {
        let unknown = named.subtracting(known)
        try require(
            unknown.isEmpty, .result,
            "has no \(column) \(ranges(unknown)), which \(options) names; "
                + (known.isEmpty ? "it has no faces" : "it has \(ranges(known))"))
    }

    /// Formats numbers, from 1, as ranges: `1-3, 7`.
    static func ranges(_ numbers: Set<Int>) -> String {
        // The largest number has no successor, so each range ends with its last number.
        RangeSet(numbers.sorted().map { $0 - 1..<$0 }).ranges
            .map { $0.count == 1 ? "\($0.upperBound)" : "\($0.lowerBound + 1)-\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
