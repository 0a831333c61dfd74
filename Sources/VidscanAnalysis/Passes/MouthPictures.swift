package import VidscanBase
internal import VidscanFaces
internal import VidscanInference
package import VidscanMedia
internal import VidscanResults

/// Where the faces of the kept tracks are at any time, between the samples too.
struct FacePositions {
    private let reader: FrameRecordReader
    /// The index of the track of each face in the file; `nil` for those that are not kept.
    private let trackOfFace: [Int?]
    private var faces = 0
    private var before, after: Sample?

    private typealias Sample = (microseconds: Int64, boxes: [(track: Int, box: Rectangle)])

    /// In microseconds. Of the samples in a step that show the same faces, only the first one counts: boxes jitter from frame
    /// to frame, and the network would take that for speech.
    private static let step: Int64 = 200_000

    init(_ reader: FrameRecordReader, trackOfFace: [Int?]) throws {
        (self.reader, self.trackOfFace) = (reader, trackOfFace)
        after = try sample()
    }

    private mutating func sample() throws -> Sample? {
        guard let frame = try reader.next() else { return nil }
        let tracked = zip(frame.faces, trackOfFace[faces...])
        faces += frame.faces.count
        return (frame.microseconds, tracked.compactMap { face, track in track.map { ($0, face.box) } })
    }

    /// Later times must follow. A face that the next sample does not show stays for half of the time until then.
    mutating func boxes(at microseconds: Int64) throws -> [(track: Int, box: Rectangle)] {
        while let next = after, next.microseconds <= microseconds {
            (before, after) = (next, try sample())
            while let near = after, near.microseconds / Self.step == next.microseconds / Self.step,
                Set(near.boxes.map(\.track)) == Set(next.boxes.map(\.track)), let later = try sample()
            { after = later }
        }
        guard let before, before.microseconds <= microseconds else { return [] }
        let elapsed = Double(microseconds - before.microseconds)
        let fraction = after.map { elapsed / Double(max(1, $0.microseconds - before.microseconds)) } ?? 0
        return before.boxes.compactMap { track, box in
            guard let other = after?.boxes.first(where: { $0.track == track })?.box
            else { return fraction <= 0.5 ? (track, box) : nil }
            return (track, box.interpolated(to: other, fraction: fraction))
        }
    }
}

package struct MouthPictures: Sendable {
    /// Pictures of one face without a gap.
    package struct Run: Sendable, Hashable {
        package let track: Int
        let first: Int
        /// In order of their beginning.
        let number: Int
    }

    package let run: Run
    let isLast: Bool
    package let pictures: [UInt8]
}

package struct MouthCropper {
    private struct Open {
        let run: MouthPictures.Run
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
    /// The minimum longer side of a face in pixels, and how many are followed at once. Each takes 4 MB while in sight.
    private static let (smallest, maximumFaces) = (24.0, 12)
    /// A video with fewer frames shows each for longer, up to this number of ticks.
    private static let longestHold = 5

    package init() {}

    /// Returns the pictures that are ready. `all`: the faces in the frame by track.
    package mutating func add(_ frame: SampledFrame, _ all: [(track: Int, box: Rectangle)]) throws -> [MouthPictures] {
        let clear = all.filter { max($0.box.width, $0.box.height) >= Self.smallest }
        let boxes = clear.sorted { rank($0) > rank($1) }.prefix(Self.maximumFaces)
        let tick = SpeechTick.containing(frame.microseconds)
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

    package mutating func finish() -> [MouthPictures] { open.keys.sorted().flatMap { close($0) } }

    private mutating func close(_ track: Int) -> [MouthPictures] {
        guard let run = open.removeValue(forKey: track) else { return [] }
        return [MouthPictures(run: run.run, isLast: true, pictures: run.pictures)]
    }

    private mutating func picture(of box: Rectangle, in frame: SampledFrame) throws -> [UInt8] {
        let side = max(box.width, box.height) / 2 * Self.extent
        let square = RotatedSquare(center: box.center, side: max(side, 1), angle: 0)
        try cropper.crop(frame, square: square, resolution: SpeakerDetector.resolution, into: &tensor)
        // Luma as in BT.601, which the network was trained with.
        return tensor.withUnsafeBufferPointer { red in
            (0..<Self.byteCount).map { index in
                let luma =
                    0.299 * red[index] + 0.587 * red[index + Self.byteCount] + 0.114 * red[index + 2 * Self.byteCount]
                return UInt8(min(max(luma, 0), 255).rounded())
            }
        }
    }
}

/// What a network sees in pictures of a mouth.
typealias MouthFeatures = (run: MouthPictures.Run, isLast: Bool, features: [Float])

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
    private static let (window, margin) = (SpeakerDetector.longest - 64, 32)

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
        // The network would know too little of a shorter run.
        if result.isLast, run.scores.moving.count > SpeakerDetector.reach { scores.append(run.scores) }
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
