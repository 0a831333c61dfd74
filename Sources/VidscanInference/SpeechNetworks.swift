internal import Glibc
internal import VidscanFaces

/// Silero VAD, version 6 (MIT): how likely each 32 ms of 16 kHz sound contain a voice. `scripts/convert_voice_detector.py`
/// converts it.
package struct VoiceDetector {
    /// Samples that each probability stands for.
    package static let chunk = 512
    /// Samples of the chunk before that the network sees too.
    private static let context = 64

    private let request: InferenceRequest
    private var samples = [Float](repeating: 0, count: context)
    private var state = [Float](repeating: 0, count: 2 * 128)

    /// - Parameter path: The converted model's `.xml`.
    package init(runtime: InferenceRuntime, path: String) throws(InferenceError) {
        request = try runtime.compile(path: path, concurrency: 1).makeRequest()
    }

    /// Adds the next samples, from -32768 to 32767. Returns the probability, 0…1, of each chunk that they complete.
    package mutating func add(_ new: some Sequence<Int16>) throws(InferenceError) -> [Float] {
        samples += new.lazy.map { Float($0) / 32768 }
        var probabilities: [Float] = []
        var start = 0
        while samples.count - start >= Self.context + Self.chunk {
            try request.fill(0, with: samples[start..<start + Self.context + Self.chunk])
            try request.fill(1, with: state)
            try request.run()
            guard let probability: Float = try request.output(0).first else {
                throw InferenceError("the voice detector has no output")
            }
            probabilities.append(probability)
            state = Array(try request.output(1))
            start += Self.chunk
        }
        samples.removeFirst(start)
        return probabilities
    }
}

