internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// Draws the measurements of a face on a frame: box, label, landmarks, mesh, axes, trail and bars.
final class OverlayPainter {
    private let style: OverlayStyle
    private let surface = DrawingSurface()

    init(_ style: OverlayStyle) {
        self.style = style
    }

    /// Returns the parts of a result that a style draws.
    static func needs(of style: OverlayStyle) -> FaceTimeline.Needs {
        var needs = FaceTimeline.Needs()
        if style.elements.contains(.emotion) { needs.metrics.formUnion(Metric.namedEmotions) }
        if style.elements.contains(.bars) { needs.metrics.formUnion(style.bars) }
        needs.mesh = style.elements.contains(.mesh)
        if style.elements.contains(.trail) { needs.behindSeconds = style.trailSeconds }
        return needs
    }

    /// Sizes that suit one face in one frame, in display pixels.
    private struct Sizes {
        /// The line width.
        let line: Double
        /// The font size of the label.
        let font: Double
        /// The font size of the bars.
        let smallFont: Double
        let display: Rectangle

        init(_ face: FaceState, in frame: EditableFrame, scale: Double) {
            let side = Double(frame.displaySize.shortSide)
            // The minimum sizes keep lines and text visible in output videos of any height.
            let pixel = 1 / max(min(frame.scaleX, frame.scaleY), 1e-6)
            line = max(side / 300, 1.5 * pixel) * scale
            let minimum = max(side / 30, 10 * pixel)
            font = min(max(face.box.width * 0.13, minimum), max(side / 16, minimum)) * scale
            smallFont = max(font * 0.72, 9 * pixel * scale)
            display = Rectangle(
                x: 0, y: 0, width: Double(frame.displaySize.width), height: Double(frame.displaySize.height))
        }
    }

    /// Draws one face.
    ///
    /// - Parameters:
    ///   - trail: The earlier positions of the face, oldest first.
    ///   - others: The boxes of the other faces. Bars avoid them where possible.
    func paint(
        _ face: FaceState, trail: [Point], others: [Rectangle], on frame: EditableFrame
    ) throws(MediaError) {
        let sizes = Sizes(face, in: frame, scale: style.scale)
        let ink = Self.inks[(max(face.faceID, 1) - 1) % Self.inks.count]
        if style.elements.contains(.trail), trail.count > 1 { try paint(trail, ink, sizes, on: frame) }
        // Everything else lies around the box.
        let reach = max(face.box.width, face.box.height) * 0.5 + 4 * sizes.line
        try drawLayer(Self.grown(face.box, by: reach), on: frame) {
            if style.elements.contains(.mesh), let mesh = face.mesh { draw(mesh, ink, sizes) }
            if style.elements.contains(.box) { draw(box: face.box, ink, sizes) }
            if style.elements.contains(.points) { draw(pointsOf: face, ink, sizes) }
            if style.elements.contains(.axes) { draw(axesOf: face, sizes) }
        }
        // Text can be measured on a surface of any size.
        surface.begin(PixelRectangle(x: 0, y: 0, width: 2, height: 2))
        if let plate = label(of: face, sizes) {
            try drawLayer(plate.bounds, on: frame) { draw(plate, ink, sizes) }
        }
        if style.elements.contains(.bars) { try paintBars(of: face, others: others, ink, sizes, on: frame) }
    }

    /// Draws on a region of the frame. The region is in display pixels.
    private func drawLayer(
        _ part: Rectangle, on frame: EditableFrame, _ draw: () -> Void
    ) throws(MediaError) {
        guard let area = frame.pixels(covering: part) else { return }
        surface.begin(area, scaleX: frame.scaleX, scaleY: frame.scaleY)
        draw()
        try frame.blend(surface.patch())
    }

    // MARK: On the face

    private func draw(box: Rectangle, _ ink: Ink, _ sizes: Sizes) {
        let radius = min(box.width, box.height) * 0.06
        surface.rectangle(box, radius: radius, .stroke(Ink.black.faded(to: 0.45), width: sizes.line * 2.2))
        surface.rectangle(box, radius: radius, .stroke(ink, width: sizes.line))
    }

    private func draw(pointsOf face: FaceState, _ ink: Ink, _ sizes: Sizes) {
        let shadow = Ink.black.faded(to: 0.45)
        let radius = face.box.width * 0.055
        for eye in [face[.leftEye], face[.rightEye]].compactMap({ $0 }) {
            surface.ellipse(
                center: eye, radiusX: radius, radiusY: radius, .stroke(shadow, width: sizes.line * 1.8))
            surface.ellipse(center: eye, radiusX: radius, radiusY: radius, .stroke(.white, width: sizes.line * 0.8))
        }
        if let left = face[.leftMouthCorner], let right = face[.rightMouthCorner] {
            let line = face[.mouth].map { [right, $0, left] } ?? [right, left]
            surface.line(through: line, .stroke(shadow, width: sizes.line * 1.8))
            surface.line(through: line, .stroke(.white, width: sizes.line * 0.8))
        }
        if let nose = face[.nose] {
            surface.dots(at: [nose], radius: sizes.line * 1.3, shadow)
            surface.dots(at: [nose], radius: sizes.line * 0.8, .white)
        }
    }

