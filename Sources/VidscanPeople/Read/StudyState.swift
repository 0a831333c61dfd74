internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// `people.json`: the numbers that a study has given, so that they stay the same. It contains no embeddings.
struct StudyState: Codable, Sendable, Equatable {
    static let name = "people.json"
    private static let currentVersion = 2
    /// A million videos have fewer bytes.
    private static let maximumBytes = 1 << 29

    struct Person: Codable, Sendable, Equatable {
        var studyPersonId: Int
        /// Ascending.
        var faceIds: [Int]
        var confidence: Double
        var corrected: Bool
    }

    struct Video: Codable, Sendable, Equatable {
        var video, result, fingerprint: String
        /// By number, then by the first `face_id`.
        var people: [Person]

        var peopleOfFaces: [Int: Person] {
            Dictionary(people.flatMap { person in person.faceIds.map { ($0, person) } }) { $1 }
        }

        func faceIDs(of id: Int) -> [Int] { people.filter { $0.studyPersonId == id }.flatMap(\.faceIds) }
    }

    struct Name: Codable, Sendable, Equatable {
        var studyPersonId: Int
        var name: String
    }

    struct Separation: Codable, Sendable, Hashable { var one, other: Int }

    private(set) var version = Self.currentVersion
    /// The first number that has never been given.
    var nextId = 1
    /// In the order of their paths.
    var videos: [Video] = []
    /// In the order of the numbers.
    var names: [Name] = []
    var separations: [Separation] = []
    /// Those that have been applied. Earlier versions wrote lines of text.
    var corrections: [JSONValue] = []

    /// Returns `nil` if no earlier run left a state.
    static func read(_ folder: String) throws(VidscanError) -> StudyState? {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return nil }
        do throws(VidscanError) {
            let state = try RecordFile.decode(StudyState.self, folder: folder, name: name, limit: maximumBytes)
            try state.check()
            return state
        } catch {
            throw .result(
                "\(error.reason); restore the file, or remove it to number the people again from 1", input: folder)
        }
    }

    private func check() throws(VidscanError) {
        func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(VidscanError) {
            guard !holds else { return }
            throw .result("its \(Self.name) cannot be read: \(reason())")
        }
        try require(version == Self.currentVersion, "another version of vidscan wrote it")
        try require(ReadLimits.ids.contains(nextId), "next_id is out of range")
        let given = 1..<nextId
        var paths: Set<PathBytes> = []
        for video in videos {
            try require(paths.insert(PathBytes(video.video)).inserted, "a video appears twice")
            var faces: Set<Int> = []
            for person in video.people {
                try require(given.contains(person.studyPersonId), "study_person_id is out of range")
                try require((0...1).contains(person.confidence), "confidence is out of range")
                try require(!person.faceIds.isEmpty, "a person has no face_ids")
                for face in person.faceIds {
                    try require(ReadLimits.ids.contains(face), "face_ids are out of range")
                    try require(faces.insert(face).inserted, "a face_id appears twice")
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
        let path = "\(folder)/\(Self.name)"
        try AtomicFile.write(RecordFile.text(self, name: path), to: path)
    }

    var entries: [PathBytes: Video] { Dictionary(uniqueKeysWithValues: videos.map { (PathBytes($0.video), $0) }) }
    var studyIDs: Set<Int> { Set(videos.flatMap { $0.people.map(\.studyPersonId) }) }

    func name(of studyID: Int) -> String? { names.first { $0.studyPersonId == studyID }?.name }

    /// Also forgets splits in the video, so that they can be given again, and people who are in no other.
    mutating func forgetPeople(of index: Int) {
        videos[index].people = []
        corrections = corrections.filter {
            guard case .object(let members) = $0, case .text(let name)? = members["video"] else { return true }
            return (try? video(named: name)) != index
        }
        let rest = studyIDs
        names.removeAll { !rest.contains($0.studyPersonId) }
        separations.removeAll { !rest.contains($0.one) || !rest.contains($0.other) }
    }

    /// - Parameter confidences: For each person; `nil` keeps the known one.
    mutating func record(_ study: StudyPeople, confidences: [Double?]) {
        var entries = entries
        for (index, video) in study.videos.enumerated() {
            let known = entries[PathBytes(video.inputPath)]?.peopleOfFaces ?? [:]
            let people = study.ranges[index].compactMap { (index: Int) -> Person? in
                let person = study.people[index]
                guard let studyID = person.studyID else { return nil }
                let stored = person.faceIDs.compactMap { known[$0]?.confidence }.min()
                return Person(
                    studyPersonId: studyID, faceIds: person.faceIDs,
                    confidence: person.isCorrected ? 1 : confidences[index] ?? stored ?? IdentityCalibration.unjudged,
                    corrected: person.isCorrected)
            }.sorted { ($0.studyPersonId, $0.faceIds[0]) < ($1.studyPersonId, $1.faceIds[0]) }
            entries[PathBytes(video.inputPath)] = Video(
                video: video.inputPath, result: video.resultPath, fingerprint: video.fingerprint, people: people)
        }
        videos = entries.values.sorted { PathBytes($0.video) < PathBytes($1.video) }
    }
}

/// The folder of a study, which one process at a time changes.
final class StudyFolder {
    /// Absolute.
    let path: String
    private let folder: Folder
    private let isNew: Bool

    /// Creates the folder if needed. Throws if another process is using it.
    init(_ path: String) throws(VidscanError) {
        self.path = path
        isNew = !FileManager.default.fileExists(atPath: path)
        try VidscanError.writing("cannot create the folder \(path)", try FileSystem.createFolder(path))
        folder = try VidscanError.writing("cannot open the folder \(path)", try Folder(path))
        try require(
            folder.lock(), .output, "another 'vidscan people' is writing to \(path); wait until it has finished",
            stage: .write)
    }

    deinit {
        // A run that failed leaves no empty folder.
        if isNew { rmdir(path) }
    }

    func path(of name: String) -> String { FilePath.joining(path, name) }
}
