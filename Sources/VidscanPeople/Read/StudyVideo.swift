internal import Glibc
internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// A result that takes part in a study, without its embeddings.
struct StudyVideo: Sendable {
    /// Absolute.
    let resultPath: String
    /// The path by which a study knows the video.
    let inputPath: String
    /// Identifies the tracks: it differs after another analysis, unless that found the same tracks and people.
    let fingerprint: String
    /// Whether a video in which faces are hidden was made from the result.
    let hidesFaces: Bool
    /// From corrections of the result, by person_id.
    let pseudonyms: [Int: String]
    /// By ascending `face_id`.
    let tracks: [StoredTrack]
    private let trackOfFace: [Int: StoredTrack]

    var name: String { FilePath.name(of: inputPath) }

    init(path: String) throws(VidscanError) {
        do throws(VidscanError) {
            let result = try StoredResult(path: path)
            resultPath = path
            inputPath = result.record.input.path
            hidesFaces = result.hidesFaces
            pseudonyms = result.record.corrections?.people ?? [:]
            tracks = try StoredTrack.read(path)
            trackOfFace = Dictionary(uniqueKeysWithValues: tracks.map { ($0.faceID, $0) })
        } catch { throw error.naming(path) }
        let facts = tracks.map { "\($0.faceID) \($0.personID) \($0.firstMicroseconds) \($0.lastMicroseconds)\n" }
        fingerprint = String(FileDigest.sha256(text: facts.joined()).prefix(16))
    }

    func track(_ faceID: Int) -> StoredTrack? { trackOfFace[faceID] }
}

/// The tracks of a person in one video, which a study joins.
struct VideoPerson: Sendable {
    /// Index in the study.
    let video: Int
    let personID: Int
    /// In ascending order.
    let faceIDs: [Int]
    /// `nil` for a person who has none yet.
    var studyID: Int?
    let isCorrected: Bool
    /// `nil` if no track has an embedding.
    var faces: FaceCluster?
    let bestFaceID: Int

    /// The maximum number of embeddings of a person: few and good samples say more than many.
    private static let maximumSamples = 8

    private struct Key: Hashable {
        var personID: Int
        var studyID: Int?
        var isCorrected: Bool
    }

    /// Groups the tracks of a video by person, in the order of their first `face_id`, and reads their embeddings.
    /// Tracks of one `person_id` with different known numbers are different people.
    /// - Parameter known: The people whom the study knows, by `face_id`.
    static func read(
        _ video: StudyVideo, index: Int, known: [Int: StudyState.Person], needsEmbeddings: Bool
    ) throws(VidscanError) -> [VideoPerson] {
        var groups: [Key: [Int]] = [:]
        var keys: [Int: Key] = [:]
        for track in video.tracks {
            let person = known[track.faceID]
            let key = Key(
                personID: track.personID, studyID: person?.studyPersonId, isCorrected: person?.corrected ?? false)
            groups[key, default: []].append(track.faceID)
            keys[track.faceID] = key
        }
        let samples: [Key: [EmbeddingRow]]
        do throws(VidscanError) { samples = try best(of: video, keys: keys, needsEmbeddings: needsEmbeddings) } catch {
            throw error.naming(video.resultPath)
        }
        return groups.map { key, faceIDs in
            let rows = samples[key] ?? []
            let longest = faceIDs.max {
                (video.track($0)?.secondsVisible ?? 0, $1) < (video.track($1)?.secondsVisible ?? 0, $0)
            }
            return VideoPerson(
                video: index, personID: key.personID, faceIDs: faceIDs, studyID: key.studyID,
                isCorrected: key.isCorrected, faces: FaceCluster(rows.map(\.embedding), evidence: evidence(rows)),
                bestFaceID: rows.first?.faceID ?? longest ?? 0)
        }.sorted { $0.faceIDs[0] < $1.faceIDs[0] }
    }

    private static func evidence(_ rows: [EmbeddingRow]) -> Double {
        let samples = Dictionary(grouping: rows, by: \.faceID).values
        return Double(samples.reduce(0) { $0 + min($1.count, IdentityCalibration.evidenceOfTrack) })
    }

    /// The samples of each person with the highest weights, the highest first.
    private static func best(
        of video: StudyVideo, keys: [Int: Key], needsEmbeddings: Bool
    ) throws(VidscanError) -> [Key: [EmbeddingRow]] {
        guard access("\(video.resultPath)/\(EmbeddingFile.name)", F_OK) == 0 else {
            guard needsEmbeddings, !keys.isEmpty else { return [:] }
            throw .result(
                "has no \(EmbeddingFile.name), by which people are compared; analyse the video with 'vidscan analyze"
                    + " --people'")
        }
        let reader = try EmbeddingReader(folder: video.resultPath)
        var best: [Key: [EmbeddingRow]] = [:]
        while let row = try reader.next() {
            guard let key = keys[row.faceID], key.personID == row.personID else {
                throw .result(
                    "\(EmbeddingFile.name) has face_id \(row.faceID) of person_id \(row.personID), which tracks.csv"
                        + " does not have; the result is damaged, analyse the video again")
            }
            var rows = best[key] ?? []
            // Among equal weights, the first one in the file.
            let position = rows.firstIndex { $0.weight < row.weight } ?? rows.count
            guard position < maximumSamples else { continue }
            rows.insert(row, at: position)
            best[key] = Array(rows.prefix(maximumSamples))
        }
        return best
    }
}