    private func draw(_ mesh: FaceMesh, _ ink: Ink, _ sizes: Sizes) {
        let width = max(sizes.line * 0.5, 0.6)
        surface.dots(at: (0..<468).map { mesh[$0] }, radius: width * 0.8, Ink.white.faded(to: 0.75))
        for outline in MeshOutlines.closed {
            surface.line(through: outline.map { mesh[$0] }, closed: true, .stroke(ink, width: width))
        }
        for outline in MeshOutlines.open {
            surface.line(through: outline.map { mesh[$0] }, .stroke(ink, width: width))
        }
        for (center, rim) in MeshOutlines.irises {
            let radius = rim.map { mesh.distance(center, $0) }.reduce(0, +) / Double(rim.count)
            surface.ellipse(
                center: mesh[center], radiusX: radius, radiusY: radius, .stroke(.white, width: width * 1.2))
            surface.dots(at: [mesh[center]], radius: width, .white)
        }
    }

    /// Draws the head's own axes as the camera sees them: the columns of the rotation matrix given by yaw, pitch and
    /// roll.
    private func draw(axesOf face: FaceState, _ sizes: Sizes) {
        guard let yaw = face[.yaw], let pitch = face[.pitch], let roll = face[.roll], let origin = face[.nose] else {
            return
        }
        let (sy, cy) = (Trigonometry.sine(yaw), Trigonometry.cosine(yaw))
        let (sp, cp) = (Trigonometry.sine(pitch), Trigonometry.cosine(pitch))
        let (sr, cr) = (Trigonometry.sine(roll), Trigonometry.cosine(roll))
        let length = face.box.width * 0.45
        // x points right and y points down; the roll is applied below.
        let axes: [(x: Double, y: Double, ink: Ink)] = [
            (cy, 0, Ink(red: 0.95, green: 0.25, blue: 0.2)),
            (-sy * sp, -cp, Ink(red: 0.3, green: 0.9, blue: 0.35)),
            (sy * cp, -sp, Ink(red: 0.3, green: 0.55, blue: 1)),
        ]
        for axis in axes {
            let tip = Point(
                x: origin.x + (axis.x * cr - axis.y * sr) * length, y: origin.y + (axis.x * sr + axis.y * cr) * length)
            surface.line(through: [origin, tip], .stroke(Ink.black.faded(to: 0.45), width: sizes.line * 2.2))
            surface.line(through: [origin, tip], .stroke(axis.ink, width: sizes.line * 1.3))
        }
    }

    private func paint(
        _ trail: [Point], _ ink: Ink, _ sizes: Sizes, on frame: EditableFrame
    ) throws(MediaError) {
        let (xs, ys) = (trail.map(\.x), trail.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return }
        let part = Rectangle(x: left, y: top, width: right - left, height: bottom - top)
        try drawLayer(Self.grown(part, by: 2 * sizes.line), on: frame) {
            for index in 1..<trail.count {
                let age = Double(index) / Double(trail.count - 1)
                surface.line(
                    through: [trail[index - 1], trail[index]],
                    .stroke(ink.faded(to: 0.15 + 0.75 * age), width: sizes.line * (0.5 + 0.9 * age)))
            }
        }
    }

    // MARK: Label

    private struct Plate {
        let bounds: Rectangle
        let chip: String?
        let chipWidth: Double
        let text: String
        let ascent: Double
        let padding: Double
    }

    private func label(of face: FaceState, _ sizes: Sizes) -> Plate? {
        let chip = style.elements.contains(.id) ? "\(face.faceID)" : nil
        var words: [String] = []
        if style.elements.contains(.emoji), let emoji = face.emoji { words.append(emoji) }
        if style.elements.contains(.emotion), let emotion = Self.dominantEmotion(of: face) { words.append(emotion) }
        let text = words.joined(separator: " ")
        guard chip != nil || !text.isEmpty else { return nil }
        let padding = sizes.font * 0.3
        let measured = surface.measure(text.isEmpty ? "0" : text, size: sizes.font)
        let chipWidth = chip.map { surface.measure($0, size: sizes.font).width + 2 * padding } ?? 0
        let width = chipWidth + (text.isEmpty ? 0 : measured.width + 2 * padding)
        let height = measured.ascent + measured.descent + padding * 0.6
        // The label goes above the box, or inside it at the top of the frame.
        var y = face.box.y - height - sizes.line
        if y < 0 { y = face.box.y + sizes.line }
        let x = min(max(face.box.x - sizes.line / 2, 0), max(0, sizes.display.width - width))
        return Plate(
            bounds: Rectangle(
                x: x, y: min(max(y, 0), max(0, sizes.display.height - height)), width: width, height: height),
            chip: chip, chipWidth: chipWidth, text: text, ascent: measured.ascent, padding: padding)
    }

