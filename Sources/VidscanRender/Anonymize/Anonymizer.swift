package import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// Hides faces. When in doubt, it hides too much of a frame rather than too little.
final class Anonymizer {
    let options: AnonymizeOptions
    private let sticker: StickerPainter?
    private let hold: CoverHold
    private let surface = DrawingSurface(isMask: true)
    /// `nil` if nobody is to stay visible.
    private let certain: CertainFaces?
    let removedFaces: Set<Int>
    private(set) var tally = VisibilityCount()
    private(set) var hiddenSpans = HiddenSpans()
    /// The number of frames in which a face was found and is not hidden because of a release.
    private(set) var releasedFrames = 0
    let covers: CoverFile?
    private var regions: [CoverFile.Region] { covers?.regions ?? [] }
    /// The indices of the covers that were drawn.
    private var applied: Set<Int> = []
    /// Of the covers that follow the picture, by their indices.
    private var trackers: [Int: CoverTracker] = [:]
    private(set) var visibleFaces = VisibleFaces()

    /// Longer gaps within a track are not bridged.
    private static let bridgedSeconds = 2.0
    /// Longest extrapolation of a lost face's motion, in microseconds.
    private static let maximumExtrapolation: Int64 = 250_000

    init(_ options: AnonymizeOptions, of tables: FaceTables, sticker: StickerPainter?) throws(VidscanError) {
        covers = try options.covers.map { path throws(VidscanError) in try CoverFile(path: path) }
        try covers?.check(tables.positions.record)
        (self.options, self.sticker, hold) = (options, sticker, CoverHold(seconds: options.holdSeconds))
        certain =
            options.visible.keepsSomebody
            ? try CertaintySearch.search(tables, claims: ChosenFaces(options.visible, in: tables).claims) : nil
        removedFaces = tables.removedFaces
    }

    /// How far around a frame the faces matter.
    static func reachSeconds(of options: AnonymizeOptions) -> Double {
        max(CoverHold(seconds: options.holdSeconds).reachSeconds, bridgedSeconds)
    }

    /// Hides the faces of a frame, and those that neighbouring frames suggest, except faces that certainly are to stay visible and
    /// overlap no hidden one. Returns the number of faces.
    func hide(in frame: EditableFrame, timeline: FaceTimeline, sample number: Int) throws(MediaError) -> Int {
        var (hidden, visible): ([[FaceState]], [FaceState]) = ([], [])
        var (doubts, isReleased): ([Int: Doubt], Bool) = ([:], false)
        func hide(_ id: Int) {
            let states = states(of: id, in: timeline, sample: number, at: frame.microseconds)
            if !states.isEmpty { hidden.append(states) }
        }
        hidden += bridges(in: timeline, sample: number, at: frame.microseconds)
        for id in timeline.faceIDs {
            let own = timeline.faces(of: id, inSample: number)
            if releases(id, in: timeline, at: frame.microseconds) {
                if !own.isEmpty, !options.isInverted { isReleased = true }
                continue
            }
            if isVisible(id, inSample: number) {
                visible += own
            } else if !own.isEmpty || !isVisible(id, aroundSample: number, in: timeline) {
                if !own.isEmpty, let certain, certain.isChosen(id) {
                    doubts[id] = certain.doubt(about: id, inSample: number)
                }
                hide(id)
            }
        }
        if isReleased { releasedFrames += 1 }
        // A face that was hidden before and is not found now may still be there.
        let covered = hidden.flatMap { $0 }
        for face in visible where covered.contains(where: { $0.box.touches(face.box) }) {
            visible.removeAll { $0.faceID == face.faceID }
            doubts[face.faceID] = .overlap
            hide(face.faceID)
        }
        let last = timeline.sample(number - 1)?.microseconds ?? frame.microseconds
        let next = timeline.sample(number + 1)?.microseconds ?? .max
        let drawn = drawnCovers(in: frame, isCut: timeline.hasCut(after: last, upTo: frame.microseconds), until: next)
        hiddenSpans.add(faces: hidden.count + drawn.count, at: frame.microseconds)
        if certain != nil { tally.add(visibleFaces: visible.count, doubts: doubts) }
        let scale = AffineTransform(xx: frame.scaleX, xy: 0, x: 0, yx: 0, yy: frame.scaleY, y: 0)
        visibleFaces.add(visible.map { ($0.faceID, $0.box.bounds(after: scale)) }, at: frame.microseconds)
        if options.isInverted { try hideAllBut(visible, in: frame) }
        for states in hidden { try self.hide(states, in: frame) }
        for (what, box) in drawn { try self.hide(box, showing: what, in: frame) }
        return hidden.count + drawn.count + (options.isInverted ? visible.count : 0)
    }

