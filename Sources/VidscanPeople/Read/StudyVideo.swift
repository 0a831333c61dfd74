internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// A result that takes part in a study, without its embeddings.
struct StudyVideo: Sendable {
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

    var name: String { FilePath.name(of: inputPath) }

    init(path: String) throws(VidscanError) {
        do throws(VidscanError) {
            let result = try StoredResult(path: path)
            resultPath = path
            inputPath = result.record.input.path
            hidesFaces = result.hidesFaces
            pseudonyms = result.record.corrections?.people ?? [:]
            tracks = try StoredTrack.read(path)
        } catch { throw error.naming(path) }
        let facts = tracks.map {
            "\($0.faceID) \($0.personID) \($0.firstMicroseconds) \($0.lastMicroseconds)\($0.isDecided ? " decided" : "")\n"
        }
        fingerprint = String(FileDigest.sha256(text: facts.joined()).prefix(16))
    }
}

/// The tracks of a person in one video, which a study joins.
struct VideoPerson: Sendable {
    /// Index in the study.
    let video: Int
    let personID: Int
    /// By ascending `face_id`.
    let tracks: [StoredTrack]
    /// `nil` for a person who has none yet.
    var studyID: Int?
    let isCorrected: Bool
    /// `nil` if no track has an embedding.
    var faces: FaceCluster?
    let best: StoredTrack

    var faceIDs: [Int] { tracks.map(\.faceID) }

    /// The maximum number of embeddings of a person: few and good samples say more than many.
    private static let maximumSamples = 8

    private struct Key: Hashable {
        var personID: Int
        var studyID: Int?
        var isCorrected: Bool
    }

    /// Groups the tracks of a video by person, in the order of their first `face_id`, and reads their embeddings.
    /// Tracks of one `person_id` with different known numbers are different people.
    /// - Parameter known: The people whom the study knows, by `face_id`, whose embeddings may have been removed since.
    static func read(
        _ video: StudyVideo, index: Int, known: [Int: StudyState.Person]
    ) throws(VidscanError) -> [VideoPerson] {
        var groups: [Key: [StoredTrack]] = [:]
        var keys: [Int: Key] = [:]
        for track in video.tracks {
            let person = known[track.faceID]
            let key = Key(
                personID: track.personID, studyID: person?.studyPersonId, isCorrected: person?.corrected ?? false)
            groups[key, default: []].append(track)
            keys[track.faceID] = key
        }
        let samples: [Key: [EmbeddingRow]]
        do throws(VidscanError) { samples = try best(of: video, keys: keys, needsEmbeddings: known.isEmpty) } catch {
            throw error.naming(video.resultPath)
        }
        return groups.compactMap { key, tracks -> VideoPerson? in
            let rows = samples[key] ?? []
            let longest = tracks.max { ($0.secondsVisible, $1.faceID) < ($1.secondsVisible, $0.faceID) }
            guard let best = tracks.first(where: { $0.faceID == rows.first?.faceID }) ?? longest else { return nil }
            let rowsOfTracks = Dictionary(grouping: rows, by: \.faceID).values
            let evidence = rowsOfTracks.reduce(0) { $0 + min($1.count, IdentityCalibration.evidenceOfTrack) }
            return VideoPerson(
                video: index, personID: key.personID, tracks: tracks, studyID: key.studyID,
                isCorrected: key.isCorrected, faces: FaceCluster(rows.map(\.embedding), evidence: Double(evidence)),
                best: best)
        }.sorted { $0.tracks[0].faceID < $1.tracks[0].faceID }
    }

    /// The samples of each person with the highest weights, the highest first.
    private static func best(
        of video: StudyVideo, keys: [Int: Key], needsEmbeddings: Bool
    ) throws(VidscanError) -> [Key: [EmbeddingRow]] {
        guard FileSystem.entry("\(video.resultPath)/\(EmbeddingFile.name)") != nil else {
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
