internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Analyses runs of samples. Each worker has one.
///
/// The anchor at the end of a run is compared with the anchor before it. If the same faces are still there, and a
/// coarse detection, at half the size, finds no other, their meshes are fitted where they were; otherwise the anchor is
/// searched for faces at full size. A sample between two known ones is predicted from both, and searched if the
/// prediction does not hold. Faces upside down are looked for where a searched anchor shows no upright face, and beside
/// samples that show one. To hide faces, every anchor is searched, and a sample between two anchors is predicted only if
/// a coarse detection finds no other face there.
final class SpanAnalyzer {
    private let models: ModelStore
    private let settings: Settings
    private let analyzer: FaceAnalyzer

    init(models: ModelStore, settings: Settings) {
        (self.models, self.settings) = (models, settings)
        analyzer = FaceAnalyzer(models: models, settings: settings)
    }

    func run(_ line: StageContext) async throws -> StageTimes {
        _ = try await line.opened.receive()
        try prepare()
        while let run = try await line.runs.receive() {
            for result in try await analyze(run) { line.results.send(result) }
        }
        return analyzer.times
    }

    /// Reads the models, which takes milliseconds, while the first frame is decoded; the first worker does it for all.
    /// Throws with the code `setup`, because no other video can be analysed either.
    private func prepare() throws(VidscanError) {
        if settings.needsExpressions { _ = try models.expressionModel() }
        do throws(InferenceError) {
            _ = try models.faceDetector()
            _ = try models.attentionMesh()
        } catch { throw VidscanError(.setup, error.reason, stage: .analyze) }
    }

    /// Whether a face must not be missed in any sample.
    private var searchesEverySample: Bool { settings.detect.keepsUncertainFaces }

    /// Analyses a run, and publishes its anchor as soon as it is known. Returns a result for each frame, in order.
    private func analyze(_ run: SampleSpan) async throws -> [FrameRecord] {
        var samples = try samples(of: run)
        let previous = try await run.previous?.receive()
        if let previous { samples[0].mayFollowCut = previous.signature.mayBeCut(to: samples[0].signature) }
        var known = [KnownFrame?](repeating: nil, count: samples.count)
        let last = samples.count - 1
        try Analysis.locating(samples[last].frame) { known[last] = try anchor(samples, after: previous) }
        if let anchor = known[last] { run.anchor.send(anchor) }
        if let previous { try fill(samples, &known, from: -1, to: last, previous) }
        return samples.indices.map { index in
            let (sample, faces) = (samples[index], known[index]?.faces ?? [])
            let (frame, size) = (sample.frame, sample.frame.geometry.displaySize)
            return FrameRecord(
                sequence: frame.sequence, microseconds: frame.microseconds, index: frame.index, epoch: frame.epoch,
                size: size, quality: sample.quality, isDamaged: frame.isDamaged, signature: sample.signature,
                faces: faces.map { FaceRecord($0, in: size, metrics: settings.measure.metrics) },
                credit: index == last ? run.byteCount : nil)
        }
    }

    private struct Sample {
        let frame: SampledFrame
        let signature: FrameSignature
        let quality: FrameQuality
        /// Whether a cut may lie between the sample before and this one.
        var mayFollowCut = false

        func known(_ faces: [AnalyzedFace]) -> KnownFrame {
            KnownFrame(
                microseconds: frame.microseconds, signature: signature,
                faces: faces.sorted { $0.detection.confidence > $1.detection.confidence })
        }
    }

    /// The frames of a run, with their signatures. The first one is not compared with the anchor before the run yet.
    private func samples(of run: SampleSpan) throws -> [Sample] {
        var samples: [Sample] = []
        for frame in run.frames {
            try Analysis.locating(frame) {
                let picture = try analyzer.picture(of: frame)
                analyzer.times.measure(\.look) {
                    let signature = FrameSignature(picture.view)
                    let mayFollowCut = samples.last?.signature.mayBeCut(to: signature) ?? false
                    samples.append(
                        Sample(
                            frame: frame, signature: signature, quality: FrameQuality(picture.view),
                            mayFollowCut: mayFollowCut))
                }
            }
        }
        return samples
    }

    /// Analyses the last sample. A face gets a crop at the first anchor of its chunk or shot that shows it well enough. If
    /// faces are to be hidden, it gets one at every anchor, because two people may have changed position in between.
    private func anchor(_ samples: [Sample], after previous: KnownFrame?) throws -> KnownFrame {
        let sample = samples[samples.count - 1]
        let isSameShot = !samples.contains(where: \.mayFollowCut)
        var anchor: KnownFrame
        if !searchesEverySample, isSameShot, let previous,
            let faces = try located(
                previous.faces.map { FacePrediction($0) }, in: sample, passes: MeshFitter.Passes.following),
            try !showsOthers(sample, than: faces)
        {
            anchor = sample.known(faces)
        } else {
            anchor = try searched(sample, upsideDown: true)
        }
        try analyzer.cutCrops(
            &anchor.faces, besides: isSameShot && !searchesEverySample ? previous?.faces ?? [] : [], in: sample.frame)
        return anchor
    }

