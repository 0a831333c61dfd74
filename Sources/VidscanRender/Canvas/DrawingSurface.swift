internal import CCairo
internal import VidscanBase
internal import VidscanMedia

/// A transparent surface over a region of a frame, on which Cairo draws. Grows to the largest region. Not thread-safe.
final class DrawingSurface {
    private var memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    private var area = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    private var stride = 0
    private var surface, context: OpaquePointer?

    private let isMask: Bool

    /// - Parameter isMask: whether it has only opacity.
    init(isMask: Bool = false) { self.isMask = isMask }

    deinit {
        end()
        memory.deallocate()
    }

    /// Starts a new drawing, whose coordinates have the frame's origin. `area`: in pixels of the frame; anything drawn
    /// outside is clipped. `scaleX`, `scaleY`: pixels per drawing unit. `isFilled`: starts opaque (white).
    func begin(_ area: PixelRectangle, scaleX: Double = 1, scaleY: Double = 1, isFilled: Bool = false) {
        end()
        self.area = area
        // Cairo requires rows that start at multiples of four bytes.
        stride = (area.width * (isMask ? 1 : 4) + 15) & ~15
        let count = stride * area.height
        if count > memory.count {
            memory.deallocate()
            memory = .allocate(capacity: count)
        }
        memory[..<count].update(repeating: isFilled ? 255 : 0)
        surface = cairo_image_surface_create_for_data(
            memory.baseAddress, isMask ? CAIRO_FORMAT_A8 : CAIRO_FORMAT_ARGB32, Int32(area.width), Int32(area.height),
            Int32(stride))
        context = cairo_create(surface)
        cairo_translate(context, -Double(area.x), -Double(area.y))
        cairo_scale(context, scaleX, scaleY)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    }

    /// What has been drawn since `begin`, until the next one.
    func patch() -> PixelPatch {
        cairo_surface_flush(surface)
        // If the mask cannot be drawn, the whole area is hidden. Cairo's limit is 32,767 pixels on either side.
        if isMask, cairo_status(context) != CAIRO_STATUS_SUCCESS { memory.update(repeating: 255) }
        // The memory is never empty.
        return PixelPatch(base: UnsafePointer(memory.baseAddress.unsafelyUnwrapped), stride: stride, area: area)
    }

    /// Draws over a part of a frame, in display pixels.
    func draw(on part: Rectangle, of frame: EditableFrame, _ draw: () -> Void) throws(MediaError) {
        guard let area = frame.pixels(covering: part) else { return }
        begin(area, scaleX: frame.scaleX, scaleY: frame.scaleY)
        draw()
        try frame.blend(patch())
    }

    private func end() {
        if let context { cairo_destroy(context) }
        if let surface { cairo_surface_destroy(surface) }
        (context, surface) = (nil, nil)
    }

    enum Style: Sendable { case fill(Ink), stroke(Ink, width: Double), erase }

    func rectangle(_ rectangle: Rectangle, radius: Double, _ style: Style) {
        let radius = min(radius, rectangle.width / 2, rectangle.height / 2)
        let (left, top) = (rectangle.x + radius, rectangle.y + radius)
        let (right, bottom) = (rectangle.x + rectangle.width - radius, rectangle.y + rectangle.height - radius)
        cairo_new_path(context)
        cairo_arc(context, right, top, radius, -.pi / 2, 0)
        cairo_arc(context, right, bottom, radius, 0, .pi / 2)
        cairo_arc(context, left, bottom, radius, .pi / 2, .pi)
        cairo_arc(context, left, top, radius, .pi, 3 * .pi / 2)
        cairo_close_path(context)
        draw(style)
    }

    func ellipse(center: Point, radiusX: Double, radiusY: Double, _ style: Style) {
        guard radiusX > 0, radiusY > 0 else { return }
        cairo_new_path(context)
        cairo_save(context)
        cairo_translate(context, center.x, center.y)
        cairo_scale(context, radiusX, radiusY)
        cairo_arc(context, 0, 0, 1, 0, 2 * .pi)
        cairo_close_path(context)
        cairo_restore(context)
        draw(style)
    }

    func line(through points: some Sequence<Point>, closed: Bool = false, _ style: Style) {
        cairo_new_path(context)
        for point in points { cairo_line_to(context, point.x, point.y) }
        if closed { cairo_close_path(context) }
        draw(style)
    }

    func dots(at points: some Sequence<Point>, radius: Double, _ ink: Ink) {
        cairo_new_path(context)
        for point in points {
            cairo_new_sub_path(context)
            cairo_arc(context, point.x, point.y, radius, 0, 2 * .pi)
        }
        draw(.fill(ink))
    }

