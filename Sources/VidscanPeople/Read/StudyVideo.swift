internal import VidscanBase
internal import VidscanResults

/// A result that takes part in a study, without its embeddings.
struct StudyVideo: Sendable {
    /// The absolute path of the result.
    let resultPath: String
    /// The path of the video, by which a study knows it.
    let inputPath: String
    /// Identifies the tracks: it differs after another analysis, unless that found the same tracks and people.
    let fingerprint: String
    /// Whether a video in which faces are hidden was made from the result.
    let hidesFaces: Bool
    /// The pseudonyms that corrections of the result gave, by person_id.
    let pseudonyms: [Int: String]
    /// By ascending `face_id`.
    let tracks: [StudyTrack]

    /// The name of the video's file.
    var name: String { FilePath.name(of: inputPath) }

    /// - Parameter path: The path of the result.
    /// - Throws: `VidscanError` that names the result.
    init(path: String) throws(VidscanError) {
        do throws(VidscanError) {
            let result = try StoredResult(path: path)
            resultPath = path
            inputPath = result.record.input.path
            hidesFaces = result.hidesFaces
            pseudonyms = result.record.corrections?.people ?? [:]
            tracks = try StudyTrack.read(path)
        } catch {
            throw error.naming(path)
        }
        let facts = tracks.map {
            "\($0.faceID) \($0.personID) \($0.firstMicroseconds) \($0.lastMicroseconds)\n"
        }
        let digits = String(XXHash64.checksum(facts.joined()), radix: 16)
        fingerprint = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the track with a `face_id`.
    func track(_ faceID: Int) -> StudyTrack? {
        var (low, high) = (0, tracks.count)
        while low < high {
            let middle = (low + high) / 2
            if tracks[middle].faceID < faceID { low = middle + 1 } else { high = middle }
        }
        return low < tracks.count && tracks[low].faceID == faceID ? tracks[low] : nil
    }
}

extension VidscanError {
    /// Returns the same error with an input, unless it names one.
    func naming(_ input: String) -> VidscanError {
        VidscanError(code, reason, input: self.input ?? input, stage: stage, microseconds: microseconds)
    }
}
