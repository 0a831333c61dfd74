/// Selects the tracks to keep and numbers their faces and people.
package struct TrackSelection: Sendable {
    package struct Options: Sendable, Equatable {
        /// Shorter tracks are flicker, unless their shot has no more samples.
        package var minimumSamples = 2
        /// Keeps the most prominent people; `nil` keeps all.
        package var maximumFaces: Int?

        /// Minimum mean confidence, 0…1, of a track that never reaches `sureConfidence`; 1.2 times as high for fewer
        /// than five samples. Toys and patterns rarely have a high confidence for long.
        package var meanConfidence = 0.0
        /// Reaching this confidence, 0…1, once exempts a track from `meanConfidence`.
        package var sureConfidence = 0.8

        package init() {}
    }

    package struct Identity: Sendable, Equatable {
        /// From 1 in order of first appearance. Tracks that a cut interrupted may share a face.
        package var faceID, personID: Int
        /// The lowest ``TrackletLinker/Person/confidence`` of the face's tracks, 0…1.
        package var personConfidence: Double

        package init(faceID: Int, personID: Int, personConfidence: Double) {
            (self.faceID, self.personID, self.personConfidence) = (faceID, personID, personConfidence)
        }
    }

    /// By the tracker's number minus 1; `nil` for dropped tracks.
    package let identities: [Identity?]

    /// The number of people whom ``Options/maximumFaces`` left out.
    package let peopleLeftOut: Int

    /// Returns the indices of the tracks that are seen often and clearly enough to be faces.
    package static func candidates(_ tracks: [TrackSummary], samplesOfShot: [Int], options: Options) -> [Int] {
        tracks.indices.filter { index in
            let available = samplesOfShot.indices.contains(tracks[index].shot) ? samplesOfShot[tracks[index].shot] : 1
            let isDoubtful =
                available > 1 && tracks[index].bestConfidence < options.sureConfidence
                && tracks[index].meanConfidence < options.meanConfidence * (tracks[index].samples < 5 ? 1.2 : 1)
            return tracks[index].samples >= min(options.minimumSamples, max(available, 1)) && !isDoubtful
        }
    }

    /// - Parameter tracks: All tracks, in the order of their numbers, which count from 1.
    package init(_ tracks: [TrackSummary], samplesOfShot: [Int], options: Options, linker: TrackletLinker) {
        let kept = Self.candidates(tracks, samplesOfShot: samplesOfShot, options: options)
        let linked = linker.link(kept.map { tracks[$0] })
        let people = linked.people
        var identities = [Identity?](repeating: nil, count: tracks.count)
        var faceNumbers: [Int: Int] = [:], personNumbers: [Int: Int] = [:]
        let confidences = Dictionary(zip(linked.faces, people.map(\.confidence))) { min($0, $1) }
        for (order, index) in kept.enumerated() {
            let (face, person) = (linked.faces[order], people[order].group)
            let faceID = faceNumbers[face] ?? faceNumbers.count + 1
            let personID = personNumbers[person] ?? personNumbers.count + 1
            (faceNumbers[face], personNumbers[person]) = (faceID, personID)
            identities[index] = Identity(faceID: faceID, personID: personID, personConfidence: confidences[face] ?? 0)
        }
        var prominence: [Int: Double] = [:]
        for (person, index) in zip(people, kept) { prominence[person.group, default: 0] += tracks[index].prominence }
        // A group is the index of its first track.
        let best = prominence.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let leftOut = Set(best.dropFirst(options.maximumFaces ?? best.count).map(\.key))
        for (person, index) in zip(people, kept) where leftOut.contains(person.group) { identities[index] = nil }
        (self.identities, peopleLeftOut) = (identities, leftOut.count)
    }
}
