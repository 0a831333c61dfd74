package import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Finds the samples in which a face certainly belongs to the person who stays visible.
///
/// A tracker may continue on another face, above all where two people cross. So a track is divided into stretches that it
/// followed without doubt: the face overlaps none that is hidden, is detected with confidence, does not jump, and no cut is near.
/// A stretch is certain if one of its samples matches the best ones of the track. Where a sample does not match, the face is
/// hidden from the last match before it to the first one after it.
///
/// Where a correction says whose face it is, that confirms the stretch, and no match contradicts it: `person_match` compared the
/// face with other tracks of the same person as if they were somebody else. There, a stretch also continues after a faint
/// detection, and after a gap in which nobody else was in sight. Anything else that may swap faces still ends it.
///
/// A face whose best sample is not certain is hidden everywhere: from that sample in the report, users decide who stays visible.
package struct CertaintySearch {
    /// `match` is `person_match`, `nil` if the sample was not compared. Both numbers are 0…1.
    package typealias Sighting = (faceID: Int, box: Rectangle, confidence: Double, match: Double?)

    private static let minimumDetection = 0.5
    /// The minimum `person_match` of a sample that confirms a stretch.
    private static let confirmingMatch = 0.8
    /// Below this `person_match`, a sample rather shows somebody else.
    private static let contradictingMatch = 0.5
    /// The most samples from one detection of a stretch to the next.
    private static let maximumStep = 3
    /// Intersection over union of successive detections of a stretch.
    private static let minimumOverlap = 0.25
    /// In microseconds: a dissolve shows two shots for a while.
    private static let gradualCutReach: Int64 = 600_000
    /// The longest gap in a stretch of a decided face, in microseconds: the time after which a track ends.
    private static let longestGap: Int64 = 1_000_000

    /// Successive samples in which a track followed one face without doubt.
    private struct Stretch {
        var last: (sample: Int, microseconds: Int64, box: Rectangle)
        /// Where the face becomes certain once a sample confirms it; `nil` after a mismatch.
        var beginning: Int?
        /// The first certain sample, if any.
        var certainFrom: Int?
        var lastConfirmed = 0
        /// Samples of a decided face whose detection is uncertain.
        var faint: [Int] = []
    }

    private let claims: [Int: FaceClaim]
    private let cuts: [ShotCut]
    /// The last sample with a face that is hidden.
    private var lastHidden = -1
    /// Those that may continue, by face_id.
    private var stretches: [Int: Stretch] = [:]
    /// The samples that the report shows, by face_id.
    private var bestSamples: [Int: Int] = [:]
    private var found: CertainFaces

    /// `claims` are the faces that may stay visible, by face_id. `cuts` are in time order.
    package init(claims: [Int: FaceClaim], cuts: [ShotCut]) {
        (self.claims, self.cuts) = (claims, cuts)
        found = CertainFaces(spans: claims.mapValues { _ in [] })
    }

    static func search(_ tables: FaceTables, claims: [Int: FaceClaim]) throws(VidscanError) -> CertainFaces {
        var search = CertaintySearch(claims: claims, cuts: try tables.cuts())
        let rows = try FaceStateReader(tables, needs: FaceTimeline.Needs(identity: true))
        while let sample = try rows.next() {
            let sightings = sample.faces.map { ($0.faceID, $0.box, $0[.confidence] ?? 0, $0.personMatch) }
            search.add(sightings, sample: sample.number, microseconds: sample.microseconds)
        }
        return search.finish()
    }

    /// Adds the faces of the next sample. Sample numbers must increase, and times must not decrease.
    package mutating func add(_ faces: [Sighting], sample: Int, microseconds: Int64) {
        let isNearCut = isNearCut(microseconds)
        let hidden = faces.filter { claims[$0.faceID] ?? .uncertain == .uncertain }
        if !hidden.isEmpty { lastHidden = sample }
        for face in faces {
            guard let claim = claims[face.faceID] else { continue }
            if claim == .ofPerson(bestMicroseconds: microseconds), bestSamples[face.faceID] == nil {
                bestSamples[face.faceID] = sample
            }
            if let doubt = Self.doubt(about: face, claim, hidden: hidden, isNearCut: isNearCut) {
                end(face.faceID)
                found.append(sample...sample, of: face.faceID, doubt: doubt)
            } else {
                extend(face, claim, sample, microseconds)
            }
        }
    }

    private static func doubt(about face: Sighting, _ claim: FaceClaim, hidden: [Sighting], isNearCut: Bool) -> Doubt? {
        if claim == .uncertain { return .uncertainPerson }
        if hidden.contains(where: { $0.box.touches(face.box) }) { return .overlap }
        if isNearCut { return .cut }
        if case .decided = claim { return nil }
        return face.confidence < minimumDetection ? .uncertainDetection : nil
    }

    package mutating func finish() -> CertainFaces {
        for face in stretches.keys.sorted() { end(face) }
        for (face, claim) in claims {
            guard case .ofPerson = claim else { continue }
            let isBestCertain = bestSamples[face].map { found.doubt(about: face, inSample: $0) == nil } ?? false
            if !isBestCertain { found.doubtEntirely(face) }
        }
        return found
    }

    private func isNearCut(_ microseconds: Int64) -> Bool {
        let first = cuts.partitionIndex { $0.microseconds + Self.gradualCutReach >= microseconds }
        return cuts[first...].prefix { $0.microseconds - Self.gradualCutReach <= microseconds }.contains { cut in
            let reach = cut.kind == .gradual ? Self.gradualCutReach : CoverHold.cutReach
            return cut.microseconds - reach <= microseconds && microseconds < cut.microseconds + reach
        }
    }

    private mutating func extend(_ face: Sighting, _ claim: FaceClaim, _ sample: Int, _ microseconds: Int64) {
        let decided: Set<Int64>? = if case .decided(let times) = claim { times } else { nil }
        if let last = stretches[face.faceID]?.last {
            let isBridged =
                decided != nil && lastHidden < last.sample && microseconds - last.microseconds <= Self.longestGap
            if sample - last.sample > Self.maximumStep && !isBridged
                || last.box.intersectionOverUnion(with: face.box) < Self.minimumOverlap
            {
                end(face.faceID)
            }
        }
        let last = (sample, microseconds, face.box)
        var stretch = stretches[face.faceID] ?? Stretch(last: last, beginning: sample)
        stretch.last = last
        if decided != nil, face.confidence < Self.minimumDetection { stretch.faint.append(sample) }
        let match = claim == .named || decided?.contains(microseconds) == true ? 1 : face.match
        if let match, match >= Self.confirmingMatch {
            stretch.certainFrom = stretch.certainFrom ?? stretch.beginning ?? sample
            stretch.lastConfirmed = sample
        } else if let match, match < Self.contradictingMatch, decided == nil {
            if let first = stretch.certainFrom {
                found.append(first...stretch.lastConfirmed, of: face.faceID, doubt: nil)
            }
            (stretch.certainFrom, stretch.beginning) = (nil, nil)
        }
        stretches[face.faceID] = stretch
    }

    private mutating func end(_ faceID: Int) {
        guard let stretch = stretches.removeValue(forKey: faceID), let first = stretch.certainFrom else { return }
        var next = first
        for faint in stretch.faint {
            if next < faint { found.append(next...faint - 1, of: faceID, doubt: nil) }
            found.append(faint...faint, of: faceID, doubt: .uncertainDetection)
            next = faint + 1
        }
        if next <= stretch.last.sample { found.append(next...stretch.last.sample, of: faceID, doubt: nil) }
    }
}

