internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Chooses the chips whose embeddings are computed, once the whole video has been tracked: only then is it known which are
/// the best, and whether there is anybody to tell apart.
struct EmbeddingPass {
    let settings: Settings
    private var embedder: ChipEmbedder

    init(settings: Settings, embedder: ChipEmbedder) {
        self.settings = settings
        self.embedder = embedder
    }

    /// Computes the embeddings of the tracks' best chips.
    ///
    /// - Parameters:
    ///   - tracks: All tracks of the video.
    ///   - candidates: The indices of those to tell apart.
    mutating func embed(_ tracks: inout [TrackSummary], among candidates: [Int]) async throws {
        guard settings.track.person else { return }
        let areWanted = settings.track.keepsEmbeddings || comparesEverySample
        guard areWanted || Self.mayShareAPerson(candidates.map({ tracks[$0] })) else { return }
        // In the file's order, which is the fastest.
        let chips = candidates.flatMap { track in
            tracks[track].chips.enumerated().map { (track: track, chip: $0, offset: $1.offset) }
        }.sorted { $0.offset < $1.offset }
        let embeddings = try await embedder.embed(chips.map(\.offset))
        for (place, embedding) in zip(chips, embeddings) {
            tracks[place.track].setEmbedding(embedding, ofChip: place.chip)
        }
    }

    /// Compares the samples of each track with its best ones.
    ///
    /// - Returns: How well each chip matches the person of its track, by the chip's offset.
    mutating func matches(of tracks: TrackingResult, chips: [TrackChip]) async throws -> [Int: Double] {
        let matching = PersonMatch(tracks.summaries, identities: tracks.identities)
        var matches: [Int: Double] = [:]
        for (track, summary) in tracks.summaries.enumerated() {
            for chip in summary.chips {
                guard let embedding = chip.embedding else { continue }
                matches[chip.offset] = matching.confidence(of: embedding, track: track)
            }
        }
        guard settings.track.person, comparesEverySample, matchesAreUsed else { return matches }
        let others = chips.filter { matches[$0.offset] == nil && tracks.identities[$0.track] != nil }
        for start in stride(from: 0, to: others.count, by: Self.batch) {
            let part = others[start..<min(start + Self.batch, others.count)]
            for (chip, embedding) in zip(part, try await embedder.embed(part.map(\.offset))) {
                matches[chip.offset] = embedding.flatMap { matching.confidence(of: $0, track: chip.track) }
            }
        }
        return matches
    }

    /// Where faces are to be hidden, somebody who took another's place must not stay unnoticed.
    private var comparesEverySample: Bool { settings.detect.keepsUncertainFaces }

    /// Whether the matches of all samples are read afterwards: from the tables, or to decide who stays visible.
    private var matchesAreUsed: Bool { settings.write.keepsTables || settings.render.namesSomebody }

    /// Whether any two tracks may be one person. Faces that are seen at the same time need no embedding to be told apart.
    private static func mayShareAPerson(_ tracks: [TrackSummary]) -> Bool {
        tracks.indices.contains { second in
            tracks[..<second].contains { $0.mayBeSamePerson(as: tracks[second]) }
        }
    }

    /// The number of embeddings that are in memory at the same time.
    private static let batch = 4096
}
