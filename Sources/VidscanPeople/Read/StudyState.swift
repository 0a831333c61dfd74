internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// `people.json`: the numbers that a study has given, so that they stay the same. It contains no embeddings.
struct StudyState: Codable, Sendable, Equatable {
    static let name = "people.json"
    private static let currentVersion = 1
    /// A million videos have fewer bytes.
    private static let maximumBytes = 1 << 29

    /// The tracks of a video that have one number.
    struct Person: Codable, Sendable, Equatable {
        var studyPersonId: Int
        /// By `face_id`, ascending.
        var faceIds: [Int]
        var confidence: Double
        /// Whether a correction decided the number.
        var corrected: Bool
    }

    struct Video: Codable, Sendable, Equatable {
        /// The path of the video.
        var video: String
        /// The absolute path of the result.
        var result: String
        /// As in `StudyVideo`.
        var fingerprint: String
        /// By number, then by the first `face_id`.
        var people: [Person]
    }

    struct Name: Codable, Sendable, Equatable {
        var studyPersonId: Int
        var name: String
    }

    /// Two numbers that a correction has told apart.
    struct Separation: Codable, Sendable, Hashable {
        var one: Int
        var other: Int
    }

    private(set) var version = Self.currentVersion
    /// The first number that has never been given.
    var nextId = 1
    /// In the order of their paths.
    var videos: [Video] = []
    /// In the order of the numbers.
    var names: [Name] = []
    var separations: [Separation] = []
    /// The corrections that have been applied, as `Correction.text` writes them.
    var corrections: [String] = []

    init() {}

    /// Reads the state of an earlier run.
    ///
    /// - Parameter folder: The folder of the study.
    /// - Returns: `nil` if there is none.
    static func read(_ folder: String) throws(VidscanError) -> StudyState? {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return nil }
        do throws(VidscanError) {
            let state = try RecordFile.decode(StudyState.self, folder: folder, name: name, limit: maximumBytes)
            try state.check()
            return state
        } catch {
            throw VidscanError(
                .result, "\(error.reason); restore the file, or remove it to number the people anew", input: folder,
                stage: .open)
        }
    }

    /// - Throws: `VidscanError` for a state that no run writes.
    private func check() throws(VidscanError) {
        func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(VidscanError) {
            guard !holds else { return }
            throw VidscanError(.result, "its \(Self.name) cannot be read: \(reason())", stage: .open)
        }
        try require(version == Self.currentVersion, "another version of vidscan wrote it")
        try require(ReadLimits.ids.contains(nextId), "next_id is out of range")
        let given = 1..<nextId
        var paths: Set<PathBytes> = []
        for video in videos {
            try require(paths.insert(PathBytes(video.video)).inserted, "a video is in it twice")
            var faces: Set<Int> = []
            for person in video.people {
                try require(given.contains(person.studyPersonId), "study_person_id is out of range")
                try require((0...1).contains(person.confidence), "confidence is out of range")
                try require(!person.faceIds.isEmpty, "a person has no face_ids")
                for face in person.faceIds {
                    try require(ReadLimits.ids.contains(face), "face_ids are out of range")
                    try require(faces.insert(face).inserted, "a face_id is in it twice")
                }
            }
        }
        var named: Set<Int> = []
        for name in names {
            try require(
                given.contains(name.studyPersonId) && named.insert(name.studyPersonId).inserted
                    && Pseudonym.isValid(name.name), "a name is invalid")
        }
        for pair in separations {
            try require(given.contains(pair.one) && given.contains(pair.other), "separations are out of range")
        }
    }

    func write(to folder: String) throws(VidscanError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let path = "\(folder)/\(Self.name)"
        let bytes: Data
        do {
            bytes = try encoder.encode(self)
        } catch {
            throw VidscanError(.output, "cannot write \(path): \(error.localizedDescription)", stage: .write)
        }
        let file = try AtomicFile(path: path)
        try file.write(Array(bytes) + [UInt8(ascii: "\n")])
        try file.complete()
    }

    // MARK: Numbers

    /// The numbers that somebody has.
    var studyIDs: Set<Int> { Set(videos.flatMap { $0.people.map(\.studyPersonId) }) }

    func name(of studyID: Int) -> String? { names.first { $0.studyPersonId == studyID }?.name }

    /// Forgets a video. The numbers of people who were in no other are not given again.
    mutating func remove(_ index: Int) {
        videos.remove(at: index)
        let rest = studyIDs
        names.removeAll { !rest.contains($0.studyPersonId) }
        separations.removeAll { !rest.contains($0.one) || !rest.contains($0.other) }
    }

    /// Records the people of a study.
    ///
    /// - Parameter confidences: For each person; `nil` keeps the one that is known.
    mutating func record(_ study: StudyPeople, confidences: [Double?]) {
        var positions = Dictionary(uniqueKeysWithValues: videos.indices.map { (PathBytes(videos[$0].video), $0) })
        for (index, video) in study.videos.enumerated() {
            let position = positions[PathBytes(video.inputPath)] ?? videos.count
            let old = position < videos.count ? videos[position].people : []
            let known = Dictionary(
                old.flatMap { person in person.faceIds.map { ($0, person.confidence) } }, uniquingKeysWith: min)
            let people = study.range(ofVideo: index).compactMap { (index: Int) -> Person? in
                let person = study.people[index]
                guard let studyID = person.studyID else { return nil }
                let stored = person.faceIDs.compactMap { known[$0] }.min()
                return Person(
                    studyPersonId: studyID, faceIds: person.faceIDs,
                    confidence: person.isCorrected ? 1 : confidences[index] ?? stored ?? StudyTables.unjudged,
                    corrected: person.isCorrected)
            }.sorted { ($0.studyPersonId, $0.faceIds[0]) < ($1.studyPersonId, $1.faceIds[0]) }
            let entry = Video(
                video: video.inputPath, result: video.resultPath, fingerprint: video.fingerprint, people: people)
            if position == videos.count {
                positions[PathBytes(video.inputPath)] = position
                videos.append(entry)
            } else {
                videos[position] = entry
            }
        }
        videos.sort { PathBytes($0.video) < PathBytes($1.video) }
    }
}

extension StudyState.Video {
    /// The numbers of the tracks, by `face_id`.
    var assignments: [Int: VideoPerson.Assignment] {
        var assignments: [Int: VideoPerson.Assignment] = [:]
        for person in people {
            for face in person.faceIds {
                assignments[face] = VideoPerson.Assignment(
                    studyID: person.studyPersonId, isCorrected: person.corrected)
            }
        }
        return assignments
    }
}
