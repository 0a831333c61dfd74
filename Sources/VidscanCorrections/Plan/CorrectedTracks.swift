internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// A track after the corrections: a part of a face of the analysis, or the whole of it.
struct TrackPart: Equatable {
    /// The face_id that the analysis gave.
    let original: Int
    /// The range of times, in microseconds, in which the samples of the track are this part's.
    var from = Int64.min
    /// The part ends before it.
    var until = Int64.max
    var faceID, personID: Int
    var isRemoved = false
    /// Whether a correction decided whose face it is.
    var isDecided = false

    func contains(_ microseconds: Int64) -> Bool { from <= microseconds && microseconds < until }
}

/// The tracks of a result, to which corrections are applied one after another. Errors say why a correction does not fit.
struct CorrectedTracks {
    let samples: SampleTable
    /// Maps the tables' boxes to the source video; `nil` if they are the same.
    private let map: AffineTransform?
    /// The mean time between samples in microseconds.
    private let interval: Double
    /// The times at which the video can be seen, in microseconds.
    private let extent: ClosedRange<Int64>
    private(set) var parts: [TrackPart]
    /// The positions of the parts of each track, by the face_id of the analysis, in time order.
    private(set) var partsOfFace: [Int: [Int]] = [:]
    private(set) var excluded: [ClosedRange<Int64>] = []
    private(set) var isExcluded: [Bool]
    /// By person_id.
    private(set) var names: [Int: String] = [:]
    /// The samples at which corrections say whose a face is. That two faces differ does not say it.
    private var decisions: [(original: Int, microseconds: Int64)] = []
    private(set) var nextFaceID, nextPersonID: Int

    /// `durationMicroseconds` is that of the video, if it is known.
    init(_ samples: SampleTable, map: AffineTransform?, durationMicroseconds: Int64?) {
        (self.samples, self.map) = (samples, map)
        interval = samples.outcome.interval * 1e6
        let first = min(samples.frames.first?.microseconds ?? 0, 0)
        let last = (samples.frames.last?.microseconds ?? 0) + Int64(interval.rounded(.up))
        extent = first...max(first, last, durationMicroseconds ?? last)
        parts = samples.people.sorted { $0.key < $1.key }.map {
            TrackPart(original: $0.key, faceID: $0.key, personID: $0.value)
        }
        for (index, part) in parts.enumerated() { partsOfFace[part.original] = [index] }
        isExcluded = [Bool](repeating: false, count: samples.frames.count)
        (nextFaceID, nextPersonID) = ((samples.people.keys.max() ?? 0) + 1, (samples.people.values.max() ?? 0) + 1)
    }

    /// Returns the part to which a row belongs; `nil` if it is left out.
    func part(ofRow row: Int) -> Int? {
        let frame = Int(samples.rows[row].frame)
        guard !isExcluded[frame], let all = partsOfFace[samples.faceID(ofRow: row)] else { return nil }
        let time = samples.frames[frame].microseconds
        // The last part that begins at this time or before. The first one has no beginning.
        let last = all[max(all.partitionIndex { parts[$0].from > time } - 1, 0)]
        return parts[last].isRemoved ? nil : last
    }

    /// The rows of a part that are not left out, in time order.
    func rows(ofPart part: Int) -> [Int] {
        let own = parts[part]
        guard !own.isRemoved else { return [] }
        return (samples.rowsOfFace[own.original] ?? []).compactMap { row in
            let frame = Int(samples.rows[Int(row)].frame)
            return !isExcluded[frame] && own.contains(samples.frames[frame].microseconds) ? Int(row) : nil
        }
    }

    private static let minimumOverlap = 0.3
    /// Overlaps that differ by less are equally good.
    private static let margin = 0.05
    private static let minimumWindow = 0.5e6, windowSamples = 1.5

    private func part(of face: FaceReference) throws(VidscanError) -> Int { try sample(of: face).part }

