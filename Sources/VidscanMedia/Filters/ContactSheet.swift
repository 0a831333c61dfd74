internal import CFFmpeg
public import VidscanBase

/// A PNG that shows several images side by side, each under a title.
public struct ContactSheet: Sendable {
    public struct Panel: Sendable {
        public var frame: SampledFrame
        public var title: String
        /// In smaller type below the title.
        public var detail: String
        /// Boxes that are outlined, in display pixels.
        public var marks: [Rectangle]

        public init(frame: SampledFrame, title: String, detail: String, marks: [Rectangle] = []) {
            self.frame = frame
            self.title = title
            self.detail = detail
            self.marks = marks
        }
    }

    /// Pixels.
    private enum Layout {
        static let imageWidth = 480
        static let maximumImageHeight = 640
        static let margin = 16
        static let titleHeight = 24
        static let detailLineHeight = 17
        /// Characters in small type on one line.
        static let lineLength = 66
        static let maximumDetailLines = 3
        static let background = "0x1c1e22"
        static let backgroundBytes: (UInt8, UInt8, UInt8) = (0x1c, 0x1e, 0x22)
    }

    /// A cell of one row, as high as the highest image of the row needs. In pixels.
    private struct Cell {
        var labelHeight: Int
        var imageHeight: Int
        var height: Int { labelHeight + imageHeight }
    }

    private let panels: [Panel]

    /// - Parameter panels: at least one.
    public init(_ panels: [Panel]) {
        self.panels = panels
    }

    /// - Returns: the bytes of a PNG file.
    /// - Throws: `MediaError` when an image cannot be converted, a text cannot be drawn, or FFmpeg has no PNG encoder.
    public func png() throws(MediaError) -> [UInt8] {
        let columns = panels.count <= 2 ? max(1, panels.count) : panels.count <= 4 ? 2 : 3
        let rows = (panels.count + columns - 1) / columns
        let details = panels.map { Self.wrapped($0.detail) }
        let sizes = panels.map { Self.fitted($0.frame.geometry.displaySize) }
        let cells = (0..<rows).map { row in
            let members = row * columns..<min(panels.count, (row + 1) * columns)
            let label = Layout.titleHeight + (details[members].map(\.count).max() ?? 0) * Layout.detailLineHeight + 6
            return Cell(labelHeight: label, imageHeight: sizes[members].map(\.height).max() ?? 2)
        }
        let sheet = try Self.canvas(
            PictureSize(
                width: columns * (Layout.imageWidth + Layout.margin) + Layout.margin,
                height: cells.reduce(Layout.margin) { $0 + $1.height + Layout.margin }))
        var top = Layout.margin
        for (number, panel) in panels.enumerated() {
            let cell = cells[number / columns]
            let rendered = try Self.render(panel, picture: sizes[number], cell: cell, detail: details[number])
            Self.copy(
                rendered, to: sheet, x: Layout.margin + number % columns * (Layout.imageWidth + Layout.margin), y: top
            )
            if number % columns == columns - 1 { top += cell.height + Layout.margin }
        }
        return try Self.encode(sheet)
    }

    // MARK: Panels

