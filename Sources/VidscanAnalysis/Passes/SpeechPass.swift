internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Finds out who speaks, once the whole video has been tracked: hears its sound, then reads its frames again, 25 per second
/// whatever the sampling rate, and compares the movements of each mouth with the sound.
struct SpeechPass: Sendable {
    let settings: Settings
    /// Of the video.
    let path: String
    /// The folder and the name of the file of the frames.
    let frames: (folder: String, name: String)
    let models: @Sendable () throws -> ModelStore

    /// - Parameter end: The time of the last sample, in microseconds.
    func run(_ tracks: VideoTracks, until end: Int64) async throws -> Speech {
        let models = try models()
        // All faces have been found by now.
        models.unload()
        let workers = max(1, settings.detect.workers)
        let names = ["speech"] + (0..<workers).map { "speech \($0)" }
        let threads = try ThreadExecutor.make(names: names)
        defer { for thread in threads { thread.shutDown() } }
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            let sound = try await Task(executorPreference: threads[0]) { try hear(until: end, models, cancellation) }
                .value
            var speech = Speech(voice: sound?.voice)
            let kept = tracks.outcome.numbers
            guard kept.contains(where: { $0 > 0 }) else { return speech }
            let detector = try models.speakerDetector(sessions: workers)
            let jobs = (0..<workers).map { _ in Channel<MouthPictures>() }
            let results = Channel<MouthFeatures>()
            let budget = InFlightBudget(count: 4 * workers, bytes: .max)
            try await withThrowingTaskGroup(of: [Speech.Scores].self) { group in
                group.addTask(executorPreference: threads[0]) {
                    try await read(tracks, kept, cancellation) {
                        try await budget.take(bytes: 0)
                        jobs[$0.run.number % workers].send($0)
                    }
                    for jobs in jobs { jobs.finish() }
                    return []
                }
                for (jobs, thread) in zip(jobs, threads.dropFirst()) {
                    group.addTask(executorPreference: thread) {
                        try await analyze(jobs, detector.makePictureSession()) { results.send($0) }
                        return []
                    }
                }
                let session = try detector.makeScoreSession()
                group.addTask {
                    var runs = MouthRuns(sound: sound, session: session)
                    while let result = try await results.receive() {
                        try runs.add(result)
                        budget.giveBack(bytes: 0)
                    }
                    return runs.scores
                }
                var left = workers + 1
                for try await scores in group {
                    left -= 1
                    if left == 0 { results.finish() }
                    for scores in scores { speech.add(scores) }
                }
            }
            return speech
        } onCancel: {
            cancellation.set()
        }
    }

    /// Returns `nil` if the video has no sound.
    private func hear(until end: Int64, _ models: ModelStore, _ cancellation: CancellationFlag) throws -> SpeechSound
        .Finished?
    {
        try described {
            let reader = try SoundReader(
                path: path, videoStream: settings.sample.stream, audioStream: settings.sample.audioStream,
                limits: settings.sample.limits, cancellation: cancellation)
            guard let reader else { return nil }
            var sound = SpeechSound(detector: try models.voiceDetector())
            try reader.read(until: end + SpeechSound.margin) { try sound.add($1, at: $0) }
            return sound.finished
        }
    }

    private func read(
        _ tracks: VideoTracks, _ kept: [Int], _ cancellation: CancellationFlag,
        _ send: (MouthPictures) async throws -> Void
    ) async throws {
        var options = FrameReader.Options(settings)
        options.rate = .perSecond(Rational(Int64(SpeakerDetector.rate), 1) ?? .one)
        options.segment = nil
        let reader = try described { try FrameReader(path: path, options: options, cancellation: cancellation) }
        var positions = try FacePositions(
            FrameRecordReader(folder: frames.folder, name: frames.name),
            trackOfFace: tracks.ofFaces.map { track in track > 0 && kept[Int(track) - 1] > 0 ? Int(track) - 1 : nil })
        var mouths = MouthCropper()
        while let frame = try described({ try reader.next() }) {
            try Task.checkCancellation()
            for pictures in try mouths.add(frame, positions.boxes(at: frame.microseconds)) { try await send(pictures) }
        }
        for pictures in mouths.finish() { try await send(pictures) }
    }

    /// All pictures of a run are analysed by the same worker.
    private func analyze(
        _ jobs: Channel<MouthPictures>, _ session: SpeakerDetector.PictureSession, _ send: (MouthFeatures) -> Void
    ) async throws {
        var runs: [MouthPictures.Run: SpeakerDetector.PictureRun] = [:]
        while let job = try await jobs.receive() {
            var run = runs.removeValue(forKey: job.run) ?? SpeakerDetector.PictureRun()
            let features = try session.add(job.pictures, isLast: job.isLast, to: &run)
            if !job.isLast { runs[job.run] = run }
            send(MouthFeatures(run: job.run, isLast: job.isLast, features: features))
        }
    }

    private func described<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw VidscanError(.media(error.code), error.message, stage: .decode)
        }
    }
}