    /// Throws if a cover was not drawn in any frame, because then it does not hide what it should.
    func finish() throws(VidscanError) {
        let missing = regions.indices.first { regions[$0].what != nil && !applied.contains($0) }
        guard let missing else { return }
        throw .result("no frame is at the time of cover \(missing + 1) of \(covers?.name ?? ""); no video was written")
    }

    /// Covers reach half a frame of a slow video beyond their keyframes, and back to the beginning of a frame that lasts
    /// `until` later than theirs. Call it before anything is drawn into the frame.
    private func drawnCovers(in frame: EditableFrame, isCut: Bool, until next: Int64) -> [(CoverFile.What, Rectangle)] {
        regions.enumerated().compactMap { index, region in
            let first = region.times.lowerBound
            let time = first < next ? max(first, frame.microseconds) : frame.microseconds
            let box = region.box(at: time, reach: 50_000)
            guard let what = region.what, let box else { return nil }
            applied.insert(index)
            guard region.follows else { return (what, box) }
            let tracked = trackers[index, default: CoverTracker()].box(
                of: region, straight: box, at: time, isCut: isCut, luma: frame.luma)
            return (what, tracked)
        }
    }

    /// Whether every sample of a face during a release, in the window around this frame, is in the released area.
    /// Somebody who passes there has other samples too, and stays hidden; so do two faces at one place.
    private func releases(_ id: Int, in timeline: FaceTimeline, at microseconds: Int64) -> Bool {
        regions.contains { region in
            guard region.what == nil, region.box(at: microseconds) != nil else { return false }
            let samples = timeline.window.filter { sample in sample.faces.contains { $0.faceID == id } }
                .filter { region.times.contains($0.microseconds) }
            return !samples.isEmpty
                && samples.allSatisfy { sample in
                    let place = region.box(at: sample.microseconds)
                    let found = sample.faces.filter { $0.box.intersectionOverUnion(with: place ?? $0.box) >= 0.5 }
                    return found.map(\.faceID) == [id]
                }
        }
    }

    /// Averaged writing can be read again, so all except faces gets one colour.
    private func hide(_ box: Rectangle, showing what: CoverFile.What, in frame: EditableFrame) throws(MediaError) {
        guard let area = frame.pixels(covering: box) else { return }
        // Cairo draws nothing that reaches farther than 2^23 pixels. An odd display size has one more row or column.
        let (width, height) = (frame.displaySize.width + 2, frame.displaySize.height + 2)
        let shown = box.clamped(to: PictureSize(width: width, height: height))
        surface.begin(area, scaleX: frame.scaleX, scaleY: frame.scaleY)
        surface.line(through: shown.corners, closed: true, .fill(.white))
        let side = min(box.width, box.height) * min(frame.scaleX, frame.scaleY)
        try frame.hide(surface.patch(), by: what == .face ? cover(side: side) : Self.solid)
    }

    func isRemoved(_ id: Int) -> Bool { id < 0 || removedFaces.contains(id) }

    private func isVisible(_ id: Int, inSample number: Int) -> Bool {
        guard let certain else { return options.isInverted && !isRemoved(id) }
        return certain.isChosen(id) && certain.doubt(about: id, inSample: number) == nil
    }

    /// For a sample without the face.
    private func isVisible(_ id: Int, aroundSample number: Int, in timeline: FaceTimeline) -> Bool {
        let (before, after) = timeline.neighbours(of: id, aroundSample: number)
        return [before, after].compactMap { $0 }.allSatisfy { isVisible(id, inSample: $0.number) }
    }

    /// The states of a face that must be hidden in a frame.
    ///
    /// If the frame's own sample contains the face: its state there and in the neighbouring samples, because motion blur spreads a
    /// fast face. In a gap that can be bridged: the states before and after it, and interpolated ones. Otherwise: the last state
    /// before and the first one after the frame, as detected and with extrapolated motion, as long as ``CoverHold`` says.
    private func states(
        of id: Int, in timeline: FaceTimeline, sample number: Int, at microseconds: Int64
    ) -> [FaceState] {
        let own = timeline.faces(of: id, inSample: number)
        if let face = own.first {
            return own
                + [number - 1, number + 1].flatMap { timeline.faces(of: id, inSample: $0) }
                // At a low sampling rate, the neighbour is another position of the face and not motion blur.
                .filter { abs($0.microseconds - face.microseconds) <= 100_000 }
        }
        let (before, after) = timeline.neighbours(of: id, aroundSample: number)
        if let before, let after {
            let bridge = bridge(from: before, to: after, in: timeline, at: microseconds)
            if !bridge.isEmpty { return bridge }
        }
        return [before, after].compactMap { $0 }.flatMap { held -> [FaceState] in
            let size = timeline.size(of: hold, seen: held.face.microseconds, at: microseconds)
            guard size > 0 else { return [] }
            return [held.face, extrapolated(held, in: timeline, to: microseconds)].compactMap { $0?.scaled(by: size) }
        }
    }

