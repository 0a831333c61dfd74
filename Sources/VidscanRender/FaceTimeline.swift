internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The faces of a finished result at any time. The result is read along with the video, so that only a window of
/// samples around the current time is in memory.
struct FaceTimeline {
    /// The parts of a result that are needed.
    struct Needs {
        var metrics: Set<Metric> = []
        var mesh = false
        /// How well single samples match the person of their face.
        var identity = false
        /// How far before and after the current time faces are needed, in seconds.
        var behindSeconds = 0.0
        var aheadSeconds = 0.0
    }

    /// An analysed frame.
    struct Sample {
        let microseconds: Int64
        /// The index of the sample in the result.
        let number: Int
        let faces: [FaceState]
    }

    /// The samples in the window, oldest first.
    private(set) var window: [Sample] = []
    private let rows: FaceStateReader
    /// The times of the cuts.
    private let cuts: [Int64]
    private let behind: Int64
    private let ahead: Int64
    private var isAtEnd = false

    init(_ tables: FaceTables, needs: Needs) throws(VidscanError) {
        rows = try FaceStateReader(tables, needs: needs)
        behind = Int64(needs.behindSeconds * 1e6)
        ahead = Int64(needs.aheadSeconds * 1e6)
        cuts = try ShotCut.all(of: tables.positions).map(\.microseconds)
    }

    /// Moves the window to a time. Times must not decrease.
    ///
    /// - Parameter number: The index of a sample that must be in the window.
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
            guard window.count <= ReadLimits.samplesAtOnce else {
                throw VidscanError(
                    .result, "frames.csv has more than \(ReadLimits.samplesAtOnce) samples around one time",
                    stage: .render, microseconds: microseconds)
            }
        }
        let oldest = microseconds - behind
        let passed = window.prefix { $0.microseconds < oldest }.count
        if passed > 16 { window.removeFirst(passed - 4) }
    }

    /// Moves the window to the sample of a frame.
    ///
    /// - Parameters:
    ///   - number: The index of the sample. Consecutive frames have consecutive samples.
    ///   - microseconds: The time of the frame.
    /// - Throws: `VidscanError` unless the sample was taken from this frame.
    mutating func advance(toSample number: Int, at microseconds: Int64) throws(VidscanError) {
        try advance(to: microseconds, holding: number)
        guard let own = sample(number), own.microseconds == microseconds else {
            throw VidscanError(
                .result,
                "the frame at this time was not analysed, so that faces in it would not be hidden; no video was"
                    + " written", stage: .render, microseconds: microseconds)
        }
    }

    /// Checks that all samples were used.
    ///
    /// - Throws: `VidscanError` if the result has more than `count` samples.
    mutating func finish(after count: Int) throws(VidscanError) {
        var next = window.first { $0.number >= count }
        if next == nil { next = try rows.next() }
        guard next == nil else {
            throw VidscanError(
                .result,
                "the frame at this time was analysed, but cannot be read now: the video has changed, or cannot be read"
                    + " to its end; no video was written", stage: .render, microseconds: next?.microseconds)
        }
        try rows.finish()
    }

    /// Returns a sample of the window; `nil` if the sample is not in it.
    func sample(_ number: Int) -> Sample? {
        guard let first = window.first?.number, window.indices.contains(number - first) else { return nil }
        return window[number - first]
    }

    /// Returns all states of a face in one sample.
    func faces(of faceID: Int, inSample number: Int) -> [FaceState] {
        sample(number)?.faces.filter { $0.faceID == faceID } ?? []
    }

    /// Returns the last sample of a face before the given sample, and the first one after it.
    func neighbours(
        of faceID: Int, aroundSample number: Int
    ) -> (before: (number: Int, face: FaceState)?, after: (number: Int, face: FaceState)?) {
        var before: (Int, FaceState)?
        for sample in window where sample.number != number {
            guard let face = sample.faces.first(where: { $0.faceID == faceID }) else { continue }
            guard sample.number < number else { return (before, (sample.number, face)) }
            before = (sample.number, face)
        }
        return (before, nil)
    }

    /// The face_ids in the window.
    var faceIDs: [Int] {
        var ids: Set<Int> = []
        for sample in window { for face in sample.faces { ids.insert(face.faceID) } }
        return ids.sorted()
    }

    /// Returns the last sample of a face at or before a time, and the first one at or after it. At the time of a
    /// sample, both are that sample.
    func neighbours(
        of faceID: Int, at microseconds: Int64
    ) -> (before: (number: Int, face: FaceState)?, after: (number: Int, face: FaceState)?) {
        var before: (Int, FaceState)?
        for sample in window {
            guard let face = sample.faces.first(where: { $0.faceID == faceID }) else { continue }
            if sample.microseconds <= microseconds { before = (sample.number, face) }
            if sample.microseconds >= microseconds { return (before, (sample.number, face)) }
        }
        return (before, nil)
    }

    /// Returns the faces at a time, interpolated between the samples before and after it.
    ///
    /// A face is never interpolated across a cut, or across more than one sample without it. Before its first sample,
    /// it appears half-way from the preceding sample. After its last sample, it disappears half-way to the following
    /// sample.
    func faces(at microseconds: Int64) -> [FaceState] {
        faceIDs.compactMap { id in
            let (before, after) = neighbours(of: id, at: microseconds)
            if let before, before.face.microseconds == microseconds { return before.face }
            if let before, let after, after.number - before.number <= 2,
                !hasCut(after: before.face.microseconds, upTo: after.face.microseconds)
            {
                let span = Double(after.face.microseconds - before.face.microseconds)
                let share = Double(microseconds - before.face.microseconds) / span
                return before.face.interpolated(to: after.face, share: share, microseconds: microseconds)
            }
            if let before, reaches(before.number, to: microseconds) { return before.face }
            if let after, reaches(after.number, to: microseconds) { return after.face }
            return nil
        }
    }

    /// Returns whether there is a cut in the interval from `begin` (exclusive) to `end` (inclusive).
    func hasCut(after begin: Int64, upTo end: Int64) -> Bool {
        // A binary search for the first cut after `begin`.
        var (low, high) = (0, cuts.count)
        while low < high {
            let middle = (low + high) / 2
            if cuts[middle] > begin { high = middle } else { low = middle + 1 }
        }
        return low < cuts.count && cuts[low] <= end
    }

    /// Returns whether a time is nearer to this sample than to the next one in that direction, with no cut between the
    /// two samples.
    private func reaches(_ number: Int, to microseconds: Int64) -> Bool {
        guard let first = window.first?.number, window.indices.contains(number - first) else { return false }
        let index = number - first
        let own = window[index].microseconds
        let step = microseconds > own ? 1 : -1
        let other: Int64
        if window.indices.contains(index + step) {
            other = window[index + step].microseconds
            guard !hasCut(after: min(own, other), upTo: max(own, other)) else { return false }
        } else if window.indices.contains(index - step) {
            // At the end of the video, the sample extends as far as on its other side.
            other = 2 * own - window[index - step].microseconds
        } else {
            return false
        }
        return 2 * abs(microseconds - own) < abs(other - own)
    }

    /// Returns the positions of a face up to its current time, oldest first. The trail restarts after a cut or a gap.
    func trail(of face: FaceState, seconds: Double) -> [Point] {
        var points: [Point] = []
        var last: Sample?
        for sample in window
        where sample.microseconds <= face.microseconds
            && sample.microseconds >= face.microseconds - Int64(seconds * 1e6)
        {
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