/// Who speaks when, 25 times per second.
struct Speech: Sendable {
    /// Of one run of a track.
    struct Scores: Sendable {
        /// The index of the track.
        let track: Int
        /// The number of the first tick since time 0.
        let first: Int
        /// 0…100 per tick, with and without sound. Without sound, the first is empty.
        var speaking: [Float] = []
        var moving: [Float] = []
    }

    /// The probability of a voice, 0…1, in each 32 ms from time 0 on; `nil` without sound.
    let voice: [Float]?
    /// By track.
    private var runs: [Int: [Scores]] = [:]

    init(voice: [Float]?) { self.voice = voice }

    mutating func add(_ scores: Scores) {
        var scores = scores
        scores.speaking = Self.smoothed(scores.speaking)
        scores.moving = Self.smoothed(scores.moving)
        if let voice {
            for index in scores.speaking.indices {
                scores.speaking[index] *= Self.audibility(voice, around: scores.first + index)
            }
        }
        runs[scores.track, default: []].append(scores)
    }

    /// In percent; `nil` without sound.
    func voice(at microseconds: Int64) -> Double? {
        guard let voice else { return nil }
        return Double(100 * (Self.value(voice, at: Int(microseconds) * 16 / 1000 / VoiceDetector.chunk)))
    }

    /// - Parameters:
    ///   - time: The time of a sample in microseconds.
    ///   - next: That of the next sample of the video; `nil` for the last one.
    func values(
        ofTrack track: Int, at time: Int64, until next: Int64?
    ) -> (speaking: Double?, moving: Double?, ticks: [UInt8]) {
        guard let runs = runs[track] else { return (nil, nil, []) }
        let tick = Self.tick(at: time)
        guard let run = runs.first(where: { $0.first <= tick && tick < $0.first + $0.moving.count }) else {
            return (nil, nil, [])
        }
        let moving = Double(run.moving[tick - run.first])
        guard !run.speaking.isEmpty else { return (nil, moving, []) }
        let first = Self.tick(at: time + Self.tickLength - 1)
        let end = next.map { Self.tick(at: $0 + Self.tickLength - 1) } ?? first + 1
        let ticks = (first..<max(first, min(end, run.first + run.speaking.count, first + FaceRecord.maximumTicks)))
        return (
            Double(run.speaking[tick - run.first]), moving,
            ticks.map { UInt8(2 * run.speaking[$0 - run.first].rounded(.down)) }
        )
    }

    static let tickLength = Int64(1_000_000 / SpeakerDetector.rate)

    /// The number of the tick that a time belongs to. Times are rounded to microseconds.
    static func tick(at microseconds: Int64) -> Int { Int((microseconds + 1) / tickLength) }

    /// Means over 0.2 s.
    private static func smoothed(_ values: [Float]) -> [Float] {
        values.indices.map { index in
            let near = values[max(0, index - 2)...min(values.count - 1, index + 2)]
            return near.reduce(0, +) / Float(near.count)
        }
    }

    /// 0 where no voice can be heard within half a second, so that chewing or yawning is not speech; 1 where there is the
    /// slightest sign of one, because noise hides voices.
    private static func audibility(_ voice: [Float], around tick: Int) -> Float {
        let center = tick * SoundReader.rate / SpeakerDetector.rate / VoiceDetector.chunk
        let highest = (center - 16...center + 16).map { value(voice, at: $0) }.max() ?? 0
        return min(1, 5 * highest)
    }

    private static func value(_ voice: [Float], at index: Int) -> Float {
        voice.indices.contains(index) ? voice[index] : 0
    }
}

/// What the networks need to know of a video's sound.
struct SpeechSound {
    /// Sound that is read after the last sample, in microseconds.
    static let margin: Int64 = 1_000_000

    struct Finished: Sendable {
        let voice, cepstra: [Float]

        /// The cepstra of `count` ticks, with silence before and after the sound.
        func cepstra(fromTick tick: Int, count: Int) -> [Float] {
            let row = SpeakerDetector.cepstraPerPicture * MelCepstra.count
            let silence = [Self.silentEnergy] + [Float](repeating: 0, count: MelCepstra.count - 1)
            let range = max(0, min(tick * row, cepstra.count))..<max(0, min((tick + count) * row, cepstra.count))
            let missing = count * SpeakerDetector.cepstraPerPicture - range.count / MelCepstra.count
            let silent = Array(repeatElement(silence, count: missing).joined())
            return tick < 0 ? silent + cepstra[range] : cepstra[range] + silent
        }

        /// The logarithm of the smallest energy.
        private static let silentEnergy: Float = -36.04365
    }