    /// The states in a gap of a track; none if it is too long.
    private func bridge(
        from before: FaceTimeline.Sighting, to after: FaceTimeline.Sighting, in timeline: FaceTimeline,
        at microseconds: Int64
    ) -> [FaceState] {
        let span = after.face.microseconds - before.face.microseconds
        // A face may keep its number across a cut, and not be there in between.
        let isBridged =
            span <= Int64(max(2 * options.holdSeconds, Self.bridgedSeconds) * 1e6)
            && !timeline.hasCut(after: before.face.microseconds, upTo: after.face.microseconds)
        guard isBridged || after.number - before.number <= 2 else { return [] }
        let now = Double(microseconds - before.face.microseconds) / Double(max(span, 1))
        let between = [0.25, 0.5, 0.75, now].map {
            before.face.interpolated(to: after.face, fraction: $0, microseconds: microseconds)
        }
        return [before.face, after.face] + between
    }

    /// The same for gaps in tracks to whose ends a correction gave other numbers. It must not uncover a face.
    private func bridges(in timeline: FaceTimeline, sample number: Int, at microseconds: Int64) -> [[FaceState]] {
        let own = Set(timeline.sample(number)?.faces.map(\.detectedID) ?? [])
        let renumbered = timeline.window.flatMap(\.faces).filter { $0.faceID != $0.detectedID }.map(\.detectedID)
        return Set(renumbered).subtracting(own).sorted().compactMap { id in
            let (before, after) = timeline.neighbours(of: id, by: \.detectedID, aroundSample: number)
            guard let before, let after, before.face.faceID != after.face.faceID,
                ![before, after].allSatisfy({
                    isVisible($0.face.faceID, inSample: $0.number)
                        || releases($0.face.faceID, in: timeline, at: $0.face.microseconds)
                })
            else { return nil }
            let bridge = bridge(from: before, to: after, in: timeline, at: microseconds)
            return bridge.isEmpty ? nil : bridge
        }
    }

    /// From the motion between its last two samples, or, before it appears, its first two.
    private func extrapolated(
        _ state: FaceTimeline.Sighting, in timeline: FaceTimeline, to microseconds: Int64
    ) -> FaceState? {
        let time = state.face.microseconds
        let (before, after) = timeline.neighbours(of: state.face.faceID, aroundSample: state.number)
        guard let other = (microseconds > time ? before : after)?.face, other.microseconds != time else { return nil }
        let elapsed = min(max(microseconds - time, -Self.maximumExtrapolation), Self.maximumExtrapolation)
        let fraction = Double(elapsed) / Double(time - other.microseconds)
        let (from, to) = (other.box.center, state.face.box.center)
        var moved = state.face
        moved.box = moved.box.offset(dx: (to.x - from.x) * fraction, dy: (to.y - from.y) * fraction)
        moved.mesh = nil
        return moved
    }

    private func hide(_ states: [FaceState], in frame: EditableFrame) throws(MediaError) {
        let part = Rectangle(around: states.flatMap { extent(of: $0).corners })
        guard let first = states.first, let area = frame.pixels(covering: part) else { return }
        surface.begin(area, scaleX: frame.scaleX, scaleY: frame.scaleY)
        for state in states { draw(state, .fill(.white)) }
        let side = states.map { min($0.box.width, $0.box.height) }.max() ?? 0
        try frame.hide(surface.patch(), by: cover(side: side * min(frame.scaleX, frame.scaleY)))
        try sticker?.paint(on: first, of: frame)
    }

    private func hideAllBut(_ states: [FaceState], in frame: EditableFrame) throws(MediaError) {
        let all = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        surface.begin(all, scaleX: frame.scaleX, scaleY: frame.scaleY, isFilled: true)
        for state in states { draw(state, .erase) }
        // The cell size suits a face an eighth of the frame's height.
        try frame.hide(surface.patch(), by: cover(side: Double(frame.size.height) / 8))
    }

    /// - Parameter side: the face's shorter side in pixels of the output video.
    private func cover(side: Double) -> EditableFrame.Cover {
        let cell = max(4, Int((side * options.resolvedStrength).rounded(.up)))
        switch options.method {
        case .blur: return .smooth(side: cell)
        case .pixelate: return .squares(side: cell)
        case .sticker where sticker?.isDark == true: return .color(red: 0.86, green: 0.86, blue: 0.88)
        case .solid, .sticker: return Self.solid
        }
    }

