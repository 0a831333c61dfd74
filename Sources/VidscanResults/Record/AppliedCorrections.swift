package import VidscanBase
internal import VidscanMedia

/// `corrections` in `run.json`: how a person corrected the tables of the result.
package struct AppliedCorrections: Codable, Sendable {
    /// In seconds on the clock of the tables.
    package struct Exclusion: Codable, Sendable, Equatable { package let from, to: Double }

    /// The kinds of corrections, as their file names them.
    package enum Kind: String, Sendable, CaseIterable {
        case samePerson = "same_person", differentPeople = "different_people"
        case split, name, notAFace = "not_a_face", exclude, note
    }

    package let file, sha256: String
    /// As in the file.
    package let list: [JSONValue]
    /// The pseudonyms, by person_id.
    package let people: [Int: String]
    /// The face_id and the person_id that a further split gives. Earlier versions do not write them.
    package let next: [Int]?
    package let excluded: [Exclusion]
    /// The times in seconds at which corrections say whose a face is, by face_id. Earlier versions do not write them.
    package let decided: [Int: [Double]]?
    /// The corrections of each kind, and the rows of `faces.csv` and `frames.csv` that are left out.
    package let counts: [String: Int]

    /// `excluded` and `decided` are in microseconds.
    package init(
        file: String, text: String, list: [JSONValue], kinds: [Kind], people: [Int: String], next: [Int],
        excluded: [ClosedRange<Int64>], decided: [Int: [Int64]], facesRemoved: Int, framesRemoved: Int
    ) {
        (self.file, self.list, self.people, self.next) = (file, list, people, next)
        sha256 = FileDigest.sha256(text: text)
        self.excluded = excluded.map { Exclusion(from: Double($0.lowerBound) / 1e6, to: Double($0.upperBound) / 1e6) }
        self.decided = decided.mapValues { $0.map { Double($0) / 1e6 } }
        var counts = ["faces_removed": facesRemoved, "frames_removed": framesRemoved]
        for kind in Kind.allCases { counts[kind.rawValue] = kinds.count { $0 == kind } }
        self.counts = counts
    }

    package var facesRemoved: Int { counts["faces_removed"] ?? 0 }

    /// Per file.
    package static let maximum = 10_000

    func check(_ check: RecordCheck) throws(VidscanError) {
        let kinds = Kind.allCases.map(\.rawValue)
        // Before they are added up.
        for key in kinds + ["faces_removed", "frames_removed"] {
            try check.counts("corrections.counts", [key: counts[key] ?? 0])
        }
        try check.require(
            (1...255).contains(file.utf8.count) && !file.unicodeScalars.contains("/"), "corrections.file",
            "the name of a file")
        try check.require(
            sha256.utf8.count == 64 && sha256.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) },
            "corrections.sha256", "64 hexadecimal digits")
        try check.require(
            list.count <= Self.maximum && kinds.reduce(0) { $0 + (counts[$1] ?? 0) } == list.count
                && excluded.count == counts[Kind.exclude.rawValue], "corrections.list", "as long as its counts say")
        try check.require(
            people.allSatisfy { ReadLimits.ids.contains($0.key) && Pseudonym.isValid($0.value) }
                && Set(people.values).count == people.count, "corrections.people", "different names of people")
        try check.require(next.map { $0.count == 2 && $0.min() ?? 0 > 0 } ?? true, "corrections.next", "two numbers")
        for (face, times) in decided ?? [:] {
            try check.require(ReadLimits.ids.contains(face), "corrections.decided", "times by face_id")
            for time in times { try check.number(time, "corrections.decided", in: ReadLimits.seconds) }
        }
        for range in excluded {
            try check.number(range.from, "corrections.excluded.from", in: ReadLimits.seconds)
            try check.number(range.to, "corrections.excluded.to", in: ReadLimits.seconds)
        }
    }
}

extension StrictMembers {
    /// Returns what a correction does. Throws if it has other members than those listed for it.
    package func correction(
        among known: KeyValuePairs<AppliedCorrections.Kind, [String]>
    ) throws -> AppliedCorrections.Kind {
        let name = try text("do", maximum: 100)
        guard let (kind, keys) = known.first(where: { $0.key.rawValue == name }) else {
            let names = known.map(\.key.rawValue)
            throw problem(
                "do",
                "is '\(name)'; the corrections are \(names.joined(separator: ", "))"
                    + NearestName.suggestion(for: name, among: names))
        }
        try allow(["do"] + keys)
        return kind
    }

    package func pseudonym(_ key: String) throws -> String {
        let name = try text(key, maximum: 100)
        guard Pseudonym.isValid(name) else {
            throw problem(key, "must have 1 to 100 characters, no control characters and no quotation marks")
        }
        return name
    }
}

package enum Pseudonym {
    /// Whether a text can be a pseudonym: 1 to 100 characters, not only spaces, no control characters or quotes.
    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.count <= 100 && name.utf8.count <= 400 && Printable.line(name) == name
            && !name.unicodeScalars.contains("\"") && name.contains { !$0.isWhitespace }
    }
}
