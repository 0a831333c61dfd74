internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The faces of a result at any time, read along with the video. Only samples around the current time are in memory.
struct FaceTimeline {
    struct Needs {
        var metrics: Set<Metric> = []
        var mesh = false
        /// How well single samples match the person of their face.
        var identity = false
        /// The reach of the window around the current time.
        var behindSeconds = 0.0, aheadSeconds = 0.0
    }

    struct Sample {
        let microseconds: Int64
        /// The index of the sample in the result.
        let number: Int
        let faces: [FaceState]
    }

    /// Around the current time, oldest first.
    private(set) var window: [Sample] = []
    private let rows: FaceStateReader
    /// In microseconds.
    private let cuts, hardCuts: [Int64]
    private let behind, ahead: Int64
    private var isAtEnd = false

    init(_ tables: FaceTables, needs: Needs) throws(VidscanError) {
        rows = try FaceStateReader(tables, needs: needs)
        (behind, ahead) = (Int64(needs.behindSeconds * 1e6), Int64(needs.aheadSeconds * 1e6))
        let all = try tables.cuts()
        (cuts, hardCuts) = (all.map(\.microseconds), all.filter { $0.kind == .hard }.map(\.microseconds))
    }

    /// Times must not decrease. The window extends at least to sample `number`.
    mutating func advance(to microseconds: Int64, holding number: Int = 0) throws(VidscanError) {
        // Two samples after the current time show whether a face continues.
        while !isAtEnd,
            window.suffix(2).count < 2 || window[window.count - 2].microseconds <= microseconds + ahead
                || window[window.count - 1].number < number
        {
            guard let sample = try rows.next() else {
                isAtEnd = true
                break
            }
            window.append(sample)
            try require(
                window.count <= ReadLimits.samplesAtOnce, .result,
                "frames.csv has more than \(ReadLimits.samplesAtOnce) samples around one time", stage: .render,
                microseconds: microseconds)
        }
        let passed = window.prefix { $0.microseconds < microseconds - behind }.count
        if passed > 16 { window.removeFirst(passed - 4) }
    }

    /// Consecutive frames have consecutive samples. Throws unless the sample was taken from this frame.
    mutating func advance(toSample number: Int, at microseconds: Int64) throws(VidscanError) {
        try advance(to: microseconds, holding: number)
        try require(
            sample(number)?.microseconds == microseconds, .result,
            "the frame at this time was not analysed, so its faces would not be hidden; no video was written",
            stage: .render, microseconds: microseconds)
    }

    /// Throws if the result has more than `count` samples.
    mutating func finish(after count: Int) throws(VidscanError) {
        var next = window.first { $0.number >= count }
        if next == nil { next = try rows.next() }
        try require(
            next == nil, .result,
            "the frame at this time was analysed, but cannot be read now: the video has changed, or cannot be read to"
                + " its end; no video was written", stage: .render, microseconds: next?.microseconds)
        try rows.finish()
    }

    /// `nil` if the sample is not in the window.
    func sample(_ number: Int) -> Sample? {
        guard let first = window.first?.number, window.indices.contains(number - first) else { return nil }
        return window[number - first]
    }

    func faces(of faceID: Int, inSample number: Int) -> [FaceState] {
        sample(number)?.faces.filter { $0.faceID == faceID } ?? []
    }

    typealias Sighting = (number: Int, face: FaceState)

    func neighbours(
        of id: Int, by path: KeyPath<FaceState, Int> = \.faceID, aroundSample number: Int
    ) -> (before: Sighting?, after: Sighting?) {
        (
            first(id, by: path, in: window.prefix { $0.number < number }.reversed()),
            first(id, by: path, in: window.drop { $0.number <= number })
        )
    }

    var faceIDs: [Int] { Set(window.flatMap { $0.faces.map(\.faceID) }).sorted() }

    private func first(
        _ id: Int, by path: KeyPath<FaceState, Int> = \.faceID, in samples: some Sequence<Sample>
    ) -> Sighting? {
        for sample in samples {
            if let face = sample.faces.first(where: { $0[keyPath: path] == id }) { return (sample.number, face) }
        }
        return nil
    }

    /// Interpolates the faces between the samples before and after a time, but never across a cut or more than one sample without
    /// the face. A face appears half-way from the preceding sample and disappears half-way to the following one.
    func faces(at microseconds: Int64) -> [FaceState] {
        faceIDs.compactMap { id in
            let after = first(id, in: window.drop { $0.microseconds < microseconds })
            if let after, after.face.microseconds == microseconds { return after.face }
            let before = first(id, in: window.prefix { $0.microseconds < microseconds }.reversed())
            if let before, let after, after.number - before.number <= 2,
                !hasCut(after: before.face.microseconds, upTo: after.face.microseconds)
            {
                let span = Double(after.face.microseconds - before.face.microseconds)
                let fraction = Double(microseconds - before.face.microseconds) / span
                return before.face.interpolated(to: after.face, fraction: fraction, microseconds: microseconds)
            }
            return [before, after].compactMap { $0 }.first { reaches($0.number, to: microseconds) }?.face
        }
    }

    /// The relative size of the cover of a face that is not in the frame.
    func size(of hold: CoverHold, seen: Int64, at now: Int64) -> Double {
        let samples = window.lazy.map { (microseconds: $0.microseconds, boxes: $0.faces.map(\.box)) }
        return hold.size(seen: seen, now: now, samples: samples, hardCuts: hardCuts)
    }

    /// From `begin` (exclusive) to `end` (inclusive).
    func hasCut(after begin: Int64, upTo end: Int64) -> Bool {
        let next = cuts.partitionIndex { $0 > begin }
        return next < cuts.count && cuts[next] <= end
    }

    /// Whether a time is nearer to this sample than to the next one in that direction, with no cut between them.
    private func reaches(_ number: Int, to microseconds: Int64) -> Bool {
        guard let own = sample(number)?.microseconds else { return false }
        let step = microseconds > own ? 1 : -1
        if let next = sample(number + step)?.microseconds {
            return !hasCut(after: min(own, next), upTo: max(own, next)) && 2 * abs(microseconds - own) < abs(next - own)
        }
        // At the end of the video, the sample extends as far as on its other side.
        guard let previous = sample(number - step)?.microseconds else { return false }
        return 2 * abs(microseconds - own) < abs(previous - own)
    }

    /// Up to the current time, oldest first. The trail restarts after a cut or a gap.
    func trail(of face: FaceState, seconds: Double) -> [Point] {
        let times = face.microseconds - Int64(seconds * 1e6)...face.microseconds
        var points: [Point] = []
        var last: Sample?
        for sample in window where times.contains(sample.microseconds) {
            guard let own = sample.faces.first(where: { $0.faceID == face.faceID }) else { continue }
            if let last, sample.number - last.number > 2 || hasCut(after: last.microseconds, upTo: sample.microseconds)
            {
                points.removeAll()
            }
            points.append(own.box.center)
            last = sample
        }
        return points + [face.box.center]
    }
}
