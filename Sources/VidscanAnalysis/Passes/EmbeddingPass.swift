internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanResults

/// Chooses the crops whose embeddings are computed, once the whole video has been tracked: only then is it known which are
/// the best, and whether there is anybody to tell apart.
struct EmbeddingPass {
    let settings: Settings
    let frames: FrameRecordFile
    let models: @Sendable () throws -> ModelStore
    var embedder: FaceEmbedder?
    /// By the crop's offset.
    private(set) var known: [Int: FaceEmbedding?] = [:]

    mutating func embed(_ tracks: inout VideoTracks) async throws {
        guard settings.track.person else { return }
        let (summaries, candidates) = (tracks.summaries, tracks.candidates)
        let areWanted = settings.track.keepsEmbeddings || comparesEverySample
        // Faces that are all seen at the same time need no embedding.
        let mayShareAPerson = candidates.indices.contains { index in
            let track = summaries[candidates[index]]
            return !areWanted && candidates[..<index].contains { summaries[$0].mayBeSamePerson(as: track) }
        }
        guard areWanted || mayShareAPerson || tracks.mayHaveChangedPerson else { return }
        // In the file's order, which is the fastest.
        let crops = candidates.flatMap { track in
            summaries[track].crops.enumerated().map { (track: track, crop: $0, offset: $1.offset) }
        }.sorted { $0.offset < $1.offset }
        let new = crops.map(\.offset).filter { known[$0] == nil }
        for (offset, embedding) in zip(new, try await embed(new)) { known[offset] = .some(embedding) }
        for (track, crop, offset) in crops { tracks.summaries[track].crops[crop].embedding = known[offset] ?? nil }
    }

    /// How well each crop matches the person of its track, which the best crops show; by the crop's offset.
    mutating func matches(of tracks: VideoTracks) async throws -> [Int: Double] {
        let matching = PersonMatch(tracks.summaries, identities: tracks.identities)
        var matches: [Int: Double] = [:]
        for (track, summary) in tracks.summaries.enumerated() {
            for crop in summary.crops {
                matches[crop.offset] = crop.embedding.flatMap { matching.confidence(of: $0, track: track) }
            }
        }
        guard settings.track.person, comparesEverySample, matchesAreUsed else { return matches }
        let others = tracks.crops.filter { matches[$0.offset] == nil && tracks.identities[$0.track] != nil }
        for start in stride(from: 0, to: others.count, by: Self.batch) {
            let part = others[start..<min(start + Self.batch, others.count)]
            for (crop, embedding) in zip(part, try await embed(part.map(\.offset))) {
                matches[crop.offset] = embedding.flatMap { matching.confidence(of: $0, track: crop.track) }
            }
        }
        return matches
    }

    /// Where faces are to be hidden, nobody may take another person's track unnoticed.
    private var comparesEverySample: Bool { settings.detect.keepsUncertainFaces }

    /// Whether the matches of all samples are read afterwards: from the tables, or to decide who stays visible.
    private var matchesAreUsed: Bool { settings.write.keepsTables || settings.render.namesSomebody }

    /// Computes the embeddings of crops in parallel, in order; `nil` for an unclear face. Ascending offsets read fastest.
    private mutating func embed(_ offsets: [Int]) async throws -> [FaceEmbedding?] {
        guard !offsets.isEmpty else { return [] }
        let count = max(1, min(settings.detect.workers, offsets.count / Self.cropsPerThread))
        let embedder = try loaded(sessions: count)
        let crops = try ReadableFile(path: frames.path)
        var embeddings = [FaceEmbedding?](repeating: nil, count: offsets.count)
        let threads = try ThreadExecutor.make(names: (0..<count).map { "embed \($0)" })
        defer { for thread in threads { thread.shutDown() } }
        try await withThrowingTaskGroup(of: [(index: Int, embedding: FaceEmbedding?)].self) { group in
            for (number, thread) in threads.enumerated() {
                let indices = stride(from: number, to: offsets.count, by: count)
                group.addTask(executorPreference: thread) { try Self.embed(offsets, indices, crops, embedder) }
            }
            for try await part in group { for (index, embedding) in part { embeddings[index] = embedding } }
        }
        return embeddings
    }

    private static func embed(
        _ offsets: [Int], _ indices: StrideTo<Int>, _ crops: ReadableFile, _ embedder: FaceEmbedder
    ) throws -> [(index: Int, embedding: FaceEmbedding?)] {
        let session = try embedder.makeSession()
        return try indices.map { index in
            try Task.checkCancellation()
            let crop = FaceCrop(pixels: try crops.read(FaceCrop.byteCount, at: offsets[index]))
            let (embedding, mirrorDistance) = try session.embed(crop)
            // If the crop and its mirror image differ too much, the crop does not show a face clearly.
            return (index, mirrorDistance < maximumMirrorDistance ? embedding : nil)
        }
    }

    private mutating func loaded(sessions: Int) throws -> FaceEmbedder {
        if let embedder, embedder.concurrency >= sessions { return embedder }
        let models = try models()
        // All faces have been found by now. Otherwise, this network would decide the run's peak memory.
        models.unload()
        let loaded = try models.faceEmbedder(sessions: sessions)
        embedder = loaded
        return loaded
    }

    /// The number of embeddings that are in memory at the same time.
    private static let batch = 4096
    /// Fewer crops are not worth another thread.
    private static let cropsPerThread = 16
    private static let maximumMirrorDistance = 0.4
}
