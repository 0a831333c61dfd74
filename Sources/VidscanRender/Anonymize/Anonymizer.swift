internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Hides faces. When in doubt, it hides too much of a frame rather than too little.
final class Anonymizer {
    private let options: AnonymizeOptions
    private let sticker: StickerPainter?
    private let surface = DrawingSurface(content: .opacity)

    /// The maximum gap within a track that is bridged, in seconds.
    private static let bridgedSeconds = 2.0
    /// How long the motion of a lost face is extrapolated.
    private static let carriedMicroseconds: Int64 = 250_000

    init(_ options: AnonymizeOptions, sticker: StickerPainter?) {
        self.options = options
        self.sticker = sticker
    }

    /// Returns the parts of a result that hiding faces needs.
    static func needs(of options: AnonymizeOptions) -> FaceTimeline.Needs {
        let reach = max(options.holdSeconds, bridgedSeconds)
        return FaceTimeline.Needs(mesh: options.shape == .mesh, behindSeconds: reach, aheadSeconds: reach)
    }

    /// Hides all faces of a frame, and those that may be in it because neighbouring frames contain them.
    ///
    /// - Parameter number: The index of the frame's own sample.
    /// - Returns: The number of faces.
    func hide(in picture: EditablePicture, timeline: FaceTimeline, sample number: Int) throws(MediaError) -> Int {
        let hidden = timeline.faceIDs.filter(options.hides).compactMap { id -> [FaceState]? in
            let states = states(of: id, in: timeline, sample: number, at: picture.microseconds)
            return states.isEmpty ? nil : states
        }
        if options.isInverted {
            try hideAllBut(hidden.flatMap { $0 }, in: picture)
        } else {
            for states in hidden { try hide(states, in: picture) }
        }
        return hidden.count
    }

    /// Returns the states of a face that must be hidden in a frame.
    ///
    /// If the frame's own sample contains the face, these are its state there and in the neighbouring samples, because
    /// motion blur spreads a fast face. If the sample lacks the face, but the gap can be bridged, these are the states
    /// before and after the gap and interpolated states between them. Otherwise, these are the last state before the
    /// frame and the first one after it, as far as they are within the hold time, as detected and with extrapolated
    /// motion.
    private func states(
        of id: Int, in timeline: FaceTimeline, sample number: Int, at microseconds: Int64
    ) -> [FaceState] {
        let own = timeline.faces(of: id, inSample: number)
        // When everything except the faces is hidden, only a face that was detected in this frame is shown.
        if options.isInverted { return own }
        if !own.isEmpty { return own + beside(number, id: id, in: timeline) }
        let hold = Int64(options.holdSeconds * 1e6)
        let (before, after) = timeline.neighbours(of: id, aroundSample: number)
        if let before, let after {
            let span = after.face.microseconds - before.face.microseconds
            // A face may keep its number across a cut, and not be there in between.
            let isBridged =
                span <= max(2 * hold, Int64(Self.bridgedSeconds * 1e6))
                && !timeline.hasCut(after: before.face.microseconds, upTo: after.face.microseconds)
            if isBridged || after.number - before.number <= 2 {
                let shares = [0.25, 0.5, 0.75]
                return [before.face, after.face]
                    + shares.map { before.face.interpolated(to: after.face, share: $0, microseconds: microseconds) }
            }
        }
        var states: [FaceState] = []
        for state in [before, after] {
            guard let state, abs(microseconds - state.face.microseconds) <= hold else { continue }
            states += [state.face, carriedOn(state, id: id, in: timeline, to: microseconds)].compactMap { $0 }
        }
        return states
    }

    /// Returns the face extrapolated from the motion between its last two samples, or, before it appears, its first
    /// two.
    private func carriedOn(
        _ state: (number: Int, face: FaceState), id: Int, in timeline: FaceTimeline, to microseconds: Int64
    ) -> FaceState? {
        let time = state.face.microseconds
        let isAfter = microseconds > time
        let others = timeline.window.filter { isAfter ? $0.number < state.number : $0.number > state.number }
        guard
            let other = (isAfter ? others.reversed() : others).lazy.compactMap({ sample in
                sample.faces.first { $0.faceID == id }
            }).first, other.microseconds != time
        else { return nil }
        let elapsed = min(max(microseconds - time, -Self.carriedMicroseconds), Self.carriedMicroseconds)
        let share = Double(elapsed) / Double(time - other.microseconds)
        let (from, to) = (other.box.center, state.face.box.center)
        var moved = state.face
        moved.box = moved.box.offset(dx: (to.x - from.x) * share, dy: (to.y - from.y) * share)
        moved.mesh = nil
        return moved
    }