/// Why a face that was to stay visible is hidden in a frame. The raw values are those of the record.
package enum Doubt: String, Sendable, CaseIterable {
    case uncertainPerson = "uncertain_person", uncertainDetection = "uncertain_detection", overlap
    /// The frame may show two shots.
    case cut
    /// The tracker may have continued on another face, and no sample since then was recognised as the person.
    case unconfirmed

    /// Completes "hidden in 3 frames".
    var words: String {
        switch self {
        case .uncertainPerson: "that may show somebody else (person_confidence)"
        case .uncertainDetection: "with a faint detection"
        case .overlap: "where a hidden face overlaps"
        case .cut: "near a cut"
        case .unconfirmed: "in which nothing confirms who it is (person_match)"
        }
    }
}

/// The samples in which the faces that stay visible certainly belong to the right people.
package struct CertainFaces {
    /// Successive samples with the same verdict.
    struct Span: Equatable {
        var samples: ClosedRange<Int>
        /// `nil` where the face is certain.
        var doubt: Doubt?
    }

    /// By face_id, in the order of the samples. Samples in no span are unconfirmed.
    private(set) var spans: [Int: [Span]]

    func isChosen(_ faceID: Int) -> Bool { spans[faceID] != nil }

    /// `nil` if the face may stay visible.
    package func doubt(about faceID: Int, inSample sample: Int) -> Doubt? {
        let spans = spans[faceID] ?? []
        let index = spans.partitionIndex { $0.samples.upperBound >= sample }
        guard index < spans.count, spans[index].samples.contains(sample) else { return .unconfirmed }
        return spans[index].doubt
    }

    /// Samples must follow all earlier ones of the face.
    mutating func append(_ samples: ClosedRange<Int>, of faceID: Int, doubt: Doubt?) {
        var own = spans.removeValue(forKey: faceID) ?? []
        if let last = own.last, last.doubt == doubt, last.samples.upperBound + 1 == samples.lowerBound {
            own[own.count - 1].samples = last.samples.lowerBound...samples.upperBound
        } else {
            own.append(Span(samples: samples, doubt: doubt))
        }
        spans[faceID] = own
    }

    mutating func doubtEntirely(_ faceID: Int) { spans[faceID]?.removeAll { $0.doubt == nil } }
}

extension Rectangle {
    init(left: Double, top: Double, right: Double, bottom: Double) {
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    func grown(by dx: Double, _ dy: Double) -> Rectangle {
        Rectangle(x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy)
    }

    /// Overlapping so much that a tracker may confuse the faces, and hiding one hides part of the other.
    func touches(_ other: Rectangle) -> Bool { intersectionArea(with: other) > 0.05 * min(area, other.area) }
}
