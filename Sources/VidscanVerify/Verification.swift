internal import Foundation
public import VidscanBase
internal import VidscanInference
public import VidscanMedia
internal import VidscanResults

/// Searches a finished video for faces that may still be visible, with detectors that no analysis uses.
///
/// Every frame is searched, at several scales. No result of an analysis is read, so that a face that the analysis missed can
/// be found here.
public struct Verification: Sendable {
    /// A face that may be visible, in one frame.
    public struct Sighting: Sendable, Equatable {
        public let microseconds: Int64
        /// The index of the frame in presentation order.
        public let frame: Int64
        /// The box from eyebrows to chin, in pixels of the upright frame.
        public let box: Rectangle
        /// The confidence, 0…1.
        public let score: Double
    }

    /// Sightings at one place in successive frames.
    public struct Episode: Sendable, Equatable {
        public internal(set) var sightings: [Sighting]
        /// A JPEG file of the best sighting; `nil` if pictures were not asked for.
        public internal(set) var picture: [UInt8]?

        /// The sighting with the greatest score.
        public var best: Sighting { sightings.max { $0.score < $1.score } ?? sightings[0] }
    }

    /// What was found.
    public struct Findings: Sendable {
        public internal(set) var frames = 0
        /// In the order of their first frames.
        public internal(set) var episodes: [Episode] = []
        public internal(set) var lastMicroseconds: Int64 = 0
        public internal(set) var wallSeconds = 0.0
        /// Packets or frames that could not be decoded properly.
        public internal(set) var damage = 0

        /// All sightings, frame by frame.
        public var sightings: [Sighting] {
            episodes.flatMap(\.sightings).sorted { ($0.frame, $0.box.x, $0.box.y) < ($1.frame, $1.box.x, $1.box.y) }
        }

        /// The number of frames in which a face may be visible.
        public var framesWithFaces: Int { Set(episodes.flatMap { $0.sightings.map(\.frame) }).count }
    }

    /// Options of the search.
    public struct Options: Sendable {
        /// The minimum confidence of a face, 0…1.
        public var minimumScore: Double
        /// Whether to keep a picture of each face.
        public var keepsPictures = false
        /// The number of frames that are searched at the same time. Findings do not depend on it.
        public var workers: Int
        public var limits = MediaLimits()

        public init(minimumScore: Double = FaceSearch.confirmedScore, workers: Int) {
            self.minimumScore = minimumScore
            self.workers = workers
        }
    }

    private let options: Options
    private let workers: [SearchWorker]

    /// - Parameter models: The folder of the models.
    /// - Throws: `VidscanError` with the code `setup` if the detectors cannot be loaded.
    public init(models: String, options: Options) throws(VidscanError) {
        self.options = options
        do {
            let runtime = try InferenceRuntime()
            workers = try (0..<max(1, options.workers)).map { _ in
                SearchWorker(
                    search: try FaceSearch(models: models, runtime: runtime, confirmedScore: options.minimumScore))
            }
        } catch {
            throw VidscanError(.setup, "cannot load the detectors: \((error as? InferenceError)?.reason ?? "\(error)")")
        }
    }

    /// Searches every frame of a video or picture.
    ///
    /// - Parameters:
    ///   - input: The path of the video.
    ///   - opened: Receives what the container says, before the first frame.
    ///   - progressed: Receives the position after each group of frames.
    /// - Throws: `VidscanError`; with the code `interrupted` if the task is cancelled.
    public func run(
        _ input: String, opened: @escaping @Sendable (VideoInfo) -> Void,
        progressed: @escaping @Sendable (_ microseconds: Int64, _ frames: Int, _ sightings: Int) -> Void
    ) async throws -> Findings {
        _ = try InputFile(input)
        return try await BlockingWork.run(thread: "verify", input: input) { cancellation in
            try await search(input, cancellation, opened, progressed)
        }
    }

    private func search(
        _ input: String, _ cancellation: CancellationFlag, _ opened: (VideoInfo) -> Void,
        _ progressed: (Int64, Int, Int) -> Void
    ) async throws -> Findings {
        let begin = ContinuousClock.now
        var findings = Findings()
        do {
            let reader = try FrameReader(
                path: input,
                options: FrameReader.Options(
                    rate: .everyFrame, skipsUnneededPackets: false, limits: options.limits), cancellation: cancellation)
            opened(reader.info)
            var collector = EpisodeCollector()
            var count = 0
            while true {
                try Task.checkCancellation()
                var frames: [SampledFrame] = []
                while frames.count < 4 * workers.count, let frame = try reader.next() { frames.append(frame) }
                guard !frames.isEmpty else { break }
                for (frame, faces) in zip(frames, try await faces(in: frames)) {
                    let sightings = faces.map {
                        Sighting(
                            microseconds: frame.microseconds, frame: frame.index, box: $0.box, score: $0.score)
                    }
                    try collector.add(sightings, of: frame, takesPictures: options.keepsPictures)
                    count += sightings.count
                    findings.lastMicroseconds = frame.microseconds
                }
                findings.frames += frames.count
                progressed(findings.lastMicroseconds, findings.frames, count)
            }
            guard findings.frames > 0 else { throw MediaError(.noVideo, "no frame can be decoded") }
            findings.episodes = collector.episodes
            findings.damage = reader.statistics.damage + reader.statistics.corruptPackets
            if let error = reader.statistics.readError {
                throw VidscanError(
                    .media(.undecodable), "reading ended early: \(error); the rest was not searched", input: input,
                    stage: .decode, microseconds: findings.lastMicroseconds)
            }
        } catch let error as MediaError {
            throw VidscanError(
                .media(error.code), error.message, input: input, stage: findings.frames > 0 ? .decode : .open,
                microseconds: error.microseconds)
        } catch let error as InferenceError {
            throw VidscanError(.inference, error.reason, input: input, stage: .analyze)
        }
        findings.wallSeconds = begin.duration(to: .now) / .seconds(1)
        return findings
    }

    /// Returns the faces of each frame.
    private func faces(in frames: [SampledFrame]) async throws -> [[DetectedFace]] {
        try await withThrowingTaskGroup(of: (Int, [DetectedFace]).self) { group in
            for (place, worker) in workers.enumerated() {
                for index in stride(from: place, to: frames.count, by: workers.count) {
                    let frame = frames[index]
                    group.addTask { (index, try await worker.faces(in: frame)) }
                }
            }
            var found = [[DetectedFace]](repeating: [], count: frames.count)
            for try await (index, faces) in group { found[index] = faces }
            return found
        }
    }
}

/// Searches one frame after another.
private actor SearchWorker {
    private let search: FaceSearch

    init(search: sending FaceSearch) {
        self.search = search
    }

    func faces(in frame: SampledFrame) throws -> [DetectedFace] { try search.faces(in: frame) }
}