    /// Returns the part, and the time of its sample that is nearest to the reference.
    private func sample(of face: FaceReference) throws(VidscanError) -> (part: Int, microseconds: Int64) {
        let reach = Int64(max(Self.minimumWindow, Self.windowSamples * interval).rounded())
        let near = samples.frames(in: (face.microseconds - reach)...(face.microseconds + reach))
        // By part; the distance is that from the time of the reference, in microseconds.
        var nearest: [Int: (distance: Int64, overlap: Double, microseconds: Int64)] = [:]
        for frame in near where !isExcluded[frame] {
            let distance = Int64((samples.frames[frame].microseconds - face.microseconds).magnitude)
            for row in samples.rows(ofFrame: frame) {
                guard let part = part(ofRow: row), parts[part].contains(face.microseconds),
                    distance < nearest[part]?.distance ?? .max
                else { continue }
                let box = samples.rows[row].box
                let overlap = (map.map(box.bounds(after:)) ?? box).intersectionOverUnion(with: face.box)
                nearest[part] = (distance, overlap, samples.frames[frame].microseconds)
            }
        }
        let place = "at \(TimeText.seconds(face.microseconds)) s"
        guard let best = nearest.values.map(\.overlap).max() else {
            throw .result("there is no face \(place), nor within \(TimeText.seconds(reach)) s of it")
        }
        try require(
            best >= Self.minimumOverlap, .result,
            "no face \(place) has such a box: the nearest one overlaps with it by"
                + " \(NumberText.fixed(best, decimals: 2)) (intersection over union), less than"
                + " \(NumberText.plain(Self.minimumOverlap))")
        let good = nearest.filter { $1.overlap > best - Self.margin && $1.overlap >= Self.minimumOverlap }
        let shortest = good.values.map(\.distance).min() ?? 0
        let chosen = good.filter { $1.distance <= shortest + 1000 }.keys.sorted()
        guard let part = chosen.first, let time = nearest[part]?.microseconds, chosen.count == 1 else {
            let ids = chosen.map { "\(parts[$0].faceID)" }.joined(separator: " and ")
            throw .result("the faces \(ids) \(place) fit the box equally well")
        }
        return (part, time)
    }

    /// The times at which corrections say whose a face is, by face_id; in microseconds.
    var decided: [Int: [Int64]] {
        var times: [Int: Set<Int64>] = [:]
        for (original, time) in decisions {
            let part = (partsOfFace[original] ?? []).map { parts[$0] }.first { $0.contains(time) && $0.isDecided }
            if let part, !part.isRemoved { times[part.faceID, default: []].insert(time) }
        }
        return times.mapValues { $0.sorted() }
    }

    private func requireInVideo(_ range: ClosedRange<Int64>, _ what: String) throws(VidscanError) {
        try require(
            range.overlaps(extent), .result,
            "\(what) outside of the video, which lasts from \(TimeText.seconds(extent.lowerBound)) to"
                + " \(TimeText.seconds(extent.upperBound)) s")
    }

    mutating func apply(_ correction: Correction) throws(VidscanError) -> String {
        switch correction {
        case .samePerson(let faces): return try join(faces)
        case .differentPeople(let one, let other): return try separate(one, other)
        case .split(let face, let time): return try split(part(of: face), at: time)
        case .name(let face, let name):
            let part = parts[try part(of: face)]
            names[part.personID] = name
            return "person \(part.personID) (face \(part.faceID)) is \(name)"
        case .notAFace(let face):
            let part = try part(of: face)
            let count = rows(ofPart: part).count
            parts[part].isRemoved = true
            return "face \(parts[part].faceID) is removed, with \(NumberText.count(count, "sample"))"
        case .exclude(let range): return try exclude(range)
        case .note(let time, let text, let face):
            try requireInVideo(time...time, "\(TimeText.seconds(time)) s is")
            var about = ""
            if let face { about = " on face \(parts[try part(of: face)].faceID)" }
            return "note at \(TimeText.seconds(time)) s\(about): \(text)"
        }
    }

    private mutating func join(_ faces: [FaceReference]) throws(VidscanError) -> String {
        var named: [Int] = []
        for face in faces {
            let (part, time) = try sample(of: face)
            decisions.append((parts[part].original, time))
            named.append(part)
        }
        // In the order in which the faces are named.
        var people: [Int] = []
        for part in named where !people.contains(parts[part].personID) { people.append(parts[part].personID) }
        let all = parts.indices.filter { people.contains(parts[$0].personID) && !parts[$0].isRemoved }
        if people.count > 1 { try requireApart(all) }
        let person = people.min() ?? 0
        let name = people.compactMap { names[$0] }.first
        for other in people { names[other] = nil }
        names[person] = name
        for part in all { parts[part].personID = person }
        for part in named { parts[part].isDecided = true }
        let ids = Set(named.map { parts[$0].faceID }).sorted().map(String.init).joined(separator: ", ")
        return "faces \(ids) are person \(person)" + (name.map { " (\($0))" } ?? "")
    }

