package import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Finds the samples in which a face certainly belongs to the person who stays visible.
///
/// A tracker may continue on another face, above all where two people cross. So a track is divided into stretches that
/// it followed without doubt: the face overlaps none that is hidden, is detected with confidence, does not jump, and no
/// cut is near. A stretch is certain if one of its samples was compared with the best ones of the track and matches
/// them. Where a sample does not match, the face is hidden from the last match before it to the first one after it.
///
/// A face whose best sample is not certain is hidden everywhere: the report shows that sample, and by it a user decides
/// who stays visible.
package struct CertaintySearch {
    /// A face in one sample.
    package struct Sighting {
        package var faceID: Int
        package var box: Rectangle
        /// The detector's score, 0…1.
        package var confidence: Double
        /// `person_match`; `nil` if the sample was not compared.
        package var match: Double?

        package init(faceID: Int, box: Rectangle, confidence: Double, match: Double?) {
            self.faceID = faceID
            self.box = box
            self.confidence = confidence
            self.match = match
        }
    }

    /// The minimum confidence of a detection.
    private static let minimumDetection = 0.5
    /// The minimum `person_match` of a sample that confirms a stretch.
    private static let confirmingMatch = 0.8
    /// The `person_match` below which a sample rather shows somebody else.
    private static let contradictingMatch = 0.5
    /// The maximum number of samples from one detection of a stretch to the next.
    private static let maximumStep = 3
    /// The minimum intersection over union of one detection of a stretch and the next.
    private static let minimumOverlap = 0.25
    /// How near a cut is, in microseconds: it may be found a frame early or late.
    private static let cutReach: Int64 = 80_000
    /// A dissolve shows two shots for longer.
    private static let gradualCutReach: Int64 = 600_000

    /// Successive samples in which a track followed one face without doubt.
    private struct Stretch {
        var last: (sample: Int, box: Rectangle)
        /// Where the face is certain from, once a sample confirms it; `nil` after a sample that does not match.
        var beginning: Int?
        /// The first sample of those that are certain; `nil` if none is yet.
        var certainFrom: Int?
        var lastConfirmed = 0

        init(sample: Int, box: Rectangle) {
            last = (sample, box)
            beginning = sample
        }
    }

    private let claims: [Int: FaceClaim]
    private let cuts: [ShotCut]
    private var firstCut = 0
    /// The stretches that may continue, by face_id.
    private var stretches: [Int: Stretch] = [:]
    /// The samples that the report shows, by face_id.
    private var bestSamples: [Int: Int] = [:]
    private var found: CertainFaces

    /// - Parameters:
    ///   - claims: The faces that may stay visible, by face_id.
    ///   - cuts: In time order.
    package init(claims: [Int: FaceClaim], cuts: [ShotCut]) {
        self.claims = claims
        self.cuts = cuts
        found = CertainFaces(claims: claims)
    }

    /// Searches a whole result.
    static func search(_ tables: FaceTables, claims: [Int: FaceClaim]) throws(VidscanError) -> CertainFaces {
        var search = CertaintySearch(claims: claims, cuts: try ShotCut.all(of: tables.positions))
        let rows = try FaceStateReader(tables, needs: FaceTimeline.Needs(identity: true))
        while let sample = try rows.next() {
            let sightings = sample.faces.map {
                Sighting(
                    faceID: $0.faceID, box: $0.box, confidence: $0[.confidence] ?? 0, match: $0.personMatch)
            }
            search.add(sightings, sample: sample.number, microseconds: sample.microseconds)
        }
        return search.finish()
    }

    /// Adds the faces of the next sample.
    ///
    /// - Parameters:
    ///   - sample: The number of the sample, more than that of the previous call.
    ///   - microseconds: The time of the sample, not before that of the previous call.
    package mutating func add(_ faces: [Sighting], sample: Int, microseconds: Int64) {
        let isNearCut = isNearCut(microseconds)
        let hidden = faces.filter { !mayStay($0.faceID) }
        for face in faces {
            guard let claim = claims[face.faceID] else { continue }
            if claim == .ofPerson(bestMicroseconds: microseconds), bestSamples[face.faceID] == nil {
                bestSamples[face.faceID] = sample
            }
            let doubt: Doubt? =
                if claim == .uncertain {
                    .uncertainPerson
                } else if hidden.contains(where: { $0.box.touches(face.box) }) {
                    .overlap
                } else if isNearCut {
                    .cut
                } else if face.confidence < Self.minimumDetection {
                    .uncertainDetection
                } else {
                    nil
                }
            if let doubt {
                end(face.faceID)
                found.append(sample...sample, of: face.faceID, doubt: doubt)
            } else {
                extend(face, claim, sample)
            }
        }
    }

    /// Ends the search after the last sample.
    package mutating func finish() -> CertainFaces {
        for face in stretches.keys.sorted() { end(face) }
        for (face, claim) in claims {
            guard case .ofPerson = claim else { continue }
            let isBestCertain = bestSamples[face].map { found.doubt(about: face, inSample: $0) == nil } ?? false
            if !isBestCertain { found.doubtEntirely(face) }
        }
        return found
    }

    private func mayStay(_ faceID: Int) -> Bool {
        switch claims[faceID] {
        case .ofPerson?, .named?: true
        case .uncertain?, nil: false
        }
    }

    private mutating func isNearCut(_ microseconds: Int64) -> Bool {
        let reach = max(Self.cutReach, Self.gradualCutReach)
        while firstCut < cuts.count, cuts[firstCut].microseconds + reach < microseconds { firstCut += 1 }
        return cuts[firstCut...].prefix { $0.microseconds - reach <= microseconds }.contains { cut in
            let reach = cut.kind == .gradual ? Self.gradualCutReach : Self.cutReach
            return cut.microseconds - reach <= microseconds && microseconds < cut.microseconds + reach
        }
    }

    /// Continues the stretch of a face, or begins one.
    private mutating func extend(_ face: Sighting, _ claim: FaceClaim, _ sample: Int) {
        if let last = stretches[face.faceID]?.last,
            sample - last.sample > Self.maximumStep
                || last.box.intersectionOverUnion(with: face.box) < Self.minimumOverlap
        {
            end(face.faceID)
        }
        var stretch = stretches[face.faceID] ?? Stretch(sample: sample, box: face.box)
        stretch.last = (sample, face.box)
        let match = claim == .named ? 1 : face.match
        if let match, match >= Self.confirmingMatch {
            stretch.certainFrom = stretch.certainFrom ?? stretch.beginning ?? sample
            stretch.lastConfirmed = sample
        } else if let match, match < Self.contradictingMatch {
            if let first = stretch.certainFrom {
                found.append(first...stretch.lastConfirmed, of: face.faceID, doubt: nil)
            }
            (stretch.certainFrom, stretch.beginning) = (nil, nil)
        }
        stretches[face.faceID] = stretch
    }

    private mutating func end(_ faceID: Int) {
        guard let stretch = stretches.removeValue(forKey: faceID), let first = stretch.certainFrom else { return }
        found.append(first...stretch.last.sample, of: faceID, doubt: nil)
    }
}
