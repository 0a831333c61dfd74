internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Finds out who speaks, once the whole video has been tracked: decodes the sound, reads the frames again at 25 per second,
/// and compares the movements of each mouth with the sound. The sampling rate does not matter.
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