    /// Gives the face at the second reference another person than the first.
    private mutating func separate(_ one: FaceReference, _ other: FaceReference) throws(VidscanError) -> String {
        let ((first, from), (second, to)) = (try sample(of: one), try sample(of: other))
        guard first != second else {
            // One face_id may continue after a cut or a gap. Its later appearance is somebody else.
            let range = min(from, to)...max(from, to)
            let rows = rows(ofPart: first)
            let times = rows.map(samples.microseconds(ofRow:))
            let gap = Int64(Self.windowSamples * interval)
            let begin = times.indices.dropFirst().last { index in
                let frames = samples.rows[rows[index - 1]].frame..<samples.rows[rows[index]].frame
                return range.contains(times[index]) && times[index] > range.lowerBound
                    && (times[index] - times[index - 1] > gap
                        || samples.outcome.changes.contains { frames.contains(Int32($0.sample - 1)) })
            }
            guard let begin else {
                let (from, to) = (TimeText.seconds(range.lowerBound), TimeText.seconds(range.upperBound))
                throw .result(
                    "face \(parts[first].faceID) is seen without a break from \(from) to \(to) s; say with split"
                        + " when it becomes somebody else")
            }
            return try split(first, at: times[begin])
        }
        for part in [first, second] { parts[part].isDecided = true }
        if parts[first].personID == parts[second].personID {
            guard nextPersonID <= ReadLimits.ids.upperBound else { throw .result("no person_id is free") }
            parts[second].personID = nextPersonID
            nextPersonID += 1
        }
        let ids = [first, second].map { "face \(parts[$0].faceID) is person \(parts[$0].personID)" }
        return ids.joined(separator: ", and ")
    }

    /// Checks that no two different people among these tracks are in sight at the same time.
    private func requireApart(_ tracks: [Int]) throws(VidscanError) {
        var seen: [Int32: Int] = [:]
        for part in tracks.sorted(by: { parts[$0].faceID < parts[$1].faceID }) {
            for row in rows(ofPart: part) {
                let frame = samples.rows[row].frame
                guard let other = seen[frame] else {
                    seen[frame] = part
                    continue
                }
                let (one, two) = (parts[other], parts[part])
                try require(
                    one.personID == two.personID, .result,
                    "faces \(one.faceID) and \(two.faceID) are both in sight at"
                        + " \(TimeText.seconds(samples.microseconds(ofRow: row))) s, so they are not one person")
            }
        }
    }

    private mutating func split(_ part: Int, at time: Int64) throws(VidscanError) -> String {
        let times = rows(ofPart: part).map(samples.microseconds(ofRow:))
        guard let begin = times.first, let end = times.last, begin < time, time <= end else {
            let (first, last) = (TimeText.seconds(times.first ?? 0), TimeText.seconds(times.last ?? 0))
            throw .result(
                "face \(parts[part].faceID) cannot be split at \(TimeText.seconds(time)) s: it is in sight from \(first)"
                    + " to \(last) s, and each part needs a sample")
        }
        try require(
            max(nextFaceID, nextPersonID) <= ReadLimits.ids.upperBound, .result, "no face_id is free for another face")
        let old = parts[part]
        parts[part].until = time
        let new = TrackPart(
            original: old.original, from: time, until: old.until, faceID: nextFaceID, personID: nextPersonID,
            isDecided: true)
        (nextFaceID, nextPersonID) = (nextFaceID + 1, nextPersonID + 1)
        let position = (partsOfFace[old.original]?.firstIndex(of: part) ?? 0) + 1
        parts.append(new)
        partsOfFace[old.original]?.insert(parts.count - 1, at: position)
        let (last, next) = (times.last { $0 < time } ?? begin, times.first { $0 >= time } ?? end)
        decisions.append((old.original, next))
        return "face \(old.faceID) ends at \(TimeText.seconds(last)) s; from \(TimeText.seconds(next)) s on it is face"
            + " \(new.faceID), person \(new.personID)"
    }

    private mutating func exclude(_ range: ClosedRange<Int64>) throws(VidscanError) -> String {
        let text = "\(TimeText.seconds(range.lowerBound)) to \(TimeText.seconds(range.upperBound)) s"
        try requireInVideo(range, "\(text) is")
        excluded.append(range)
        var (frames, faces) = (0, 0)
        for frame in samples.frames(in: range) where !isExcluded[frame] {
            frames += 1
            faces += samples.rows(ofFrame: frame).count { part(ofRow: $0) != nil }
            isExcluded[frame] = true
        }
        guard isExcluded.contains(false) else { throw .result("excluding \(text) would leave nothing of the video") }
        return "\(NumberText.count(frames, "sample")) from \(text) left out, with \(NumberText.count(faces, "face"))"
    }

    /// Checks the invariants after all corrections, and drops the names of people who are gone.
    mutating func finish() throws(VidscanError) {
        let people = Set(parts.indices.filter { !rows(ofPart: $0).isEmpty }.map { parts[$0].personID })
        names = names.filter { people.contains($0.key) }
        for (person, name) in names.sorted(by: { $0.key < $1.key }) {
            guard let other = names.filter({ $0.key < person && $0.value == name }).keys.min() else { continue }
            throw .result(
                "people \(other) and \(person) both have the name \(name); join them with same_person if they are one")
        }
    }
}