    private func searched(_ sample: Sample, upsideDown: Bool) throws -> KnownFrame {
        sample.known(try analyzer.faces(in: sample.frame, upsideDown: upsideDown || searchesEverySample))
    }

    /// Finds faces where they are predicted; `nil` if one has no prediction, or is not found.
    private func located(
        _ predictions: [FacePrediction?], in sample: Sample, passes: ClosedRange<Int>
    ) throws -> [AnalyzedFace]? {
        var faces: [AnalyzedFace] = []
        for prediction in predictions {
            guard let prediction, let face = try analyzer.face(at: prediction, passes: passes, in: sample.frame),
                !faces.contains(where: { $0.detection.box.overlaps(face.detection.box) })
            else { return nil }
            faces.append(face)
        }
        return faces
    }

    /// Returns whether a coarse detection shows faces elsewhere than where they were found, or more of them.
    private func showsOthers(_ sample: Sample, than faces: [AnalyzedFace]) throws -> Bool {
        try analyzer.detectCoarsely(sample.frame).contains { found in
            let overlap = faces.map { $0.detection.box.intersectionOverUnion(with: found.box) }.max() ?? 0
            return overlap < (found.confidence >= Self.certainty ? Self.agreement : Self.newcomer)
        }
    }

    /// The minimum intersection over union of a face's box and the coarse detection of it. Where it is lower, the box
    /// has lost its face or lies on another one.
    private static let agreement = 0.8
    /// The same for a coarse detection with a low score. Its box is inaccurate, and only shows that there may be a face.
    private static let newcomer = 0.3
    /// A lower score is that of a small face, or of none.
    private static let certainty = 0.3

    /// Analyses the samples between two known ones: one in the middle, then both halves. `first`: -1 for `previous`.
    private func fill(
        _ samples: [Sample], _ known: inout [KnownFrame?], from first: Int, to last: Int, _ previous: KnownFrame
    ) throws {
        guard last - first > 1, let earlier = first < 0 ? previous : known[first], let later = known[last]
        else { return }
        // At a cut, the last sample of the old shot and the first one of the new shot are searched.
        let cut = samples[(first + 1)...last].firstIndex(where: \.mayFollowCut)
        var middle = (first + last) / 2
        if let cut { middle = max(cut < last ? cut : cut - 1, first + 1) }
        let sample = samples[middle]
        try Analysis.locating(sample.frame) {
            let predicted = cut == nil ? try predicted(sample, earlier, later) : nil
            var found =
                try predicted ?? searched(sample, upsideDown: earlier.showsFaceUpsideDown || later.showsFaceUpsideDown)
            // A shot may end, or a face turn away, before the next anchor.
            if cut == middle {
                let isSameShot = !samples[(middle + 1)...last].contains(where: \.mayFollowCut)
                try analyzer.cutCrops(&found.faces, besides: isSameShot ? later.faces : [], in: sample.frame)
            }
            known[middle] = found
        }
        try fill(samples, &known, from: first, to: middle, previous)
        try fill(samples, &known, from: middle, to: last, previous)
    }

    /// Finds the faces of two samples in a sample between them; `nil` if the two disagree, or if a face is not found.
    private func predicted(_ sample: Sample, _ earlier: KnownFrame, _ later: KnownFrame) throws -> KnownFrame? {
        let fraction =
            Double(sample.frame.microseconds - earlier.microseconds)
            / Double(max(1, later.microseconds - earlier.microseconds))
        guard let pairs = pairs(earlier.faces, later.faces) else { return nil }
        let predictions = pairs.map { FacePrediction($0, $1, fraction: fraction) }
        guard let faces = try located(predictions, in: sample, passes: MeshFitter.Passes.confirming) else { return nil }
        if searchesEverySample, try showsOthers(sample, than: faces) { return nil }
        return sample.known(faces)
    }