    private func draw(_ plate: Plate, _ ink: Ink, _ sizes: Sizes) {
        let radius = sizes.font * 0.22
        surface.rectangle(plate.bounds, radius: radius, .fill(Ink.black.faded(to: 0.62)))
        let base = plate.bounds.y + plate.padding * 0.3 + plate.ascent
        if let chip = plate.chip {
            surface.rectangle(
                Rectangle(
                    x: plate.bounds.x, y: plate.bounds.y, width: plate.chipWidth, height: plate.bounds.height),
                radius: radius, .fill(ink))
            surface.text(
                chip, at: Point(x: plate.bounds.x + plate.padding, y: base), size: sizes.font, Ink.black.faded(to: 0.9))
        }
        surface.text(
            plate.text, at: Point(x: plate.bounds.x + plate.chipWidth + plate.padding, y: base), size: sizes.font,
            .white
        )
    }

    /// Returns the likeliest emotion and its score, for example `joy 87`; `nil` if no emotion is likely.
    static func dominantEmotion(of face: FaceState) -> String? {
        Metric.likeliest(of: Metric.namedEmotions) { face[.metric($0)] }.map {
            "\($0.metric.rawValue) \(Int($0.score.rounded()))"
        }
    }

    // MARK: Bars

    private func paintBars(
        of face: FaceState, others: [Rectangle], _ ink: Ink, _ sizes: Sizes, on frame: EditableFrame
    ) throws(MediaError) {
        let values = style.bars.compactMap { metric in face[.metric(metric)].map { (metric, $0) } }
        guard !values.isEmpty else { return }
        let font = sizes.smallFont
        let names = values.map { $0.0.rawValue.split(separator: "_").joined(separator: " ") }
        let measured = names.map { surface.measure($0, size: font) }
        let padding = font * 0.4
        let line = (measured.first.map { $0.ascent + $0.descent } ?? font) + font * 0.3
        let barLength = font * 4
        let nameWidth = measured.map(\.width).max() ?? 0
        let width = nameWidth + barLength + 3 * padding
        let height = line * Double(values.count) + padding
        // The bars go to the right or left of the box, preferably where no other face is. If there is room on neither
        // side, they go over the lower part of the box.
        let gap = sizes.line * 1.5
        let top = min(max(face.box.y, 0), max(0, sizes.display.height - height))
        let sides = [face.box.x + face.box.width + gap, face.box.x - width - gap].map {
            Rectangle(x: $0, y: top, width: width, height: height)
        }.filter { $0.x >= 0 && $0.x + width <= sizes.display.width }
        let foot = Rectangle(
            x: min(max(face.box.x, 0), max(0, sizes.display.width - width)),
            y: max(0, min(face.box.y + face.box.height, sizes.display.height) - height), width: width, height: height)
        let bounds =
            sides.first { side in others.allSatisfy { $0.intersectionArea(with: side) == 0 } } ?? sides.first ?? foot
        try drawLayer(bounds, on: frame) {
            surface.rectangle(bounds, radius: font * 0.3, .fill(Ink.black.faded(to: 0.5)))
            for (index, (metric, value)) in values.enumerated() {
                let top = bounds.y + padding / 2 + Double(index) * line
                surface.text(
                    names[index], at: Point(x: bounds.x + padding, y: top + measured[index].ascent + font * 0.15),
                    size: font,
                    .white)
                let track = Rectangle(
                    x: bounds.x + nameWidth + 2 * padding, y: top + line * 0.3, width: barLength, height: line * 0.4)
                surface.rectangle(track, radius: track.height / 2, .fill(Ink.white.faded(to: 0.25)))
                let bar = Self.bar(of: metric, value, in: track)
                if bar.width > 0 { surface.rectangle(bar, radius: track.height / 2, .fill(ink)) }
            }
        }
    }

    /// Returns the filled part of a bar. It grows from the left for ranges such as 0…100, and from the middle for
    /// metrics that can be negative.
    private static func bar(of metric: Metric, _ value: Double, in track: Rectangle) -> Rectangle {
        let maximum = metric.values.upperBound
        let share = min(max(value / maximum, -1), 1)
        guard metric.values.lowerBound < 0 else {
            return Rectangle(x: track.x, y: track.y, width: max(0, share) * track.width, height: track.height)
        }
        let middle = track.x + track.width / 2
        let length = abs(share) * track.width / 2
        return Rectangle(x: share < 0 ? middle - length : middle, y: track.y, width: length, height: track.height)
    }

    private static func grown(_ rectangle: Rectangle, by margin: Double) -> Rectangle {
        Rectangle(
            x: rectangle.x - margin, y: rectangle.y - margin, width: rectangle.width + 2 * margin,
            height: rectangle.height + 2 * margin)
    }

    /// Bright colours that people with colour vision deficiency can tell apart too (after Okabe and Ito, 2008).
    private static let inks = [
        Ink(red: 0.34, green: 0.77, blue: 1.0), Ink(red: 1.0, green: 0.70, blue: 0.1),
        Ink(red: 0.2, green: 0.85, blue: 0.62), Ink(red: 0.98, green: 0.55, blue: 0.78),
        Ink(red: 0.98, green: 0.93, blue: 0.3), Ink(red: 1.0, green: 0.5, blue: 0.28),
        Ink(red: 0.62, green: 0.65, blue: 1.0), Ink(red: 0.9, green: 0.9, blue: 0.9),
    ]
}
