/// Selects the tracks to keep and numbers their faces and people.
public struct TrackSelection: Sendable {
    public struct Options: Sendable, Equatable {
        /// Shorter tracks are flicker, unless their shot has no more samples.
        public var minimumSamples = 2
        /// Keeps the most prominent people; `nil` keeps all.
        public var maximumFaces: Int?

        /// Minimum mean confidence, 0…1, of a track that never reaches `sureConfidence`; 1.2 times as high for fewer
        /// than five samples. Toys and patterns rarely have a high confidence for long.
        public var meanConfidence = 0.0
        /// Reaching this confidence, 0…1, once exempts a track from `meanConfidence`.
        public var sureConfidence = 0.8

        public init() {}
    }

    public struct Identity: Sendable, Equatable {
        /// From 1 in order of first appearance. Tracks that a cut interrupted may share one.
        public var faceID: Int
        /// From 1 in order of first appearance.
        public var personID: Int
        /// The lowest ``TrackletLinker/Person/confidence`` of the face's tracks, 0…1.
        public var personConfidence: Double

        public init(faceID: Int, personID: Int, personConfidence: Double) {
            (self.faceID, self.personID, self.personConfidence) = (faceID, personID, personConfidence)
        }
    }

    /// By the tracker's number minus 1; `nil` for dropped tracks.
    public let identities: [Identity?]

    /// How many ``Options/maximumFaces`` left out.
    public let peopleLeftOut: Int

    /// Returns the indices of the tracks that are seen often and clearly enough to be faces.
    public static func candidates(_ tracks: [TrackSummary], samplesOfShot: [Int], options: Options) -> [Int] {
        tracks.indices.filter { index in
            let available = samplesOfShot.indices.contains(tracks[index].shot) ? samplesOfShot[tracks[index].shot] : 1
            let isDoubtful =
                available > 1 && tracks[index].bestConfidence < options.sureConfidence
                && tracks[index].meanConfidence < options.meanConfidence * (tracks[index].samples < 5 ? 1.2 : 1)
            return tracks[index].samples >= min(options.minimumSamples, max(available, 1)) && !isDoubtful
        }
    }

    /// - Parameter tracks: All tracks, in the order of their numbers, which count from 1.
    public init(_ tracks: [TrackSummary], samplesOfShot: [Int], options: Options, linker: TrackletLinker) {
        let kept = Self.candidates(tracks, samplesOfShot: samplesOfShot, options: options)
        let linked = linker.link(kept.map { tracks[$0] })
        let people = linked.people
        var identities = [Identity?](repeating: nil, count: tracks.count)
        var faceNumbers: [Int: Int] = [:]
        var personNumbers: [Int: Int] = [:]
        var confidences: [Int: Double] = [:]
        for (order, index) in kept.enumerated() {
            let face = faceNumbers[linked.faces[order]] ?? faceNumbers.count + 1
            faceNumbers[linked.faces[order]] = face
            let person = people[order]
            let number = personNumbers[person.group] ?? personNumbers.count + 1
            personNumbers[person.group] = number
            confidences[face] = min(confidences[face] ?? 1, person.confidence)
            identities[index] = Identity(faceID: face, personID: number, personConfidence: person.confidence)
        }
        for index in kept {
            if let face = identities[index]?.faceID { identities[index]?.personConfidence = confidences[face] ?? 0 }
        }
        var peopleLeftOut = 0
        if let maximum = options.maximumFaces {
            var groups: [Int: (prominence: Double, first: Int)] = [:]
            for (order, index) in kept.enumerated() {
                let group = people[order].group
                let known = groups[group] ?? (0, index)
                groups[group] = (known.prominence + tracks[index].prominence, known.first)
            }
            let best = groups.sorted { ($1.value.prominence, $0.value.first) < ($0.value.prominence, $1.value.first) }
            let chosen = Set(best.prefix(maximum).map(\.key))
            peopleLeftOut = groups.count - chosen.count
            for (order, index) in kept.enumerated() where !chosen.contains(people[order].group) {
                identities[index] = nil
            }
        }
        (self.identities, self.peopleLeftOut) = (identities, peopleLeftOut)
    }
}
