internal import VidscanBase
internal import VidscanResults

/// The results of a study: those that are named, and those that are in it already.
struct StudyInputs {
    /// Without the people of videos that were analysed again.
    private(set) var state: StudyState
    private(set) var warnings: [(video: String, message: String)] = []
    private(set) var failures: [VidscanError] = []
    private var videos: [PathBytes: StudyVideo] = [:]
    private var known: [PathBytes: Int]
    private let cancellation: CancellationFlag

    init(_ state: StudyState, _ cancellation: CancellationFlag) {
        (self.state, self.cancellation) = (state, cancellation)
        known = Dictionary(uniqueKeysWithValues: state.videos.indices.map { (PathBytes(state.videos[$0].video), $0) })
    }

    mutating func read(_ paths: [String]) throws(VidscanError) {
        var results: [String] = []
        for path in paths {
            do throws(VidscanError) { results += try ResultFinder.find(path) } catch { failures.append(error) }
        }
        // A second result of a video must not take the place of the study's own.
        let own = Set(state.videos.map { PathBytes($0.result) })
        let sorted = Set(results.map(PathBytes.init)).sorted()
        for result in (sorted.filter(own.contains) + sorted.filter { !own.contains($0) }).map(\.path) {
            try cancellation.check()
            do throws(VidscanError) {
                let video = try StudyVideo(path: result)
                if let other = videos[PathBytes(video.inputPath)] {
                    throw .result(
                        "is of the same video as \(other.resultPath); a study takes one result of each video",
                        input: result)
                }
                try add(video)
            } catch { failures.append(error) }
        }
    }

    mutating func readKnown() throws(VidscanError) {
        for entry in state.videos
        where videos[PathBytes(entry.video)] == nil && !failures.contains(where: { $0.input == entry.result }) {
            try cancellation.check()
            guard ResultFinder.isResult(entry.result) else {
                leaveOut(entry, "its result \(entry.result) is gone")
                continue
            }
            do throws(VidscanError) {
                let video = try StudyVideo(path: entry.result)
                guard PathBytes(video.inputPath) == PathBytes(entry.video) else {
                    leaveOut(entry, "\(entry.result) is now the result of \(video.inputPath)")
                    continue
                }
                try add(video)
            } catch { failures.append(error) }
        }
    }

    private mutating func leaveOut(_ entry: StudyState.Video, _ reason: String) {
        let remedy = "name its result if it has moved, or take it out of the study with --remove"
        warnings.append((entry.video, "\(reason), so the tables leave this video out; \(remedy)"))
    }

    private mutating func add(_ video: StudyVideo) throws(VidscanError) {
        guard let index = known[PathBytes(video.inputPath)], state.videos[index].fingerprint != video.fingerprint else {
            videos[PathBytes(video.inputPath)] = video
            return
        }
        // Without embeddings to compare again, the people stay known, and the tables leave the video out.
        _ = try VideoPerson.read(video, index: 0, known: [:])
        videos[PathBytes(video.inputPath)] = video
        let (people, old) = (state.videos[index].people, state)
        state.forgetPeople(of: index)
        state.videos[index].fingerprint = video.fingerprint
        let corrected = people.count {
            $0.corrected || old.name(of: $0.studyPersonId) != state.name(of: $0.studyPersonId)
        }
        let loss = "; the corrections and names of \(NumberText.people(corrected)) in it are lost"
        let message = "has other tracks or people than before, so its people are compared again"
        warnings.append((video.inputPath, message + (corrected > 0 ? loss : "")))
    }

    /// Reads the people of all videos, with their embeddings, and from now on leaves out videos that cannot be read.
    mutating func people(_ state: StudyState) throws(VidscanError) -> StudyPeople {
        let entries = state.entries
        var (read, people): ([StudyVideo], [[VideoPerson]]) = ([], [])
        for video in videos.values.sorted(by: { PathBytes($0.inputPath) < PathBytes($1.inputPath) }) {
            try cancellation.check()
            let known = entries[PathBytes(video.inputPath)]?.peopleOfFaces ?? [:]
            do throws(VidscanError) {
                people.append(try VideoPerson.read(video, index: read.count, known: known))
                read.append(video)
            } catch {
                failures.append(error)
                videos[PathBytes(video.inputPath)] = nil
            }
        }
        return StudyPeople(videos: read, people: people)
    }
}