/// LR-ASD (Liao et al., IJCV 2025; MIT), which detects from the pictures of a mouth and the sound whether the face speaks,
/// as `scripts/convert_speaker_detector.py` converts it.
package struct SpeakerDetector: Sendable {
    /// The side of a picture in pixels, and pictures per second.
    package static let resolution = 112, rate = 25
    /// Of a video, per second. With fewer pictures, hardly anybody seems to speak.
    package static let minimumFrameRate = 5.0
    /// Numbers per picture.
    package static let featureCount = 128
    package static let cepstraPerPicture = 4
    /// Pictures that are analysed at once.
    package static let step = 4
    /// Pictures that are scored at once.
    package static let longest = 160
    /// The features of a picture depend on this many pictures before it, and as many after it.
    package static let reach = 9

    private let pictures, scores: CompiledModel

    /// `pictures`, `scores`: paths of the converted models' `.xml`. `concurrency`: picture sessions at the same time.
    package init(runtime: InferenceRuntime, pictures: String, scores: String, concurrency: Int) throws(InferenceError) {
        self.pictures = try runtime.compile(path: pictures, concurrency: concurrency)
        self.scores = try runtime.compile(path: scores, concurrency: 1)
    }

    package func makePictureSession() throws(InferenceError) -> PictureSession {
        PictureSession(request: try pictures.makeRequest())
    }

    package func makeScoreSession() throws(InferenceError) -> ScoreSession {
        ScoreSession(request: try scores.makeRequest())
    }

    /// What the features of a run of successive pictures need of those before.
    package struct PictureRun: Sendable {
        /// Sizes of what each block of the network remembers.
        private static let sizes = (1...3).map { (16 << $0) * 6 * (112 >> $0) * (112 >> $0) }

        /// Numbers of 16 bits.
        fileprivate var states = Self.sizes.map { [UInt16](repeating: 0, count: $0) }
        fileprivate var count = 0

        package init() {}
    }

    /// Use it from one thread at a time.
    package struct PictureSession {
        fileprivate let request: InferenceRequest

        /// Adds the next pictures of a run: grey, `resolution` × `resolution` bytes each, `step` of them, or fewer if they are
        /// the last. Returns the features, `featureCount` numbers each, of the pictures for which they are complete.
        package func add(_ new: [UInt8], isLast: Bool, to run: inout PictureRun) throws(InferenceError) -> [Float] {
            let area = SpeakerDetector.resolution * SpeakerDetector.resolution
            let (first, end) = (max(0, run.count - SpeakerDetector.reach), run.count + new.count / area)
            var features: [Float] = []
            // After the last picture, empty ones follow until its features are there.
            var rest = new[...]
            repeat {
                features += try step(rest.prefix(SpeakerDetector.step * area), existing: isLast ? end : .max, &run)
                rest = rest.dropFirst(SpeakerDetector.step * area)
            } while isLast && run.count < end + SpeakerDetector.reach
            let count = (isLast ? end : run.count - SpeakerDetector.reach) - first
            return Array(features.prefix(max(0, count) * SpeakerDetector.featureCount))
        }

        /// - Parameter existing: The number of pictures of the run.
        private func step(
            _ pictures: ArraySlice<UInt8>, existing: Int, _ run: inout PictureRun
        ) throws(InferenceError) -> [Float] {
            let (step, reach) = (SpeakerDetector.step, SpeakerDetector.reach)
            let input: UnsafeMutableBufferPointer<Float> = try request.input()
            try InferenceError.checkSize(pictures.count <= input.count, of: "the speaker detector's pictures have")
            // The mean and the deviation of the pictures that the network was trained with.
            for (index, value) in zip(0..., pictures) { input[index] = (Float(value) / 255 - 0.4161) / 0.1688 }
            input[pictures.count...].update(repeating: 0)
            let mask = (run.count - 12..<run.count + step).map { $0 >= 0 && $0 < existing ? Float(1) : 0 }
            try request.fill(1, with: mask)
            for (index, state) in run.states.enumerated() { try request.fill(2 + index, with: state) }
            try request.run()
            for index in run.states.indices {
                let state: UnsafeBufferPointer<UInt16> = try request.output(index)
                run.states[index].replaceSubrange(run.states[index].indices, with: state)
            }
            let output: UnsafeBufferPointer<Float> = try request.output(3)
            let isExpected = output.count == step * SpeakerDetector.featureCount
            try InferenceError.checkSize(isExpected, of: "the speaker detector's features have")
            let early = min(step, max(0, reach - run.count))
            run.count += step
            return (early..<step).flatMap { picture in
                stride(from: picture, to: output.count, by: step).map { output[$0] }
            }
        }
    }

    /// Use it from one thread at a time.
    package struct ScoreSession {
        fileprivate let request: InferenceRequest

        /// Returns, for each of up to `longest` pictures, how likely the face speaks, by picture and sound and by the picture
        /// alone, 0…1.
        ///
        /// - Parameters:
        ///   - features: `featureCount` numbers per picture.
        ///   - cepstra: `cepstraPerPicture` times `MelCepstra.count` numbers per picture.
        package func scores(
            features: [Float], cepstra: [Float]
        ) throws(InferenceError) -> (speaking: [Float], moving: [Float]) {
            let count = features.count / SpeakerDetector.featureCount
            let rows = count * SpeakerDetector.cepstraPerPicture
            try fill(0, with: features, rows: count, columns: SpeakerDetector.featureCount)
            try fill(1, with: cepstra, rows: rows, columns: MelCepstra.count)
            try fill(2, with: repeatElement(1, count: rows), rows: rows, columns: 1)
            try request.run()
            // The picture alone is never so certain.
            return (try probabilities(0, count: count), try probabilities(1, count: count, temperature: 2))
        }

        /// Fills an input with the transposed matrix, and zeros for the rows that it lacks.
        private func fill(
            _ index: Int, with values: some RandomAccessCollection<Float>, rows: Int, columns: Int
        ) throws(InferenceError) {
            let input: UnsafeMutableBufferPointer<Float> = try request.input(index)
            let length = input.count / columns
            let isExpected = rows <= length && values.count == rows * columns
            try InferenceError.checkSize(isExpected, of: "the speaker detector's input \(index) has")
            input.update(repeating: 0)
            for (index, value) in values.enumerated() { input[index % columns * length + index / columns] = value }
        }

        /// The probability of the second of two classes (softmax).
        private func probabilities(_ index: Int, count: Int, temperature: Float = 1) throws(InferenceError) -> [Float] {
            let output: UnsafeBufferPointer<Float> = try request.output(index)
            try InferenceError.checkSize(output.count >= 2 * count, of: "the speaker detector's scores have")
            return (0..<count).map { 1 / (1 + exp((output[2 * $0] - output[2 * $0 + 1]) / temperature)) }
        }
    }
}

extension InferenceRequest {
    fileprivate func fill<Element>(_ index: Int, with values: some Collection<Element>) throws(InferenceError) {
        let input: UnsafeMutableBufferPointer<Element> = try input(index)
        try InferenceError.checkSize(input.count == values.count, of: "input \(index) of a model has")
        _ = input.update(fromContentsOf: values)
    }
}
