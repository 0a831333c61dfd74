internal import Foundation
package import VidscanBase
internal import VidscanInference
internal import VidscanMedia
package import VidscanResults

/// Searches a finished video for faces that may still be visible, with detectors that no analysis uses.
///
/// Searches at several scales, and reads no table, so that it can find a face that the analysis missed. Of every three
/// frames or 0.1 s, it searches the middle frame, and the others near the faces found there.
package struct Verification: Sendable {
    /// A face that may be visible, in one frame.
    package struct Sighting: Sendable, Equatable {
        /// The index among all streams of the file.
        package let stream: Int
        package let microseconds: Int64
        /// The index in presentation order.
        package let frame: Int64
        /// From eyebrows to chin, in pixels of the upright frame.
        package let box: Rectangle
        /// The confidence, 0…1.
        package let score: Double
    }

    /// Sightings at one position in successive frames.
    package struct Episode: Sendable, Equatable {
        package internal(set) var sightings: [Sighting]
        /// A JPEG file of the best sighting; `nil` without `keepsPictures`.
        package internal(set) var picture: [UInt8]?
        /// When the frame after the last sighting follows; `nil` at the end of the stream.
        var endMicroseconds: Int64?

        package var best: Sighting { sightings.max { $0.score < $1.score } ?? sightings[0] }
    }

    package struct Findings: Sendable {
        package internal(set) var frames = 0
        /// The indices of the searched video streams and cover pictures.
        package internal(set) var streams: [Int] = []
        /// What may show a face, but was not searched, in words.
        package internal(set) var unsearched: [String] = []
        /// Stream by stream, in the order of their first frames.
        package internal(set) var episodes: [Episode] = []
        /// Frames with a face that the record beside the video lists as visible on purpose, so that it is not a finding.
        package internal(set) var framesWithKeptFaces = 0
        package internal(set) var lastMicroseconds: Int64 = 0
        package internal(set) var wallSeconds = 0.0

        /// All sightings, frame by frame.
        package var sightings: [Sighting] {
            episodes.flatMap(\.sightings).sorted {
                ($0.stream, $0.frame, $0.box.x, $0.box.y) < ($1.stream, $1.frame, $1.box.x, $1.box.y)
            }
        }

        /// Removes those that somebody reviewed. Returns their number.
        package mutating func remove(_ reviewed: ReviewedFindings) -> Int {
            let count = episodes.count
            episodes.removeAll(where: reviewed.contains)
            return count - episodes.count
        }

        package var framesWithFaces: Int {
            Set(episodes.flatMap { $0.sightings.map { [Int64($0.stream), $0.frame] } }).count
        }
    }

    package struct Options: Sendable {
        /// The minimum confidence of a face in its best frame, 0…1.
        package var minimumScore = FaceSearch.confirmedScore
        /// Whether to search every frame, and to report a face that is seen in one.
        package var isThorough = false
        package var keepsPictures = false
        /// The number of frames that are searched at the same time. Findings do not depend on it.
        package var workers = ProcessInfo.processInfo.activeProcessorCount

        package init() {}
    }

    private let options: Options
    private let workers: [SearchWorker]

    package init(models: String, options: Options = Options()) throws(VidscanError) {
        self.options = options
        do {
            let runtime = try InferenceRuntime()
            // A face whose score is below the minimum by less counts towards the length of a finding.
            let score = max(0.05, options.minimumScore - 0.15)
            workers = try (0..<max(1, options.workers)).map { _ in
                SearchWorker(search: try FaceSearch(models: models, runtime: runtime, confirmedScore: score))
            }
        } catch {
            throw VidscanError(.setup, "cannot load the detectors: \((error as? InferenceError)?.reason ?? "\(error)")")
        }
    }

    /// Searches every frame in all video streams and cover pictures. Tells the observer of each stream that it opens, and of
    /// each group of frames. Cancelling the task throws the code `interrupted`.
    package func run(_ input: String, observer: (any RunObserver)? = nil) async throws -> Findings {
        _ = try InputFile(input)
        return try await BlockingWork.run(thread: "verify", input: input) { cancellation in
            try await search(input, cancellation, observer)
        }
    }

    private func search(
        _ input: String, _ cancellation: CancellationFlag, _ observer: (any RunObserver)?
    ) async throws -> Findings {
        let begin = ContinuousClock.now
        var findings = Findings()
        do {
            let reader = try reader(of: input, stream: nil, cancellation)
            observer?.opened(input, info: reader.info)
            try await search(reader, of: input, &findings, kept: Self.keptFaces(in: input), cancellation, observer)
            guard findings.frames > 0 else { throw MediaError(.noVideo, "no frame can be decoded") }
            findings.unsearched += reader.unreadablePictures
            if try reader.info.isPicture && Self.hasPreview(input, codec: reader.info.codec) {
                findings.unsearched.append("a preview or a further page")
            }
            for stream in reader.otherVideoStreams {
                do {
                    let other = try self.reader(of: input, stream: stream, cancellation)
                    observer?.opened(input, info: other.info)
                    try await search(other, of: input, &findings, cancellation, observer)
                } catch let error as MediaError where error.code != .cancelled {
                    findings.unsearched.append("stream \(stream) (\(error.message))")
                }
            }
        } catch let error as MediaError {
            throw VidscanError(
                .media(error.code), error.message, input: input, stage: findings.frames > 0 ? .decode : .open)
        } catch let error as InferenceError {
            throw VidscanError(.inference, error.reason, input: input, stage: .analyze)
        }
        findings.wallSeconds = begin.duration(to: .now) / .seconds(1)
        return findings
    }

    private func reader(
        of input: String, stream: Int?, _ cancellation: CancellationFlag
    ) throws(MediaError) -> FrameReader {
        try FrameReader(
            path: input,
            options: FrameReader.Options(rate: .everyFrame, streamIndex: stream, skipsUnneededPackets: false),
            cancellation: cancellation)
    }

    private func search(
        _ reader: FrameReader, of input: String, _ findings: inout Findings, kept: [[Double]] = [],
        _ cancellation: CancellationFlag, _ observer: (any RunObserver)?
    ) async throws {
        let stream = reader.info.streamIndex
        var collector = EpisodeCollector()
        var isTransparent = false
        let before = findings.frames
        var count = findings.episodes.reduce(0) { $0 + $1.sightings.count }
        var next = try reader.next()
        while next != nil {
            try Task.checkCancellation()
            var groups: [[SampledFrame]] = []
            while let first = next, groups.count < 2 * workers.count {
                var group: [SampledFrame] = []
                while let frame = next, !options.isThorough || group.isEmpty,
                    Self.isTogether(frame.microseconds, from: first.microseconds, count: group.count)
                {
                    group.append(frame)
                    next = try reader.next()
                }
                groups.append(group)
            }
            let frames = groups.flatMap { $0 }
            for (frame, faces) in zip(frames, try await faces(in: groups).flatMap { $0 }) {
                var sightings = faces.map {
                    Sighting(
                        stream: stream, microseconds: frame.microseconds, frame: frame.index, box: $0.box,
                        score: $0.score)
                }
                sightings.removeAll { kept.contains(where: $0.isIn) }
                if sightings.count < faces.count { findings.framesWithKeptFaces += 1 }
                isTransparent = isTransparent || frame.hasTransparentParts
                try collector.add(sightings, of: frame, takesPictures: options.keepsPictures)
                count += sightings.count
                findings.lastMicroseconds = frame.microseconds
            }
            findings.frames += frames.count
            observer?.progressed(
                RunProgress(microseconds: findings.lastMicroseconds, frames: findings.frames, faces: count))
        }
        findings.streams.append(stream)
        let isPicture = findings.frames == before + 1
        findings.episodes += collector.episodes.filter { episode in
            let length = episode.endMicroseconds.map { $0 - (episode.sightings.first?.microseconds ?? 0) }
            let count = options.isThorough || isPicture ? Int.max : episode.sightings.count
            return episode.best.score >= options.minimumScore && Self.isLong(frames: count, microseconds: length)
        }
        let damage = reader.statistics.errors
        if damage > 0 {
            findings.unsearched.append(
                "the damaged part of stream \(stream) (decoding reported \(NumberText.count(damage, "error")))")
        }
        if let error = reader.statistics.readError {
            findings.unsearched.append(
                "stream \(stream) after \(TimeText.seconds(findings.lastMicroseconds)) s (\(error))")
        }
        if isTransparent {
            findings.unsearched.append(
                "the transparent parts of stream \(stream): encode it again without transparency to remove them")
        }
        if reader.hasHiddenEdges {
            findings.unsearched.append(
                "the edges of stream \(stream) that are cropped in players only: encode the video again to remove them")
        }
        let hidden = try reader.framesHiddenByEditList(path: input, cancellation)
        if hidden > 0 {
            findings.unsearched.append(
                "\(NumberText.count(hidden, "frame")) of stream \(stream) that the edit list hides from players only:"
                    + " encode the video again to remove them")
        }
    }

    /// Whether a frame belongs to a group, given the time of the group's first frame and its count of frames.
    package static func isTogether(_ microseconds: Int64, from first: Int64, count: Int) -> Bool {
        count < 3 && microseconds - first < 100_000
    }

    /// Whether a face lasts for two frames or 0.1 s, unlike most hands and patterns. `microseconds`: `nil` if unknown.
    package static func isLong(frames: Int, microseconds: Int64?) -> Bool {
        frames > 1 || microseconds.map { $0 >= 100_000 } ?? true
    }

    /// Whether a picture's file contains a JPEG: cameras put a preview into the header, which shows the original faces.
    private static func hasPreview(_ path: String, codec: String) throws -> Bool {
        // TIFF files may have further pages, and Photoshop's have layers and previews.
        guard !["tiff", "psd"].contains(codec) else { return true }
        guard ["mjpeg", "png", "webp"].contains(codec) else { return false }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        let start = Data([0xFF, 0xD8, 0xFF])
        // A JPEG's own data cannot contain this mark.
        guard codec != "mjpeg" else { return bytes.dropFirst().range(of: start) != nil }
        if codec == "webp" {
            return bytes.range(of: Data("EXIF".utf8)).map { bytes[$0.upperBound...].range(of: start) != nil } ?? false
        }
        // Other programs write such a header as text, compressed.
        if bytes.range(of: Data("Raw profile type".utf8)) != nil { return true }
        guard let exif = bytes.range(of: Data("eXIf".utf8)), exif.lowerBound >= 4 else { return false }
        let length = bytes[exif.lowerBound - 4..<exif.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        return bytes[exif.upperBound...].prefix(length).range(of: start) != nil
    }

    private func faces(in groups: [[SampledFrame]]) async throws -> [[[DetectedFace]]] {
        try await withThrowingTaskGroup(of: (Int, [[DetectedFace]]).self) { group in
            for (index, frames) in groups.enumerated() {
                let worker = workers[index % workers.count]
                // Otherwise the search would stay on the thread that decodes.
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    (index, try await worker.faces(in: frames))
                }
            }
            return try await group.reduce(into: Array(repeating: [], count: groups.count)) { $0[$1.0] = $1.1 }
        }
    }
}

private actor SearchWorker {
    private let search: FaceSearch

    init(search: sending FaceSearch) { self.search = search }

    func faces(in frames: [SampledFrame]) throws -> [[DetectedFace]] {
        let middle = frames.count / 2
        let found = try search.faces(in: frames[middle])
        return try frames.indices.map { index in
            if found.isEmpty || index == middle { return found }
            let near = try search.faces(near: found, in: frames[index])
            // At a cut, another face may be elsewhere.
            return near.isEmpty ? try search.faces(in: frames[index]) : near
        }
    }
}
