internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Computes the embeddings of chips in an intermediate file, on several threads.
struct ChipEmbedder {
    /// The models, which are loaded only if they are needed.
    let models: @Sendable () throws -> ModelStore
    /// The maximum number of threads.
    let workers: Int
    let intermediate: IntermediateFrameFile
    private var embedder: FaceEmbedder?

    init(
        models: @escaping @Sendable () throws -> ModelStore, workers: Int, intermediate: IntermediateFrameFile
    ) {
        self.models = models
        self.workers = workers
        self.intermediate = intermediate
    }

    /// Computes embeddings.
    ///
    /// - Parameter offsets: Where the chips are; in ascending order, they are read fastest.
    /// - Returns: The embeddings in the same order; `nil` for a chip that does not show a face clearly.
    mutating func embed(_ offsets: [Int]) async throws -> [FaceEmbedding?] {
        guard !offsets.isEmpty else { return [] }
        let count = max(1, min(workers, offsets.count / Self.chipsPerThread))
        let embedder = try loaded(sessions: count)
        let chips = try FaceChipReader(intermediate)
        var embeddings = [FaceEmbedding?](repeating: nil, count: offsets.count)
        let threads = try ThreadExecutor.make(names: (0..<count).map { "embed \($0)" })
        defer { for thread in threads { thread.shutDown() } }
        try await withThrowingTaskGroup(of: Part.self) { group in
            for (number, thread) in threads.enumerated() {
                let indices = stride(from: number, to: offsets.count, by: count)
                group.addTask(executorPreference: thread) {
                    try Self.embed(offsets, indices, chips, embedder)
                }
            }
            for try await part in group {
                for (index, embedding) in zip(part.indices, part.embeddings) { embeddings[index] = embedding }
            }
        }
        return embeddings
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

    /// What one thread computes.
    private struct Part {
        let indices: StrideTo<Int>
        let embeddings: [FaceEmbedding?]
    }

    private static func embed(
        _ offsets: [Int], _ indices: StrideTo<Int>, _ chips: FaceChipReader, _ embedder: FaceEmbedder
    ) throws -> Part {
        let session = try embedder.makeSession()
        let embeddings = try indices.map { index in
            try Task.checkCancellation()
            return try embed(chips.chip(at: offsets[index]), session)
        }
        return Part(indices: indices, embeddings: embeddings)
    }

    /// - Returns: `nil` if the chip and its mirror image differ so much that the chip shows no face clearly.
    private static func embed(
        _ chip: FaceChip, _ session: FaceEmbedder.Session
    ) throws(InferenceError) -> FaceEmbedding? {
        let tensor = try session.input()
        for (index, value) in chip.pixels.enumerated() { tensor[index] = Float(value) }
        let (embedding, mirrorDistance) = try session.embedWithMirrorImage()
        return mirrorDistance < maximumMirrorDistance ? embedding : nil
    }

    /// Fewer chips are not worth another thread.
    private static let chipsPerThread = 16
    private static let maximumMirrorDistance = 0.4
}
