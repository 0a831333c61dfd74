internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Computes the embeddings of tracks from their chips, once the whole video has been tracked: only then is it known which
/// chips are the best, and whether there is anybody to tell apart.
struct EmbeddingPass {
    /// The models, which are loaded only if they are needed.
    let models: @Sendable () throws -> ModelStore
    let workers: Int
    /// Whether the embeddings are wanted even if nobody has to be told apart.
    let keepsEmbeddings: Bool

    /// A chip of a track.
    private struct Job {
        let track: Int
        let chip: Int
        let offset: Int
    }

    /// Computes the embeddings.
    ///
    /// - Parameters:
    ///   - tracks: All tracks of the video.
    ///   - candidates: The indices of those to tell apart.
    func run(
        _ tracks: inout [TrackSummary], among candidates: [Int], from intermediate: IntermediateFrameFile
    ) async throws {
        guard keepsEmbeddings || Self.needsEmbeddings(candidates.map { tracks[$0] }) else { return }
        // In the file's order, which is the fastest.
        let jobs = candidates.flatMap { track in
            tracks[track].chips.enumerated().map { Job(track: track, chip: $0, offset: $1.offset) }
        }.sorted { $0.offset < $1.offset }
        guard !jobs.isEmpty else { return }
        let embeddings = try await compute(jobs, from: intermediate)
        for (job, embedding) in zip(jobs, embeddings) {
            tracks[job.track].setEmbedding(embedding, ofChip: job.chip)
        }
    }

    /// Whether any two tracks may be one person. Faces that are seen at the same time need no embedding to be told apart.
    private static func needsEmbeddings(_ tracks: [TrackSummary]) -> Bool {
        tracks.indices.contains { second in
            tracks[..<second].contains { $0.mayBeSamePerson(as: tracks[second]) }
        }
    }

    /// Computes embeddings on several threads.
    ///
    /// - Returns: In the order of `jobs`.
    private func compute(_ jobs: [Job], from intermediate: IntermediateFrameFile) async throws -> [FaceEmbedding?] {
        let count = max(1, min(workers, jobs.count / Self.chipsPerThread))
        let embedder = try models().faceEmbedder(sessions: count)
        let chips = try FaceChipReader(intermediate)
        var embeddings = [FaceEmbedding?](repeating: nil, count: jobs.count)
        try await withThrowingTaskGroup(of: Part.self) { group in
            for number in 0..<count {
                let indices = stride(from: number, to: jobs.count, by: count)
                let thread = ThreadExecutor(name: "embed \(number)")
                group.addTask(executorPreference: thread) {
                    defer { thread.shutDown() }
                    return try Self.embed(jobs, indices, chips, embedder)
                }
            }
            for try await part in group {
                for (index, embedding) in zip(part.indices, part.embeddings) { embeddings[index] = embedding }
            }
        }
        return embeddings
    }

    /// What one thread computes.
    private struct Part {
        let indices: StrideTo<Int>
        let embeddings: [FaceEmbedding?]
    }

    private static func embed(
        _ jobs: [Job], _ indices: StrideTo<Int>, _ chips: FaceChipReader, _ embedder: FaceEmbedder
    ) throws -> Part {
        let session = try embedder.makeSession()
        let embeddings = try indices.map { index in
            try Task.checkCancellation()
            return try embed(chips.chip(at: jobs[index].offset), session)
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