    private var detector: VoiceDetector
    private var cepstra = MelCepstra()
    private var voice: [Float] = []
    private var end = 0

    init(detector: VoiceDetector) { self.detector = detector }

    mutating func add(_ samples: UnsafeBufferPointer<Int16>, at position: Int) throws {
        // Gaps are silent.
        while end < position { try add(repeatElement(0, count: min(position - end, SoundReader.rate))) }
        try add(samples)
    }

    private mutating func add(_ samples: some Collection<Int16>) throws {
        end += samples.count
        cepstra.add(samples)
        voice += try detector.add(samples)
    }

    var finished: Finished { Finished(voice: voice, cepstra: cepstra.values) }
}

/// Where the faces of the kept tracks are at any time, between the samples too.
struct FacePositions {
    private let reader: FrameRecordReader
    /// The index of the track of each face in the file; `nil` for those that are not kept.
    private let trackOfFace: [Int?]
    private var faces = 0
    private var before, after: Sample?
    private var isAtEnd = false

    private struct Sample {
        let microseconds: Int64
        let boxes: [(track: Int, box: Rectangle)]
    }

    init(_ reader: FrameRecordReader, trackOfFace: [Int?]) { (self.reader, self.trackOfFace) = (reader, trackOfFace) }

    /// Later times must follow. A face that the next sample does not show stays for half of the time until then.
    mutating func boxes(at microseconds: Int64) throws -> [(track: Int, box: Rectangle)] {
        while !isAtEnd, after.map({ $0.microseconds <= microseconds }) ?? true {
            before = after ?? before
            after = try next()
            if after == nil { isAtEnd = true }
        }
        guard let before, before.microseconds <= microseconds else { return [] }
        let elapsed = Double(microseconds - before.microseconds)
        let fraction = after.map { elapsed / Double(max(1, $0.microseconds - before.microseconds)) } ?? 0
        return before.boxes.compactMap { track, box in
            guard let other = after?.boxes.first(where: { $0.track == track })?.box else {
                return fraction <= 0.5 ? (track, box) : nil
            }
            return (track, box.interpolated(to: other, fraction: fraction))
        }
    }

    private mutating func next() throws -> Sample? {
        guard let frame = try reader.next() else { return nil }
        defer { faces += frame.faces.count }
        return Sample(
            microseconds: frame.microseconds,
            boxes: zip(frame.faces, trackOfFace[faces...]).compactMap { face, track in track.map { ($0, face.box) } })
    }
}

extension Rectangle {
    fileprivate func interpolated(to other: Rectangle, fraction: Double) -> Rectangle {
        func between(_ side: KeyPath<Rectangle, Double>) -> Double {
            self[keyPath: side] + (other[keyPath: side] - self[keyPath: side]) * fraction
        }
        return Rectangle(x: between(\.x), y: between(\.y), width: between(\.width), height: between(\.height))
    }
}

/// The next pictures of a mouth.
struct MouthPictures: Sendable {
    /// Pictures of one face without a gap.
    struct Run: Sendable, Hashable {
        let track: Int
        /// The number of the first tick.
        let first: Int
        /// In order of their beginning.
        let number: Int
    }

    let run: Run
    let isLast: Bool
    let pictures: [UInt8]
}

struct MouthFeatures: Sendable {
    let run: MouthPictures.Run
    let isLast: Bool
    let features: [Float]
}

/// Cuts the pictures of mouths out of frames.
struct MouthCropper {
    private struct Open {
        let run: MouthPictures.Run
        /// Those that have not been handed on.
        var pictures: [UInt8] = []
        var held: [UInt8] = []
        /// The number of the next tick.
        var end: Int
    }

    private let cropper = SquareCropper()
    private var tensor = [Float](repeating: 0, count: 3 * byteCount)
    private var open: [Int: Open] = [:]
    private var count = 0

    private static let byteCount = SpeakerDetector.resolution * SpeakerDetector.resolution
    /// The side of the square around a face's middle, as a multiple of half of its box's longer side. Wider than the authors'
    /// 1.4 around the mouth: that tells faces apart better when nothing can be heard.
    private static let extent = 2.3
    /// The longer side of a face in pixels, and the faces at once. Each takes 4 MB while it is in sight.
    private static let (smallest, maximumFaces) = (24.0, 12)
    /// A video with fewer frames shows each for longer, up to this number of ticks.
    private static let longestHold = 5