    private static let solid = EditableFrame.Cover.color(red: 0.13, green: 0.14, blue: 0.16)

    private func extent(of state: FaceState) -> Rectangle {
        if let mesh = outlinedMesh(of: state) { return Rectangle(around: state.box.corners + outline(mesh)) }
        return state.box.grown(by: state.box.width * options.margin, state.box.height * options.margin)
    }

    private func draw(_ state: FaceState, _ style: DrawingSurface.Style) {
        if let mesh = outlinedMesh(of: state) {
            surface.line(through: outline(mesh), closed: true, style)
        } else if options.shape == .rectangle {
            surface.line(through: extent(of: state).corners, closed: true, style)
        } else {
            surface.ellipse(
                center: state.box.center, radiusX: state.box.width * (0.5 + options.margin),
                radiusY: state.box.height * (0.5 + options.margin), style)
        }
    }

    /// The mesh whose outline is the cover; `nil` for a turned head, whose silhouette is another one.
    private func outlinedMesh(of state: FaceState) -> FaceMesh? {
        guard options.shape == .mesh, let mesh = state.mesh else { return nil }
        let pose = HeadPose(mesh: mesh)
        return max(abs(pose.yaw), abs(pose.pitch)) < 25 ? mesh : nil
    }

    /// Enlarged around its centre.
    private func outline(_ mesh: FaceMesh) -> [Point] {
        let points = MeshOutlines.face.map { mesh[$0] }
        let (middle, factor) = (Point.mean(points), 1 + 2 * options.margin)
        return points.map { middle + ($0 - middle) * factor }
    }
}

/// How long a cover outlasts the sight of its face, because the detector may have missed it: whole for the hold time, then, where
/// the face was last seen, shrinking. A hard cut ends it.
package struct CoverHold: Sendable {
    /// The faces in a sample, with its time.
    package typealias Sample = (microseconds: Int64, boxes: [Rectangle])

    /// In microseconds.
    private let hold, fade: Double

    /// The fraction of the hold time in which a cover shrinks.
    private static let fading = 0.4
    /// In microseconds: a cut may be found a frame early or late, and a blended frame shows both shots.
    static let cutReach: Int64 = 80_000
    /// The samples on each side of a cut in which a face may go on.
    private static let reachedSamples = 3
    /// Intersection over union of a face that may go on.
    private static let minimumOverlap = 0.5

    package init(seconds: Double) { (hold, fade) = (seconds * 1e6, seconds * 1e6 * Self.fading) }

    var reachSeconds: Double { (hold + fade) / 1e6 }

    /// The size of a cover relative to that on its face: 1 during the hold time, 0 when it is over. `seen`: when the
    /// face was seen last or, if after `now`, next; in microseconds, as `hardCuts`. `samples`: those around both times.
    /// Both lists are in time order.
    package func size(
        seen: Int64, now: Int64, samples: some RandomAccessCollection<Sample>, hardCuts: [Int64]
    ) -> Double {
        let excess = Double(abs(now - seen)) - hold
        let size = excess <= 0 ? 1 : now > seen && fade > 0 ? max(0, 1 - excess / fade) : 0
        return size > 0 && hasCut(between: seen, and: now, samples, hardCuts) ? 0 : size
    }

    /// Whether `now` is beyond doubt on the other side of a cut. The first frame of the new shot and the last one of the old are not,
    /// and neither is anything near a cut at which a face goes on: that may be a flash, or the same person in both shots.
    private func hasCut(
        between seen: Int64, and now: Int64, _ samples: some RandomAccessCollection<Sample>, _ hardCuts: [Int64]
    ) -> Bool {
        let (begin, end) = (min(seen, now), max(seen, now))
        return hardCuts[hardCuts.partitionIndex { $0 > begin }...].prefix { $0 <= end }.contains { cut in
            let (old, new) = (samples.prefix { $0.microseconds < cut }, samples.drop { $0.microseconds < cut })
            guard abs(now - cut) >= Self.cutReach, let last = old.last, let first = new.first,
                now > first.microseconds || now < last.microseconds
            else { return false }
            let before = old.suffix(Self.reachedSamples).flatMap(\.boxes)
            let after = new.prefix(Self.reachedSamples).flatMap(\.boxes)
            return !before.contains { box in
                after.contains { $0.intersectionOverUnion(with: box) > Self.minimumOverlap }
            }
        }
    }
}
