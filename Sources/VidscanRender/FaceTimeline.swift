internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The faces of a finished result at any moment, read along with the video: only a window around the moment is held.
struct FaceTimeline {
    /// What of the result is needed.
    struct Needs {
        package var metrics: Set<Metric> = []
        package var mesh = false
        /// How far back and ahead of the moment faces are asked for, in seconds.
        var behindSeconds = 0.0
        var aheadSeconds = 0.0
    }

    /// A frame that was looked at.
    package struct Sample {
        package let microseconds: Int64
        /// Counts all samples.
        package let number: Int
        package let faces: [FaceState]
    }

    /// The samples in the window, oldest first.
    private(set) var window: [Sample] = []
    private let rows: FaceStateReader
    private let cuts: [Int64]
    private let behind: Int64
    private let ahead: Int64
    private var isAtEnd = false

    init(_ result: StoredResult, needs: Needs) throws(VidscanError) {
        rows = try FaceStateReader(result, needs: needs)
        behind = Int64(needs.behindSeconds * 1e6)
        ahead = Int64(needs.aheadSeconds * 1e6)
        let events = try TableReader(folder: result.name, name: "events.csv")
        let (time, kind) = (try events.column("time"), try events.column("kind"))
        var cuts: [Int64] = []
        while try events.next() {
            let moment = try events.microseconds(time)
            guard try events.value(kind, FaceEvent.Kind.init(rawValue:)) == .shotCut else { continue }
            guard moment >= cuts.last ?? moment else { throw events.problem("time goes back") }
            guard cuts.count < ReadLimits.events else { throw events.problem("is one of too many cuts") }
            cuts.append(moment)
        }
        self.cuts = cuts
    }

    /// Moves the window to a moment; moments never go back.
    ///
    /// - Parameter number: of a sample that must be in the window.
    package mutating func advance(to microseconds: Int64, holding number: Int = 0) throws(VidscanError) {
        // Two samples after the moment tell whether a face goes on.
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
                    .result, "frames.csv has more than \(ReadLimits.samplesAtOnce) samples around one moment",
                    stage: .render, microseconds: microseconds)
            }
        }
        let oldest = microseconds - behind
        let passed = window.prefix { $0.microseconds < oldest }.count
        if passed > 16 { window.removeFirst(passed - 4) }
    }

    /// Moves the window to a picture's own sample.
    ///
    /// - Parameters:
    ///   - number: of the sample. Pictures come one after another, and each has the next one.
    ///   - microseconds: the picture's time.
    /// - Throws: `VidscanError` unless the sample was taken of that picture.
    package mutating func advance(toSample number: Int, at microseconds: Int64) throws(VidscanError) {
        try advance(to: microseconds, holding: number)
        guard let own = sample(number), own.microseconds == microseconds else {
            throw VidscanError(
                .result,
                "the picture at this time was not analysed by itself, so that faces in it would not be hidden; no video"
                    + " was made", stage: .render, microseconds: microseconds)
        }
    }

    /// - Throws: `VidscanError` unless there are just as many samples.
    package mutating func finish(after count: Int) throws(VidscanError) {
        var next = window.first { $0.number >= count }
        if next == nil { next = try rows.next() }
        guard next == nil else {
            throw VidscanError(
                .result,
                "the picture at this time was analysed, but cannot be read now: the video is another one, or cannot be"
                    + " read to its end; no video was made", stage: .render, microseconds: next?.microseconds)
        }
        try rows.finish()
    }

    /// - Returns: `nil` unless it is in the window.
    private func sample(_ number: Int) -> Sample? {
        guard let first = window.first?.number, window.indices.contains(number - first) else { return nil }
        return window[number - first]
    }

    /// All sights of a face in one sample.
    package func faces(of faceID: Int, inSample number: Int) -> [FaceState] {
        sample(number)?.faces.filter { $0.faceID == faceID } ?? []
    }

    /// A face's last sample before a given one, and its first one after that.
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

    /// The ids in the window.
    var faceIDs: [Int] {
        var ids: Set<Int> = []
        for sample in window { for face in sample.faces { ids.insert(face.faceID) } }
        return ids.sorted()
    }

    /// A face's last sample up to a moment, and its first one from then on; both are the same at a sample of it.
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

    /// The faces at a moment, each between the samples around it.
    ///
    /// A face is never drawn across a cut, nor across more than one sample without it. It is seen from half-way between
    /// the sample before it came and its first one until half-way after its last one.
    package func faces(at microseconds: Int64) -> [FaceState] {
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

    func hasCut(after begin: Int64, upTo end: Int64) -> Bool {
        // The first one after the beginning.
        var (low, high) = (0, cuts.count)
        while low < high {
            let middle = (low + high) / 2
            if cuts[middle] > begin { high = middle } else { low = middle + 1 }
        }
        return low < cuts.count && cuts[low] <= end
    }

    /// Whether a moment lies nearer to this sample than to its neighbour on the moment's side, with no cut between them.
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
            // At the video's end, as far as on the other side.
            other = 2 * own - window[index - step].microseconds
        } else {
            return false
        }
        return 2 * abs(microseconds - own) < abs(other - own)
    }

    /// Where a face has been, oldest first, up to a moment; begins anew after a cut or a gap.
    package func trail(of face: FaceState, seconds: Double) -> [Point] {
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
