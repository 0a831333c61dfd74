internal import CCairo
public import VidscanBase

/// A transparent sheet over a part of a picture, to draw vectors, text and images on with Cairo.
///
/// One sheet is used over and over; its memory grows to the largest part that was drawn. Not for use by two threads.
public final class DrawingSurface {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var area = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    private var stride = 0
    private var surface: OpaquePointer?
    private var context: OpaquePointer?

    /// What its pixels are.
    public enum Content: Sendable {
        /// Colours with opacity, for a `PixelPatch`.
        case color
        /// Opacity alone, for a `PixelMask`.
        case opacity
    }

    private let content: Content

    public init(content: Content = .color) {
        self.content = content
        capacity = 1 << 16
        bytes = .allocate(capacity: capacity)
    }

    deinit {
        end()
        bytes.deallocate()
    }

    /// Begins anew with nothing drawn.
    ///
    /// - Parameters:
    ///   - area: in pixels of the picture; what is drawn outside is lost.
    ///   - scaleX, scaleY: pixels for each unit of the coordinates that are drawn with; their origin is the picture's.
    ///   - isFilled: the whole sheet opaque (white) to begin with.
    public func begin(_ area: PixelRectangle, scaleX: Double = 1, scaleY: Double = 1, isFilled: Bool = false) {
        end()
        self.area = area
        let pixelBytes = content == .color ? 4 : 1
        // Cairo wants rows to begin at multiples of four bytes.
        stride = (area.width * pixelBytes + 15) & ~15
        let count = stride * area.height
        if count > capacity {
            bytes.deallocate()
            capacity = count
            bytes = .allocate(capacity: count)
        }
        bytes.update(repeating: isFilled ? 255 : 0, count: count)
        surface = cairo_image_surface_create_for_data(
            bytes, content == .color ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_A8, Int32(area.width), Int32(area.height),
            Int32(stride))
        context = cairo_create(surface)
        cairo_translate(context, -Double(area.x), -Double(area.y))
        cairo_scale(context, scaleX, scaleY)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    }

    /// What has been drawn since `begin`, of a sheet of colours.
    public func patch() -> PixelPatch {
        cairo_surface_flush(surface)
        return PixelPatch(base: UnsafePointer(bytes), stride: stride, area: area)
    }

    /// What has been drawn since `begin`, of a sheet of opacity.
    public func mask() -> PixelMask {
        cairo_surface_flush(surface)
        return PixelMask(base: UnsafePointer(bytes), stride: stride, area: area)
    }

    private func end() {
        if let context { cairo_destroy(context) }
        if let surface { cairo_surface_destroy(surface) }
        (context, surface) = (nil, nil)
    }

    // MARK: Shapes

    /// How a shape is drawn.
    public enum Style: Sendable {
        case fill(Ink)
        case stroke(Ink, width: Double)
        /// Takes away what was drawn there.
        case erase
    }

    public func rectangle(_ rectangle: Rectangle, radius: Double = 0, _ style: Style) {
        let radius = min(radius, rectangle.width / 2, rectangle.height / 2)
        cairo_new_path(context)
        if radius > 0 {
            let (left, top) = (rectangle.x + radius, rectangle.y + radius)
            let (right, bottom) = (
                rectangle.x + rectangle.width - radius, rectangle.y + rectangle.height - radius
            )
            cairo_arc(context, right, top, radius, -.pi / 2, 0)
            cairo_arc(context, right, bottom, radius, 0, .pi / 2)
            cairo_arc(context, left, bottom, radius, .pi / 2, .pi)
            cairo_arc(context, left, top, radius, .pi, 3 * .pi / 2)
            cairo_close_path(context)
        } else {
            cairo_rectangle(context, rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        }
        draw(style)
    }

    /// - Parameter degrees: clockwise turn about its centre.
    public func ellipse(center: Point, radiusX: Double, radiusY: Double, degrees: Double = 0, _ style: Style) {
        guard radiusX > 0, radiusY > 0 else { return }
        cairo_new_path(context)
        cairo_save(context)
        cairo_translate(context, center.x, center.y)
        cairo_rotate(context, degrees * .pi / 180)
        cairo_scale(context, radiusX, radiusY)
        cairo_arc(context, 0, 0, 1, 0, 2 * .pi)
        cairo_close_path(context)
        cairo_restore(context)
        draw(style)
    }

    public func line(through points: some Sequence<Point>, closed: Bool = false, _ style: Style) {
        cairo_new_path(context)
        for point in points { cairo_line_to(context, point.x, point.y) }
        if closed { cairo_close_path(context) }
        draw(style)
    }

    /// Dots of one size, drawn at once.
    public func dots(at points: some Sequence<Point>, radius: Double, _ ink: Ink) {
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

    private func set(_ ink: Ink) {
        cairo_set_source_rgba(context, ink.red, ink.green, ink.blue, ink.opacity)
    }

    // MARK: Text

    /// What a text takes: how far the next one would begin, and the part above and below its line.
    public struct TextSize: Sendable {
        public let width: Double
        public let ascent: Double
        public let descent: Double
    }

    /// - Parameter size: of the font, in drawing units.
    public func measure(_ text: String, size: Double) -> TextSize {
        setFont(size)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        var font = cairo_font_extents_t()
        cairo_font_extents(context, &font)
        return TextSize(width: extents.x_advance, ascent: font.ascent, descent: font.descent)
    }

    /// - Parameter origin: left end of the line that the text stands on.
    public func text(_ text: String, at origin: Point, size: Double, _ ink: Ink) {
        setFont(size)
        set(ink)
        cairo_move_to(context, origin.x, origin.y)
        cairo_show_text(context, text)
    }

    private func setFont(_ size: Double) {
        cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(context, size)
    }

    // MARK: Images

    /// Draws a part of an image into a rectangle that is turned about a point.
    ///
    /// - Parameters:
    ///   - part: in the image's pixels.
    ///   - target: in drawing units, before the turn.
    ///   - pivot: what the turn leaves in place.
    ///   - degrees: clockwise.
    public func image(
        _ image: DrawnImage, part: Rectangle, target: Rectangle, pivot: Point, degrees: Double
    ) {
        guard part.width > 0, part.height > 0, target.width > 0, target.height > 0 else { return }
        cairo_save(context)
        cairo_translate(context, pivot.x, pivot.y)
        cairo_rotate(context, degrees * .pi / 180)
        cairo_translate(context, target.x - pivot.x, target.y - pivot.y)
        cairo_rectangle(context, 0, 0, target.width, target.height)
        cairo_clip(context)
        let (scaleX, scaleY) = (target.width / part.width, target.height / part.height)
        cairo_scale(context, scaleX, scaleY)
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

/// The drawing library that this process runs with.
public enum DrawingVersion {
    public static var cairo: String { String(cString: cairo_version_string()) }
}
