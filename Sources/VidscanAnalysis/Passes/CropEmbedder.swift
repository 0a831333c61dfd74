internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Computes the embeddings of the crops of faces in the file of a run, on several threads.
struct CropEmbedder {
    /// The models, which are loaded only if they are needed.
    let models: @Sendable () throws -> ModelStore
    /// The maximum number of threads.
    let workers: Int
    let frames: FrameRecordFile
    private(set) var embedder: FaceEmbedder?

    /// Computes the embeddings of crops, in their order; `nil` for a crop that does not show a face clearly. Reading is
    /// fastest in ascending order of the offsets.
    mutating func embed(_ offsets: [Int]) async throws -> [FaceEmbedding?] {
        guard !offsets.isEmpty else { return [] }
        let count = max(1, min(workers, offsets.count / Self.cropsPerThread))
        let embedder = try loaded(sessions: count)
        let crops = try FaceCropReader(frames)
        var embeddings = [FaceEmbedding?](repeating: nil, count: offsets.count)
        let threads = try ThreadExecutor.make(names: (0..<count).map { "embed \($0)" })
        defer { for thread in threads { thread.shutDown() } }
        try await withThrowingTaskGroup(of: Part.self) { group in
            for (number, thread) in threads.enumerated() {
                let indices = stride(from: number, to: offsets.count, by: count)
                group.addTask(executorPreference: thread) {
                    try Self.embed(offsets, indices, crops, embedder)
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
        _ offsets: [Int], _ indices: StrideTo<Int>, _ crops: FaceCropReader, _ embedder: FaceEmbedder
    ) throws -> Part {
        let session = try embedder.makeSession()
        let embeddings = try indices.map { index in
            try Task.checkCancellation()
            return try embed(crops.crop(at: offsets[index]), session)
        }
        return Part(indices: indices, embeddings: embeddings)
    }

    /// - Returns: `nil` if the crop and its mirror image differ so much that the crop does not show a face clearly.
    private static func embed(
        _ crop: FaceCrop, _ session: FaceEmbedder.Session
    ) throws(InferenceError) -> FaceEmbedding? {
        let (embedding, mirrorDistance) = try session.embed(crop)
        return mirrorDistance < maximumMirrorDistance ? embedding : nil
    }

    /// Fewer crops are not worth another thread.
    private static let cropsPerThread = 16
    private static let maximumMirrorDistance = 0.4
}