    /// Returns the states of a face in the samples before and after a sample.
    private func beside(_ number: Int, id: Int, in timeline: FaceTimeline) -> [FaceState] {
        guard let first = timeline.window.first?.number else { return [] }
        return [number - 1, number + 1].compactMap { neighbour in
            let index = neighbour - first
            guard timeline.window.indices.contains(index) else { return nil }
            let sample = timeline.window[index]
            // At a low sampling rate, the neighbour is another position of the face and not motion blur.
            guard let own = timeline.window.indices.contains(number - first) ? timeline.window[number - first] : nil,
                abs(sample.microseconds - own.microseconds) <= 100_000
            else { return nil }
            return sample.faces.first { $0.faceID == id }
        }
    }

    private func hide(_ states: [FaceState], in picture: EditablePicture) throws(MediaError) {
        let part = states.map(extent).reduce(nil as Rectangle?) { whole, next in
            guard let whole else { return next }
            let (x, y) = (min(whole.x, next.x), min(whole.y, next.y))
            return Rectangle(
                x: x, y: y, width: max(whole.x + whole.width, next.x + next.width) - x,
                height: max(whole.y + whole.height, next.y + next.height) - y)
        }
        guard let part, let first = states.first, let area = area(part, in: picture) else { return }
        surface.begin(area, scaleX: picture.scaleX, scaleY: picture.scaleY)
        for state in states { draw(state, .fill(.white)) }
        let side = states.map { min($0.box.width, $0.box.height) }.max() ?? 0
        try picture.hide(surface.mask(), by: cover(side: side * min(picture.scaleX, picture.scaleY)))
        try sticker?.paint(on: first, of: picture)
    }

    private func hideAllBut(_ states: [FaceState], in picture: EditablePicture) throws(MediaError) {
        let all = PixelRectangle(x: 0, y: 0, width: picture.size.width, height: picture.size.height)
        surface.begin(all, scaleX: picture.scaleX, scaleY: picture.scaleY, isFilled: true)
        for state in states { draw(state, .erase) }
        // The cell size is as if a face were an eighth of the frame's height.
        try picture.hide(surface.mask(), by: cover(side: Double(picture.size.height) / 8))
    }

    /// Returns what covers a face.
    ///
    /// - Parameter side: The face's shorter side in pixels of the output video.
    private func cover(side: Double) -> EditablePicture.Cover {
        let cell = max(4, Int((side * options.resolvedStrength).rounded(.up)))
        switch options.method {
        case .blur: return .smooth(side: cell)
        case .pixelate: return .squares(side: cell)
        case .solid, .sticker: return .color(red: 0.13, green: 0.14, blue: 0.16)
        }
    }

    private func area(_ part: Rectangle, in picture: EditablePicture) -> PixelRectangle? {
        PixelRectangle(
            covering: Rectangle(
                x: part.x * picture.scaleX - 1, y: part.y * picture.scaleY - 1, width: part.width * picture.scaleX + 2,
                height: part.height * picture.scaleY + 2), in: picture.size)
    }

    // MARK: Shapes

    private func extent(of state: FaceState) -> Rectangle {
        var (left, top) = (state.box.x, state.box.y)
        var (right, bottom) = (left + state.box.width, top + state.box.height)
        if options.shape == .mesh, let mesh = state.mesh {
            for point in outline(mesh) {
                (left, right) = (min(left, point.x), max(right, point.x))
                (top, bottom) = (min(top, point.y), max(bottom, point.y))
            }
            return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
        }
        let (dx, dy) = (state.box.width * options.margin, state.box.height * options.margin)
        return Rectangle(x: left - dx, y: top - dy, width: right - left + 2 * dx, height: bottom - top + 2 * dy)
    }

    private func draw(_ state: FaceState, _ style: DrawingSurface.Style) {
        if options.shape == .mesh, let mesh = state.mesh {
            surface.line(through: outline(mesh), closed: true, style)
        } else {
            surface.ellipse(
                center: state.box.center, radiusX: state.box.width * (0.5 + options.margin),
                radiusY: state.box.height * (0.5 + options.margin), style)
        }
    }

    /// Returns the face's outline, enlarged around its centre.
    private func outline(_ mesh: FaceMesh) -> [Point] {
        let points = MeshOutlines.face.map { mesh[$0] }
        let count = Double(points.count)
        let middle = Point(x: points.map(\.x).reduce(0, +) / count, y: points.map(\.y).reduce(0, +) / count)
        let factor = 1 + 2 * options.margin
        return points.map {
            Point(x: middle.x + ($0.x - middle.x) * factor, y: middle.y + ($0.y - middle.y) * factor)
        }
    }
}