    private func draw(_ style: Style) {
        switch style {
        case .fill(let ink):
            set(ink)
            cairo_fill(context)
        case .stroke(let ink, let width):
            set(ink)
            cairo_set_line_width(context, width)
            cairo_stroke(context)
        case .erase:
            cairo_set_operator(context, CAIRO_OPERATOR_CLEAR)
            cairo_fill(context)
            cairo_set_operator(context, CAIRO_OPERATOR_OVER)
        }
    }

    private func set(_ ink: Ink) { cairo_set_source_rgba(context, ink.red, ink.green, ink.blue, ink.opacity) }

    /// Returns the distance to the start of the next text, and the heights above and below the baseline. `size` is the
    /// font size in drawing units.
    func measure(_ text: String, size: Double) -> (width: Double, ascent: Double, descent: Double) {
        setFont(size)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        var font = cairo_font_extents_t()
        cairo_font_extents(context, &font)
        return (extents.x_advance, font.ascent, font.descent)
    }

    /// `origin` is the left end of the baseline.
    func text(_ text: String, at origin: Point, size: Double, _ ink: Ink) {
        setFont(size)
        set(ink)
        cairo_move_to(context, origin.x, origin.y)
        cairo_show_text(context, text)
    }

    private func setFont(_ size: Double) {
        cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(context, size)
    }

    /// `part` is in pixels of the image; `target` is in drawing units, before the clockwise rotation about `pivot`.
    func image(_ image: DrawnImage, part: Rectangle, target: Rectangle, pivot: Point, degrees: Double) {
        guard part.width > 0, part.height > 0, target.width > 0, target.height > 0 else { return }
        cairo_save(context)
        cairo_translate(context, pivot.x, pivot.y)
        cairo_rotate(context, degrees * .pi / 180)
        cairo_translate(context, target.x - pivot.x, target.y - pivot.y)
        cairo_rectangle(context, 0, 0, target.width, target.height)
        cairo_clip(context)
        cairo_scale(context, target.width / part.width, target.height / part.height)
        cairo_translate(context, -part.x, -part.y)
        var matrix = cairo_matrix_t()
        cairo_get_matrix(context, &matrix)
        let pixels = (matrix.xx * matrix.xx + matrix.yx * matrix.yx).squareRoot()
        let other = (matrix.xy * matrix.xy + matrix.yy * matrix.yy).squareRoot()
        image.setSource(of: context, pixelsPerImagePixel: max(pixels, other))
        cairo_paint(context)
        cairo_restore(context)
    }
}

package enum DrawingVersion { package static var cairo: String { String(cString: cairo_version_string()) } }

/// Components are in 0…1, and not premultiplied by the opacity.
struct Ink: Sendable, Hashable {
    var red, green, blue: Double
    var opacity = 1.0

    static let white = Ink(red: 1, green: 1, blue: 1)
    static let black = Ink(red: 0, green: 0, blue: 0)

    func faded(to opacity: Double) -> Ink { Ink(red: red, green: green, blue: blue, opacity: opacity) }
}

/// An image at successively halved sizes (mipmaps), so that a small one is fast and does not flicker. Not thread-safe.
final class DrawnImage {
    let size: PictureSize
    private var levels: [(surface: OpaquePointer?, size: PictureSize)] = []

    init(_ image: RasterImage) {
        size = image.size
        for level in sequence(first: image, next: { $0.size.shortSide > 2 ? $0.halved() : nil }) {
            let (width, height) = (Int32(level.size.width), Int32(level.size.height))
            let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height)
            // Its rows have no padding. `nil` if the image is too large for Cairo, which then draws nothing.
            cairo_image_surface_get_data(surface)?.update(from: level.bytes, count: level.bytes.count)
            cairo_surface_mark_dirty(surface)
            levels.append((surface, level.size))
        }
    }

    deinit { for level in levels { cairo_surface_destroy(level.surface) } }

    /// Puts the top left corner at the origin, with one unit per pixel. `pixelsPerImagePixel` is the drawing scale.
    func setSource(of context: OpaquePointer?, pixelsPerImagePixel: Double) {
        let wanted = (size.width > 0 && pixelsPerImagePixel > 0) ? 1 / pixelsPerImagePixel : 1
        let level = levels[levels.indices.last { Double(1 << $0) <= wanted } ?? 0]
        cairo_scale(
            context, Double(size.width) / Double(level.size.width), Double(size.height) / Double(level.size.height))
        cairo_set_source_surface(context, level.surface, 0, 0)
        let pattern = cairo_get_source(context)
        cairo_pattern_set_filter(pattern, CAIRO_FILTER_BILINEAR)
        cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
    }
}
