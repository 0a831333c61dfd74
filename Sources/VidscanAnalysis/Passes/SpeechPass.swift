internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Finds out who speaks, once the whole video has been tracked: decodes the sound, reads the frames again at 25 per second,
/// and compares the movements of each mouth with the sound. The samples only contribute the boxes of the faces.
struct SpeechPass: Sendable {
    let settings: Settings
    let path: String
    let frames: (folder: String, name: String)
    let models: @Sendable () throws -> ModelStore

    /// - Parameter end: The time of the last sample, in microseconds.
    func run(_ tracks: VideoTracks, until end: Int64) async throws -> Speech {
        let models = try models()
        // All faces have been found by now.
        models.unload()
        let workers = max(1, settings.detect.workers)
        let threads = try ThreadExecutor.make(names: ["speech"] + (0..<workers).map { "speech \($0)" })
        defer { for thread in threads { thread.shutDown() } }
        return try await CancellationFlag.run { cancellation in
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
        }
    }

    /// Returns `nil` if the video has no sound.
    private func hear(
        until end: Int64, _ models: ModelStore, _ cancellation: CancellationFlag
    ) throws -> SpeechSound.Finished? {
        try described {
            let reader = try SoundReader(
                path: path, videoStream: settings.sample.stream, audioStream: settings.sample.audioStream,
                limits: settings.sample.limits, cancellation: cancellation)
            guard let reader else { return nil }
            // A wrong timestamp may lie years away, and the gap before it would be read as silence.
            let end = min(end, Int64(min(settings.sample.limits.maximumDurationSeconds * 1e6, 1e18)))
            var sound = SpeechSound(detector: try models.voiceDetector(), cancellation: cancellation)
            try reader.read(until: end + SpeechSound.margin) { try sound.add($1, at: $0) }
            return try sound.finished(at: Int(end) * 16 / 1000)
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
        guard reader.info.frameRate.value >= SpeakerDetector.minimumFrameRate else { return }
        var positions = try FacePositions(
            FrameRecordReader(path: "\(frames.folder)/\(frames.name)"),
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
            send((job.run, job.isLast, features))
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
package struct Speech: Sendable {
    /// Of one run of a track.
    package struct Scores: Sendable {
        let track: Int
        /// The number of the first tick since time 0.
        let first: Int
        /// 0…100 per tick, with and without sound. If the video has none, the first is empty; it is NaN where sound is missing.
        var speaking: [Float] = []
        var moving: [Float] = []

        package init(track: Int, first: Int, speaking: [Float] = [], moving: [Float] = []) {
            (self.track, self.first, self.speaking, self.moving) = (track, first, speaking, moving)
        }
    }

    /// As in `SpeechSound.Finished`; `nil` without sound.
    private let voice: [Float]?
    /// By track.
    private var runs: [Int: [Scores]] = [:]

    package init(voice: [Float]?) { self.voice = voice }

    package mutating func add(_ scores: Scores) {
        var scores = scores
        let times = scores.speaking.indices.map { Int64(scores.first + $0) * SpeechTick.microseconds }
        for (index, time) in times.enumerated() where voice(at: time) == nil { scores.speaking[index] = .nan }
        (scores.speaking, scores.moving) = (Self.smoothed(scores.speaking), Self.smoothed(scores.moving))
        for (index, time) in times.enumerated() { scores.speaking[index] *= audibility(around: time) }
        // Without earlier pictures, the network knows little of the first ones: they have the score of the next one.
        let early = min(SpeakerDetector.reach, scores.moving.count / 2)
        for index in 0..<early { scores.moving[index] = scores.moving[early] }
        runs[scores.track, default: []].append(scores)
    }

    /// The probability of a voice in percent; `nil` without sound at that time.
    func voice(at microseconds: Int64) -> Double? { probability(at: microseconds).map { Double(100 * $0) } }

    /// `time`: of a sample, in microseconds. `next`: that of the next sample of the video; `nil` for the last one.
    package func values(
        ofTrack track: Int, at time: Int64, until next: Int64?
    ) -> (speaking: Double?, moving: Double?, ticks: [UInt8]) {
        let tick = SpeechTick.containing(time)
        guard let run = runs[track]?.first(where: { $0.first <= tick && tick < $0.first + $0.moving.count })
        else { return (nil, nil, []) }
        let moving = Double(run.moving[tick - run.first])
        guard !run.speaking.isEmpty else { return (nil, moving, []) }
        let first = SpeechTick.first(from: time)
        let end = next.map(SpeechTick.first) ?? first + 1
        let ticks = first..<max(first, min(end, run.first + run.speaking.count, first + FaceRecord.maximumTicks))
        let speaking = run.speaking[tick - run.first]
        return (
            speaking.isNaN || voice(at: time) == nil ? nil : Double(speaking), moving,
            ticks.map { UInt8(exactly: (2 * run.speaking[$0 - run.first]).rounded(.down)) ?? SpeechTick.unknown }
        )
    }

    /// Moving average over 0.2 s; unknown values stay unknown and do not count.
    private static func smoothed(_ values: [Float]) -> [Float] {
        values.indices.map { index in
            let near = values[max(0, index - 2)...min(values.count - 1, index + 2)].filter { !$0.isNaN }
            return values[index].isNaN ? .nan : near.reduce(0, +) / Float(near.count)
        }
    }

    /// 0 where no voice can be heard within half a second, so that chewing or yawning is not speech; 1 where there is the
    /// slightest sign of one, because noise hides voices.
    private func audibility(around microseconds: Int64) -> Float {
        let near = (-16...16).compactMap { probability(at: microseconds + 32_000 * $0) }
        return min(1, 5 * (near.max() ?? 0))
    }

    private func probability(at microseconds: Int64) -> Float? {
        let chunk = Int(microseconds) * 16 / 1000 / VoiceDetector.chunk
        guard let voice, voice.indices.contains(chunk), !voice[chunk].isNaN else { return nil }
        return voice[chunk]
    }
}

/// What the networks need to know about a video's sound.
struct SpeechSound {
    /// Sound that is read after the last sample, in microseconds.
    static let margin: Int64 = 1_000_000
    /// In samples. Coders and rounded times leave shorter gaps, which are silent.
    private static let longestGap = SoundReader.rate / 5

    struct Finished: Sendable {
        /// `voice`: the probability of a voice, 0…1, in each 32 ms from time 0 on; NaN in gaps.
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
    private let cancellation: CancellationFlag
    private var cepstra = MelCepstra()
    private var voice: [Float] = []
    private var end = 0

    init(detector: VoiceDetector, cancellation: CancellationFlag) {
        (self.detector, self.cancellation) = (detector, cancellation)
    }

    mutating func add(_ samples: UnsafeBufferPointer<Int16>, at position: Int) throws {
        // For the networks, gaps are silent.
        let (start, isMissing) = (end, position - end > Self.longestGap)
        let first = (end + VoiceDetector.chunk - 1) / VoiceDetector.chunk
        while end < position {
            if cancellation.isSet { throw CancellationError() }
            guard end > start + SoundReader.rate, position > end + 2 * SoundReader.rate else {
                try add(repeatElement(0, count: min(position - end, SoundReader.rate)))
                continue
            }
            // A pause may last for hours.
            voice.append(.nan)
            cepstra.add(repeatElement(0, count: VoiceDetector.chunk))
            end += VoiceDetector.chunk
        }
        if isMissing { for chunk in first..<voice.count { voice[chunk] = .nan } }
        try add(samples)
    }

    private mutating func add(_ samples: some Collection<Int16>) throws {
        end += samples.count
        cepstra.add(samples)
        voice += try detector.add(samples)
    }

    /// `last`: the position of the video's last sample.
    mutating func finished(at last: Int) throws -> Finished {
        let gap = last + 1 - end
        // Completes the last chunk. Sound may end a little before the picture.
        let silence = VoiceDetector.chunk - 1 + ((1...Self.longestGap).contains(gap) ? gap : 0)
        voice += try detector.add(repeatElement(0, count: silence))
        return Finished(voice: voice, cepstra: cepstra.values)
    }
}
