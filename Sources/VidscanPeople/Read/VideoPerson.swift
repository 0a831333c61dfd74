internal import Glibc
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The tracks of a person in one video. This is what a study joins.
struct VideoPerson: Sendable {
    /// The index of the video in the study.
    let video: Int
    let personID: Int
    /// In ascending order.
    let faceIDs: [Int]
    /// The number in the study; `nil` for a person who has none yet.
    var studyID: Int?
    /// Whether a correction decided the number.
    let isCorrected: Bool
    /// `nil` without an embedding of any of the tracks.
    let faces: FaceCluster?
    /// The track that shows the person best.
    let bestFaceID: Int
}

extension VideoPerson {
    /// Few and good samples say more than many: the maximum number of embeddings of a person.
    private static let maximumSamples = 8

    /// The number of a track in the study, as the study knows it.
    struct Assignment: Sendable, Equatable {
        var studyID: Int
        var isCorrected: Bool
    }

    private struct Key: Hashable {
        var personID: Int
        var studyID: Int?
        var isCorrected: Bool
    }

    /// Groups the tracks of a video by person, and reads their embeddings.
    ///
    /// - Parameters:
    ///   - video: The video, and its index in the study.
    ///   - assignments: The known numbers, by `face_id`. Tracks of one `person_id` with different numbers are different
    ///     people.
    ///   - needsEmbeddings: Whether a result without embeddings is an error.
    /// - Returns: The people, by their first `face_id`.
    static func read(
        _ video: StudyVideo, index: Int, assignments: [Int: Assignment], needsEmbeddings: Bool
    ) throws(VidscanError) -> [VideoPerson] {
        var groups: [Key: [Int]] = [:]
        var keys: [Int: Key] = [:]
        for track in video.tracks {
            let known = assignments[track.faceID]
            let key = Key(
                personID: track.personID, studyID: known?.studyID, isCorrected: known?.isCorrected ?? false)
            groups[key, default: []].append(track.faceID)
            keys[track.faceID] = key
        }
        let samples: [Key: [EmbeddingRow]]
        do throws(VidscanError) {
            samples = try best(of: video, keys: keys, needsEmbeddings: needsEmbeddings)
        } catch {
            throw error.naming(video.resultPath)
        }
        return groups.map { key, faceIDs in
            let rows = samples[key] ?? []
            let longest = faceIDs.max {
                (video.track($0)?.secondsVisible ?? 0, $1) < (video.track($1)?.secondsVisible ?? 0, $0)
            }
            return VideoPerson(
                video: index, personID: key.personID, faceIDs: faceIDs, studyID: key.studyID,
                isCorrected: key.isCorrected, faces: FaceCluster(rows.map(\.embedding)),
                bestFaceID: rows.first?.faceID ?? longest ?? 0)
        }.sorted { $0.faceIDs[0] < $1.faceIDs[0] }
    }

    /// Returns the samples of each person with the highest weights, the highest first.
    private static func best(
        of video: StudyVideo, keys: [Int: Key], needsEmbeddings: Bool
    ) throws(VidscanError) -> [Key: [EmbeddingRow]] {
        guard access("\(video.resultPath)/\(EmbeddingFile.name)", F_OK) == 0 else {
            guard needsEmbeddings, !keys.isEmpty else { return [:] }
            throw VidscanError(
                .result,
                "has no \(EmbeddingFile.name), by which people are compared; analyse the video with 'vidscan analyze"
                    + " --people'", stage: .open)
        }
        let reader = try EmbeddingReader(folder: video.resultPath)
        var best: [Key: [EmbeddingRow]] = [:]
        while let row = try reader.next() {
            guard let key = keys[row.faceID], key.personID == row.personID else {
                throw VidscanError(
                    .result,
                    "\(EmbeddingFile.name) has face_id \(row.faceID) of person_id \(row.personID), which tracks.csv"
                        + " does not have; the result is damaged, analyse the video again", stage: .open)
            }
            var rows = best[key] ?? []
            // Of equal weights, the first one in the file.
            let place = rows.firstIndex { $0.weight < row.weight } ?? rows.count
            guard place < maximumSamples else { continue }
            rows.insert(row, at: place)
            best[key] = Array(rows.prefix(maximumSamples))
        }
        return best
    }
}
