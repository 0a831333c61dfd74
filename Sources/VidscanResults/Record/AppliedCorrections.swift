package import VidscanBase
internal import VidscanMedia

/// `corrections` in `run.json`: how a person corrected the tables of the result.
package struct AppliedCorrections: Codable, Sendable {
    /// A range of time that is left out, in seconds on the clock of the tables.
    package struct Exclusion: Codable, Sendable, Equatable {
        package let from: Double
        package let to: Double

        package init(from: Double, to: Double) {
            (self.from, self.to) = (from, to)
        }
    }

    /// How many corrections of each kind there are, and what they changed.
    package struct Counts: Codable, Sendable, Equatable {
        package var samePerson = 0
        package var split = 0
        package var name = 0
        package var notAFace = 0
        package var exclude = 0
        package var note = 0
        /// Rows of `faces.csv` and `frames.csv` that are left out.
        package var facesRemoved = 0
        package var framesRemoved = 0

        package init() {}

        /// The number of corrections.
        package var total: Int { samePerson + split + name + notAFace + exclude + note }
    }

    /// The name of the file.
    package let file: String
    /// Of the file.
    package let sha256: String
    /// The corrections as the file has them, in their order.
    package let list: [JSONValue]
    /// The pseudonyms, by person_id.
    package let people: [Int: String]
    /// In the order of the file.
    package let excluded: [Exclusion]
    package let counts: Counts

    /// - Parameters:
    ///   - file: The name of the file.
    ///   - text: Its content.
    package init(
        file: String, text: String, list: [JSONValue], people: [Int: String], excluded: [Exclusion], counts: Counts
    ) {
        self.file = file
        sha256 = FileDigest.sha256(text: text)
        self.list = list
        self.people = people
        self.excluded = excluded
        self.counts = counts
    }

    /// The maximum number of corrections in a file.
    package static let maximum = 10_000
}

extension AppliedCorrections {
    /// - Throws: `VidscanError` if a value is one that no correction leaves.
    func check(_ check: RecordCheck) throws(VidscanError) {
        // Before they are added up.
        for (value, key) in [
            (counts.samePerson, "same_person"), (counts.split, "split"), (counts.name, "name"),
            (counts.notAFace, "not_a_face"), (counts.exclude, "exclude"), (counts.note, "note"),
            (counts.facesRemoved, "faces_removed"), (counts.framesRemoved, "frames_removed"),
        ] {
            try check.integer(value, "corrections.counts.\(key)", in: 0...Int(ReadLimits.counts.upperBound))
        }
        try check.require(
            (1...255).contains(file.utf8.count) && !file.contains("/"), "corrections.file", "the name of a file")
        try check.require(
            sha256.utf8.count == 64 && sha256.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) },
            "corrections.sha256", "64 hexadecimal digits")
        try check.require(
            list.count <= Self.maximum && counts.total == list.count && excluded.count == counts.exclude,
            "corrections.list", "as long as its counts say")
        try check.require(
            people.allSatisfy { ReadLimits.ids.contains($0.key) && Pseudonym.isValid($0.value) }
                && Set(people.values).count == people.count, "corrections.people", "different names of people")
        for range in excluded {
            try check.number(range.from, "corrections.excluded.from", in: ReadLimits.seconds)
            try check.number(range.to, "corrections.excluded.to", in: ReadLimits.seconds)
        }
    }
}
