package import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

package final class OverlayPainter {
    private let style: OverlayStyle
    private let surface = DrawingSurface()
    private static let shadow = Ink.black.faded(to: 0.45)

    init(_ style: OverlayStyle) { self.style = style }

    /// In display pixels.
    private struct Sizes {
        let line, font, smallFont: Double
        let display: (width: Double, height: Double)

        init(_ face: FaceState, in frame: EditableFrame, scale: Double) {
            let side = Double(frame.displaySize.shortSide)
            // Minimum sizes keep lines and text visible in output videos of any height.
            let pixel = 1 / max(min(frame.scaleX, frame.scaleY), 1e-6)
            line = max(side / 300, 1.5 * pixel) * scale
            let minimum = max(side / 30, 10 * pixel)
            font = min(max(face.box.width * 0.13, minimum), max(side / 16, minimum)) * scale
            smallFont = max(font * 0.72, 9 * pixel * scale)
            display = (Double(frame.displaySize.width), Double(frame.displaySize.height))
        }
    }

    /// `trail` holds earlier positions, oldest first. Bars avoid the boxes of `others` where possible.
    func paint(_ face: FaceState, trail: [Point], others: [Rectangle], on frame: EditableFrame) throws(MediaError) {
        let sizes = Sizes(face, in: frame, scale: style.scale)
        let ink = Self.inks[(max(face.faceID, 1) - 1) % Self.inks.count]
        if style.elements.contains(.trail), trail.count > 1 { try paint(trail, ink, sizes, on: frame) }
        let reach = max(face.box.width, face.box.height) * 0.5 + 4 * sizes.line
        try surface.draw(on: face.box.grown(by: reach, reach), of: frame) {
            if style.elements.contains(.mesh), let mesh = face.mesh { draw(mesh, of: face, ink, sizes) }
            if style.elements.contains(.box) {
                let radius = min(face.box.width, face.box.height) * 0.06
                surface.rectangle(face.box, radius: radius, .stroke(Self.shadow, width: sizes.line * 2.2))
                surface.rectangle(face.box, radius: radius, .stroke(ink, width: sizes.line))
            }
            if style.elements.contains(.points) { draw(pointsOf: face, sizes) }
            if style.elements.contains(.axes) { draw(axesOf: face, sizes) }
        }
        // A surface of any size can measure text.
        surface.begin(PixelRectangle(x: 0, y: 0, width: 2, height: 2))
        try paintLabel(of: face, ink, sizes, on: frame)
        if style.elements.contains(.bars) { try paintBars(of: face, others: others, ink, sizes, on: frame) }
    }

    private func draw(pointsOf face: FaceState, _ sizes: Sizes) {
        let radius = face.box.width * 0.055
        let strokes: [DrawingSurface.Style] = [
            .stroke(Self.shadow, width: sizes.line * 1.8), .stroke(.white, width: sizes.line * 0.8),
        ]
        for (isLeft, eye) in [(true, face[.leftEye]), (false, face[.rightEye])] {
            guard let eye, Self.sees(leftEye: isLeft, of: face[.yaw]) else { continue }
            for stroke in strokes { surface.ellipse(center: eye, radiusX: radius, radiusY: radius, stroke) }
        }
        if let left = face[.leftMouthCorner], let right = face[.rightMouthCorner] {
            let line = face[.mouth].map { [right, $0, left] } ?? [right, left]
            for stroke in strokes { surface.line(through: line, stroke) }
        }
        if let nose = face[.nose] {
            surface.dots(at: [nose], radius: sizes.line * 1.3, Self.shadow)
            surface.dots(at: [nose], radius: sizes.line * 0.8, .white)
        }
    }

    private func draw(_ mesh: FaceMesh, of face: FaceState, _ ink: Ink, _ sizes: Sizes) {
        let width = max(sizes.line * 0.5, 0.6)
        surface.dots(at: (0..<468).map { mesh[$0] }, radius: width * 0.8, Ink.white.faded(to: 0.75))
        for outline in MeshOutlines.closed {
            surface.line(through: outline.map { mesh[$0] }, closed: true, .stroke(ink, width: width))
        }
        for outline in MeshOutlines.open { surface.line(through: outline.map { mesh[$0] }, .stroke(ink, width: width)) }
        for (isLeft, lids, center) in MeshOutlines.eyes where Self.sees(leftEye: isLeft, of: face[.yaw]) {
            surface.line(through: lids.map { mesh[$0] }, closed: true, .stroke(ink, width: width))
            let radius = (1...4).map { mesh.distance(center, center + $0) }.reduce(0, +) / 4
            surface.ellipse(center: mesh[center], radiusX: radius, radiusY: radius, .stroke(.white, width: width * 1.2))
            surface.dots(at: [mesh[center]], radius: width, .white)
        }
    }

    /// Whether the camera sees an eye of a head turned by this yaw. The mesh guesses the other one, often inside of the nearer one.
    package static func sees(leftEye isLeft: Bool, of yaw: Double?) -> Bool {
        guard let yaw, abs(yaw) > ExpressionLimits.maximumYaw else { return true }
        return isLeft == (yaw < 0)
    }

    /// Draws the head's own axes as the camera sees them: the columns of the rotation matrix given by yaw, pitch and roll.
    private func draw(axesOf face: FaceState, _ sizes: Sizes) {
        guard let yaw = face[.yaw], let pitch = face[.pitch], let roll = face[.roll], let origin = face[.nose] else {
            return
        }
        let (sy, cy) = (Trigonometry.sine(yaw), Trigonometry.cosine(yaw))
        let (sp, cp) = (Trigonometry.sine(pitch), Trigonometry.cosine(pitch))
        let (sr, cr) = (Trigonometry.sine(roll), Trigonometry.cosine(roll))
        let length = face.box.width * 0.45
        // x points right and y points down; roll is applied below.
        let axes: [(x: Double, y: Double, ink: Ink)] = [
            (cy, 0, Ink(red: 0.95, green: 0.25, blue: 0.2)),
            (-sy * sp, -cp, Ink(red: 0.3, green: 0.9, blue: 0.35)),
            (sy * cp, -sp, Ink(red: 0.3, green: 0.55, blue: 1)),
        ]
        for axis in axes {
            let tip = origin + Point(x: axis.x * cr - axis.y * sr, y: axis.x * sr + axis.y * cr) * length
            surface.line(through: [origin, tip], .stroke(Self.shadow, width: sizes.line * 2.2))
            surface.line(through: [origin, tip], .stroke(axis.ink, width: sizes.line * 1.3))
        }
    }

    private func paint(_ trail: [Point], _ ink: Ink, _ sizes: Sizes, on frame: EditableFrame) throws(MediaError) {
        try surface.draw(on: Rectangle(around: trail).grown(by: 2 * sizes.line, 2 * sizes.line), of: frame) {
            for index in 1..<trail.count {
                let age = Double(index) / Double(trail.count - 1)
                surface.line(
                    through: [trail[index - 1], trail[index]],
                    .stroke(ink.faded(to: 0.15 + 0.75 * age), width: sizes.line * (0.5 + 0.9 * age)))
            }
        }
    }

    private func paintLabel(
        of face: FaceState, _ ink: Ink, _ sizes: Sizes, on frame: EditableFrame
    ) throws(MediaError) {
        let number = style.elements.contains(.id) ? "\(face.faceID)" : nil
        var words: [String] = []
        if style.elements.contains(.emoji), let emoji = face.emoji { words.append(emoji) }
        let emotion = Metric.likeliest(of: Metric.namedEmotions) { face[.metric($0)] }
        if style.elements.contains(.emotion), let emotion {
            words.append("\(emotion.metric.rawValue) \(Int(emotion.score.rounded()))")
        }
        let text = words.joined(separator: " ")
        guard number != nil || !text.isEmpty else { return }
        let padding = sizes.font * 0.3
        let measured = surface.measure(text.isEmpty ? "0" : text, size: sizes.font)
        let numberWidth = number.map { surface.measure($0, size: sizes.font).width + 2 * padding } ?? 0
        let width = numberWidth + (text.isEmpty ? 0 : measured.width + 2 * padding)
        let height = measured.ascent + measured.descent + padding * 0.6
        // Above the box, or inside it at the top of the frame.
        var y = face.box.y - height - sizes.line
        if y < 0 { y = face.box.y + sizes.line }
        let x = min(max(face.box.x - sizes.line / 2, 0), max(0, sizes.display.width - width))
        let bounds = Rectangle(
            x: x, y: min(max(y, 0), max(0, sizes.display.height - height)), width: width, height: height)
        let base = bounds.y + padding * 0.3 + measured.ascent
        try surface.draw(on: bounds, of: frame) {
            let radius = sizes.font * 0.22
            surface.rectangle(bounds, radius: radius, .fill(Ink.black.faded(to: 0.62)))
            if let number {
                let part = Rectangle(x: x, y: bounds.y, width: numberWidth, height: height)
                surface.rectangle(part, radius: radius, .fill(ink))
                surface.text(number, at: Point(x: x + padding, y: base), size: sizes.font, Ink.black.faded(to: 0.9))
            }
            surface.text(text, at: Point(x: x + numberWidth + padding, y: base), size: sizes.font, .white)
        }
    }

    private func paintBars(
        of face: FaceState, others: [Rectangle], _ ink: Ink, _ sizes: Sizes, factor: Double = 1, on frame: EditableFrame
    ) throws(MediaError) {
        let values = style.bars.compactMap { metric in face[.metric(metric)].map { (metric, $0) } }
        guard !values.isEmpty else { return }
        let names = values.map { $0.0.rawValue.split(separator: "_").joined(separator: " ") }
        let font = sizes.smallFont * factor
        let measured = names.map { surface.measure($0, size: font) }
        let padding = font * 0.4
        let line = (measured.first.map { $0.ascent + $0.descent } ?? font) + font * 0.3
        let (barLength, nameWidth) = (font * 4, measured.map(\.width).max() ?? 0)
        let place = Self.place(
            width: nameWidth + barLength + 3 * padding, height: line * Double(values.count) + padding,
            beside: face.box, gap: sizes.line * 1.5, others: others, in: sizes.display)
        guard let bounds = place else {
            if factor > 0.7 { try paintBars(of: face, others: others, ink, sizes, factor: factor * 0.8, on: frame) }
            return
        }
        try surface.draw(on: bounds, of: frame) {
            surface.rectangle(bounds, radius: font * 0.3, .fill(Ink.black.faded(to: 0.5)))
            for (index, (metric, value)) in values.enumerated() {
                let top = bounds.y + padding / 2 + Double(index) * line
                surface.text(
                    names[index], at: Point(x: bounds.x + padding, y: top + measured[index].ascent + font * 0.15),
                    size: font, .white)
                let track = Rectangle(
                    x: bounds.x + nameWidth + 2 * padding, y: top + line * 0.3, width: barLength, height: line * 0.4)
                surface.rectangle(track, radius: track.height / 2, .fill(Ink.white.faded(to: 0.25)))
                let bar = Self.bar(of: metric, value, in: track)
                if bar.width > 0 { surface.rectangle(bar, radius: track.height / 2, .fill(ink)) }
            }
        }
    }

    /// Where a panel covers no face of `others`: on either side of the box, below it, or over its lower part; `nil` without room.
    package static func place(
        width: Double, height: Double, beside box: Rectangle, gap: Double, others: [Rectangle],
        in display: (width: Double, height: Double)
    ) -> Rectangle? {
        let left = min(max(box.x, 0), max(0, display.width - width))
        let top = min(max(box.y, 0), max(0, display.height - height))
        let foot = box.y + box.height
        let corners = [
            (box.x + box.width + gap, top), (box.x - width - gap, top), (left, foot + gap),
            (left, max(0, min(foot, display.height) - height)),
        ]
        return corners.map { Rectangle(x: $0.0, y: $0.1, width: width, height: height) }.first { panel in
            panel.x >= 0 && panel.y >= 0 && panel.x + width <= display.width && panel.y + height <= display.height
                && others.allSatisfy { $0.intersectionArea(with: panel) == 0 }
        }
    }

    /// Bars grow from the left for ranges such as 0…100, and from the middle for metrics that can be negative.
    private static func bar(of metric: Metric, _ value: Double, in track: Rectangle) -> Rectangle {
        let (low, room) = metric.values.lowerBound < 0 ? (-1.0, track.width / 2) : (0, track.width)
        let length = min(max(value / metric.values.upperBound, low), 1) * room
        let start = track.x + track.width - room
        return Rectangle(x: start + min(length, 0), y: track.y, width: abs(length), height: track.height)
    }

    /// Bright colours that people with colour vision deficiency can tell apart too (after Okabe and Ito, 2008).
    private static let inks = [
        Ink(red: 0.34, green: 0.77, blue: 1.0), Ink(red: 1.0, green: 0.70, blue: 0.1),
        Ink(red: 0.2, green: 0.85, blue: 0.62), Ink(red: 0.98, green: 0.55, blue: 0.78),
        Ink(red: 0.98, green: 0.93, blue: 0.3), Ink(red: 1.0, green: 0.5, blue: 0.28),
        Ink(red: 0.62, green: 0.65, blue: 1.0), Ink(red: 0.9, green: 0.9, blue: 0.9),
    ]
}

/// Outlines in MediaPipe's mesh, as point indices. Left and right are the subject's own.
enum MeshOutlines {
    static let face = [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
        150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
    ]

    static let closed = [
        face,
        // Lips: outer and inner outline.
        [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185],
        [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191],
    ]

    static let open = [
        // Eyebrows.
        [276, 283, 282, 295, 285], [300, 293, 334, 296, 336], [46, 53, 52, 65, 55], [70, 63, 105, 66, 107],
        // Bridge of the nose.
        [168, 6, 197, 195, 5, 4, 1],
    ]

    /// The lids, and the centre of the iris, whose rim is the next four points.
    static let eyes: [(isLeft: Bool, lids: [Int], iris: Int)] = [
        (true, [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466], MeshPoint.leftIris),
        (false, [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246], MeshPoint.rightIris),
    ]
}