    mutating func add(_ frame: SampledFrame, _ all: [(track: Int, box: Rectangle)]) throws -> [MouthPictures] {
        let clear = all.filter { max($0.box.width, $0.box.height) >= Self.smallest }
        let boxes = clear.sorted { rank($0) > rank($1) }.prefix(Self.maximumFaces)
        let tick = Speech.tick(at: frame.microseconds)
        var ready: [MouthPictures] = []
        let visible = Set(boxes.map(\.track))
        for track in open.keys.sorted() where !visible.contains(track) { ready += close(track) }
        for (track, box) in boxes {
            if let run = open[track], tick - run.end > Self.longestHold { ready += close(track) }
            if open[track] == nil {
                open[track] = Open(run: MouthPictures.Run(track: track, first: tick, number: count), end: tick)
                count += 1
            }
            guard var run = open.removeValue(forKey: track) else { continue }
            if run.end <= tick {
                for _ in run.end..<tick { ready += append(run.held, to: &run) }
                run.held = try picture(of: box, in: frame)
                ready += append(run.held, to: &run)
            }
            open[track] = run
        }
        return ready
    }

    /// Faces whose pictures have begun come first, then large ones.
    private func rank(_ face: (track: Int, box: Rectangle)) -> (Int, Double, Int) {
        (open[face.track] == nil ? 0 : 1, face.box.area, -face.track)
    }

    private func append(_ picture: [UInt8], to run: inout Open) -> [MouthPictures] {
        run.pictures += picture
        run.end += 1
        guard run.pictures.count == SpeakerDetector.step * Self.byteCount else { return [] }
        defer { run.pictures = [] }
        return [MouthPictures(run: run.run, isLast: false, pictures: run.pictures)]
    }

    mutating func finish() -> [MouthPictures] { open.keys.sorted().flatMap { close($0) } }

    private mutating func close(_ track: Int) -> [MouthPictures] {
        guard let run = open.removeValue(forKey: track) else { return [] }
        return [MouthPictures(run: run.run, isLast: true, pictures: run.pictures)]
    }

    private mutating func picture(of box: Rectangle, in frame: SampledFrame) throws -> [UInt8] {
        let side = max(box.width, box.height) / 2 * Self.extent
        let square = RotatedSquare(center: box.center, side: max(side, 1), angle: 0)
        return try tensor.withUnsafeMutableBufferPointer { tensor in
            // The tensor is never empty.
            let red = tensor.baseAddress.unsafelyUnwrapped
            try cropper.crop(frame, square: square, resolution: SpeakerDetector.resolution, into: red)
            // Luma as in BT.601, which the network was trained with.
            return (0..<Self.byteCount).map { index in
                let luma =
                    0.299 * red[index] + 0.587 * red[index + Self.byteCount] + 0.114 * red[index + 2 * Self.byteCount]
                return UInt8(min(max(luma, 0), 255).rounded())
            }
        }
    }
}

/// Scores the features of each run in windows.
struct MouthRuns {
    private struct Open {
        /// From `start` on, counted from the first tick.
        var features: [Float] = []
        var start = 0
        var scores: Speech.Scores

        var end: Int { start + features.count / SpeakerDetector.featureCount }
    }

    private let sound: SpeechSound.Finished?
    private let session: SpeakerDetector.ScoreSession
    private var open: [MouthPictures.Run: Open] = [:]
    private(set) var scores: [Speech.Scores] = []

    /// Ticks that are scored at once, and how many around them the network sees.
    private static let (window, margin) = (96, 32)

    init(sound: SpeechSound.Finished?, session: SpeakerDetector.ScoreSession) {
        (self.sound, self.session) = (sound, session)
    }

    mutating func add(_ result: MouthFeatures) throws {
        var run = open[result.run] ?? Open(scores: Speech.Scores(track: result.run.track, first: result.run.first))
        run.features += result.features
        while run.scores.moving.count < run.end,
            result.isLast || run.end >= run.scores.moving.count + Self.window + Self.margin
        { try score(&run) }
        open[result.run] = result.isLast ? nil : run
        if result.isLast { scores.append(run.scores) }
    }

    private func score(_ run: inout Open) throws {
        let wanted = run.scores.moving.count..<min(run.end, run.scores.moving.count + Self.window)
        let seen = run.start..<min(run.end, wanted.upperBound + Self.margin)
        let features = Array(run.features[..<(seen.count * SpeakerDetector.featureCount)])
        let silence = SpeechSound.Finished(voice: [], cepstra: [])
        let cepstra = (sound ?? silence).cepstra(fromTick: run.scores.first + seen.lowerBound, count: seen.count)
        let (speaking, moving) = try session.scores(features: features, cepstra: cepstra)
        let part = wanted.lowerBound - seen.lowerBound..<wanted.upperBound - seen.lowerBound
        if sound != nil { run.scores.speaking += speaking[part].map { 100 * $0 } }
        run.scores.moving += moving[part].map { 100 * $0 }
        let start = max(run.start, wanted.upperBound - Self.margin)
        run.features.removeFirst((start - run.start) * SpeakerDetector.featureCount)
        run.start = start
    }
}