    /// Pairs the faces of two samples, and leaves out others; `nil` if a face that must not be lost has no partner.
    private func pairs(_ earlier: [AnalyzedFace], _ later: [AnalyzedFace]) -> [(AnalyzedFace, AnalyzedFace)]? {
        let cost = earlier.flatMap { first in
            later.map { second -> Double? in
                let overlap = first.detection.box.intersectionOverUnion(with: second.detection.box)
                return overlap >= 0.3 ? -overlap : nil
            }
        }
        let columns = Assignment.solve(cost: cost, rowCount: earlier.count, columnCount: later.count, unpaired: 0)
        let (searchesEverySample, minimum) = (searchesEverySample, settings.detect.minimumConfidence)
        let isCertain = { (face: AnalyzedFace) in
            searchesEverySample || MeshPresence.confirmed(face.detection.confidence, presence: face.presence) >= minimum
        }
        let taken = Set(columns.compactMap { $0 })
        guard !zip(earlier, columns).contains(where: { isCertain($0) && $1 == nil }),
            !later.indices.contains(where: { isCertain(later[$0]) && !taken.contains($0) })
        else { return nil }
        return zip(earlier, columns).compactMap { face, column in column.map { (face, later[$0]) } }
    }
}

/// Successive samples that one worker analyses: those after an anchor, up to and including the next one.
struct SampleSpan: Sendable {
    /// In time order; the last one is the anchor.
    let frames: [SampledFrame]
    /// Gives the faces of the anchor before the first sample, which another worker may still be analysing; `nil` if
    /// nothing connects the first sample to an earlier one.
    let previous: Channel<KnownFrame>?
    /// Receives the faces of the run's own anchor, for the next run.
    let anchor = Channel<KnownFrame>()

    var byteCount: Int { frames.reduce(0) { $0 + $1.byteCount } }
}

/// The faces of a sample, from which those of its neighbours are predicted.
struct KnownFrame: Sendable {
    var microseconds: Int64
    var signature: FrameSignature
    var faces: [AnalyzedFace]

    var showsFaceUpsideDown: Bool { faces.contains(where: \.isUpsideDown) }
}

/// A face predicted from the same face in one or two other samples. The detection moves with the mesh.
struct FacePrediction {
    /// The crop in which the mesh should be found.
    private(set) var square: RotatedSquare
    /// The box's corners, from the top left corner of the mesh's bounding box, in units of its sides.
    private var corners: [Point]
    /// The five landmarks from the square's centre, along its axes, in units of its side.
    private var landmarks: [Point]
    private var confidence: Double

    /// Predicts that a face stays as it is in an earlier sample; `nil` if it has no mesh.
    init?(_ face: AnalyzedFace) {
        guard let square = face.square, let bounds = face.mesh?.bounds else { return nil }
        self.square = square
        let box = face.detection.box
        let (origin, sides) = (bounds.corners[0], Point(x: max(bounds.width, 1), y: max(bounds.height, 1)))
        corners = [box.corners[0], box.corners[2]].map { ($0 - origin) / sides }
        let (cosine, sine) = (square.axis.x / square.side, square.axis.y / square.side)
        landmarks = face.detection.landmarks.points.map { point in
            let (x, y) = (point.x - square.center.x, point.y - square.center.y)
            return Point(x: cosine * x + sine * y, y: cosine * y - sine * x)
        }
        confidence = face.detection.confidence
    }

    /// Predicts a face between an earlier and a later sample; `nil` if it has no mesh in one of them. `fraction`: the
    /// time since the earlier sample, as a fraction of the time between the two.
    init?(_ earlier: AnalyzedFace, _ later: AnalyzedFace, fraction: Double) {
        guard let first = FacePrediction(earlier), let second = FacePrediction(later) else { return nil }
        let mix = { (a: [Point], b: [Point]) in zip(a, b).map { $0 + ($1 - $0) * fraction } }
        square = first.square.interpolated(to: second.square, fraction: fraction)
        corners = mix(first.corners, second.corners)
        landmarks = mix(first.landmarks, second.landmarks)
        confidence = first.confidence + (second.confidence - first.confidence) * fraction
    }

    /// Returns the detection that belongs to the mesh that was found.
    func detection(around mesh: FaceMesh, in square: RotatedSquare) -> FaceDetection {
        let bounds = mesh.bounds
        let (width, height) = (max(bounds.width, 1), max(bounds.height, 1))
        let (first, last) = (corners[0], corners[1])
        let (cosine, sine) = (square.axis.x * square.side, square.axis.y * square.side)
        let placed = landmarks.map { point in
            Point(
                x: square.center.x + cosine * point.x - sine * point.y,
                y: square.center.y + sine * point.x + cosine * point.y)
        }
        return FaceDetection(
            box: Rectangle(
                x: bounds.x + first.x * width, y: bounds.y + first.y * height,
                width: (last.x - first.x) * width, height: (last.y - first.y) * height),
            confidence: confidence, landmarks: FaceLandmarks(points: placed))
    }
}