    private static func fitted(_ size: PictureSize) -> PictureSize {
        let scale = min(
            Double(Layout.imageWidth) / Double(size.width), Double(Layout.maximumImageHeight) / Double(size.height))
        return PictureSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded())))
    }

    private static func wrapped(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        var lines: [String] = []
        var rest = text[...]
        while !rest.isEmpty, lines.count < Layout.maximumDetailLines {
            lines.append(String(rest.prefix(Layout.lineLength)))
            rest = rest.dropFirst(Layout.lineLength)
        }
        if !rest.isEmpty, let last = lines.popLast() { lines.append(last.dropLast() + "…") }
        return lines
    }

    /// One panel, upright, as rgb24, in the size of the cell.
    private static func render(
        _ panel: Panel, picture: PictureSize, cell: Cell, detail: [String]
    ) throws(MediaError) -> Frame {
        let display = panel.frame.geometry.displaySize
        let left = (Layout.imageWidth - picture.width) / 2
        var filters: [FilterCall] = [
            FilterCall(
                "scale",
                [
                    ("w", "\(picture.width)"), ("h", "\(picture.height)"),
                    ("flags", "bicubic+accurate_rnd+full_chroma_int"),
                ]
            ),
            FilterCall("setsar", [("sar", "1")]), FilterCall("format", [("pix_fmts", "rgb24")]),
            FilterCall(
                "pad",
                [
                    ("w", "\(Layout.imageWidth)"), ("h", "\(cell.height)"), ("x", "\(left)"),
                    ("y", "\(cell.labelHeight)"),
                    ("color", Layout.background),
                ]
            ),
        ]
        let (scaleX, scaleY) = (
            Double(picture.width) / Double(display.width), Double(picture.height) / Double(display.height)
        )
        for mark in panel.marks {
            filters.append(
                FilterCall(
                    "drawbox",
                    [
                        ("x", "\(left + Int((mark.x * scaleX).rounded()))"),
                        ("y", "\(cell.labelHeight + Int((mark.y * scaleY).rounded()))"),
                        ("w", "\(max(4, Int((mark.width * scaleX).rounded())))"),
                        ("h", "\(max(4, Int((mark.height * scaleY).rounded())))"), ("color", "0x59d36b"), ("t", "2"),
                    ]
                ))
        }
        let facts = "\(display)  \(panel.frame.pixelFormatName)"
        filters.append(text(panel.title, x: "0", baseline: 16, size: 16, color: "white"))
        filters.append(text(facts, x: "w-tw", baseline: 16, size: 12, color: "0x8d939c"))
        for (number, line) in detail.enumerated() {
            filters.append(
                text(
                    line, x: "0", baseline: Layout.titleHeight + 12 + number * Layout.detailLineHeight, size: 13,
                    color: "0xb9c0c9"))
        }
        do {
            return try run(filters, on: panel.frame)
        } catch {
            throw MediaError(
                .filter,
                "cannot draw the contact sheet: \(error.reason)"
                    + " (its text needs the font DejaVu Sans, from the package fonts-dejavu-core)")
        }
    }

    private static func text(
        _ text: String, x: String, baseline: Int, size: Int, color: String
    ) -> FilterCall {
        let printable = text.filter { !$0.isNewline }
        return FilterCall(
            "drawtext",
            [
                ("font", "DejaVu Sans"), ("text", printable.isEmpty ? " " : printable), ("expansion", "none"), ("x", x),
                ("y", "\(baseline)-ascent"), ("fontsize", "\(size)"), ("fontcolor", color),
            ]
        )
    }

    private static func run(_ filters: [FilterCall], on sample: SampledFrame) throws(MediaError) -> Frame {
        let frame = try Frame(sharing: sample.frame)
        frame.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
        frame.pts = 0
        let graph = try FilterGraph(
            filters,
            input: FilterInput(
                size: sample.geometry.codedSize, pixelFormat: frame.pixelFormat, timeBase: .one, pixelAspect: (1, 1),
                frameRate: nil, orientation: sample.geometry.orientation, colorSpace: frame.colorspace,
                colorRange: frame.color_range), threads: 1)
        try graph.push(frame)
        try graph.pushEnd()
        guard let output = try graph.pull() else { throw MediaError(.filter, "no output frame") }
        return output
    }

    // MARK: Sheet

    private static func canvas(_ size: PictureSize) throws(MediaError) -> Frame {
        let frame = try Frame.allocate(size, AV_PIX_FMT_RGB24)
        guard let pixels = frame.data.0 else { throw .outOfMemory }
        for row in 0..<size.height {
            let line = pixels + row * Int(frame.linesize.0)
            for column in 0..<size.width {
                (line[3 * column], line[3 * column + 1], line[3 * column + 2]) = Layout.backgroundBytes
            }
        }
        return frame
    }

    private static func copy(_ source: borrowing Frame, to target: borrowing Frame, x: Int, y: Int) {
        guard let from = source.data.0, let into = target.data.0 else { return }
        for row in 0..<source.size.height {
            let line = into + (y + row) * Int(target.linesize.0) + 3 * x
            line.update(from: from + row * Int(source.linesize.0), count: 3 * source.size.width)
        }
    }

    private static func encode(_ frame: borrowing Frame) throws(MediaError) -> [UInt8] {
        guard let encoder = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw MediaError(.unsupportedCodec, "cannot write a PNG: this FFmpeg has no PNG encoder")
        }
        let context = try CodecContext(encoder)
        context.pix_fmt = AV_PIX_FMT_RGB24
        context.width = frame.width
        context.height = frame.height
        context.time_base = AVRational(num: 1, den: 1)
        try context.open("cannot write a PNG")
        frame.pts = 0
        return try context.encode(frame, "cannot write a PNG")
    }
}
