internal import CFFmpeg
public import VidscanBase

/// Pictures side by side on one, each under its name, as a PNG.
public struct ContactSheet: Sendable {
    public struct Panel: Sendable {
        public var frame: SampledFrame
        public var title: String
        /// Smaller, below the title.
        public var detail: String
        /// Boxes to mark, in display pixels.
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
        static let pictureWidth = 480
        static let tallestPicture = 640
        static let margin = 16
        static let titleHeight = 24
        static let detailLineHeight = 17
        /// Characters of the small type that fit on a line.
        static let lineLength = 66
        static let mostDetailLines = 3
        static let background = "0x1c1e22"
        static let backgroundBytes: (UInt8, UInt8, UInt8) = (0x1c, 0x1e, 0x22)
    }

    /// Of one row; as tall as the tallest of its pictures needs.
    private struct Cell {
        var labelHeight: Int
        var pictureHeight: Int
        var height: Int { labelHeight + pictureHeight }
    }

    private let panels: [Panel]

    /// - Parameter panels: at least one.
    public init(_ panels: [Panel]) {
        self.panels = panels
    }

    /// - Returns: the bytes of a PNG file.
    /// - Throws: `MediaError` when a picture cannot be converted, the labels cannot be drawn, or FFmpeg has no PNG encoder.
    public func png() throws(MediaError) -> [UInt8] {
        let columns = panels.count <= 2 ? max(1, panels.count) : panels.count <= 4 ? 2 : 3
        let rows = (panels.count + columns - 1) / columns
        let details = panels.map { Self.wrapped($0.detail) }
        let sizes = panels.map { Self.fitted($0.frame.geometry.displaySize) }
        let cells = (0..<rows).map { row in
            let members = row * columns..<min(panels.count, (row + 1) * columns)
            let label = Layout.titleHeight + (details[members].map(\.count).max() ?? 0) * Layout.detailLineHeight + 6
            return Cell(labelHeight: label, pictureHeight: sizes[members].map(\.height).max() ?? 2)
        }
        let sheet = try Self.canvas(
            PictureSize(
                width: columns * (Layout.pictureWidth + Layout.margin) + Layout.margin,
                height: cells.reduce(Layout.margin) { $0 + $1.height + Layout.margin }))
        var owned: UnsafeMutablePointer<AVFrame>? = sheet
        defer { av_frame_free(&owned) }
        var top = Layout.margin
        for (number, panel) in panels.enumerated() {
            let cell = cells[number / columns]
            let rendered = try Self.render(panel, picture: sizes[number], cell: cell, detail: details[number])
            var cellFrame: UnsafeMutablePointer<AVFrame>? = rendered
            defer { av_frame_free(&cellFrame) }
            Self.copy(
                rendered, to: sheet, x: Layout.margin + number % columns * (Layout.pictureWidth + Layout.margin), y: top
            )
            if number % columns == columns - 1 { top += cell.height + Layout.margin }
        }
        return try Self.encode(sheet)
    }

    // MARK: Panels

    private static func fitted(_ size: PictureSize) -> PictureSize {
        let scale = min(
            Double(Layout.pictureWidth) / Double(size.width), Double(Layout.tallestPicture) / Double(size.height))
        return PictureSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded())))
    }

    private static func wrapped(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        var lines: [String] = []
        var rest = text[...]
        while !rest.isEmpty, lines.count < Layout.mostDetailLines {
            lines.append(String(rest.prefix(Layout.lineLength)))
            rest = rest.dropFirst(Layout.lineLength)
        }
        if !rest.isEmpty, let last = lines.popLast() { lines.append(last.dropLast() + "…") }
        return lines
    }

    /// One panel, upright, in R'G'B', of the cell's size.
    private static func render(
        _ panel: Panel, picture: PictureSize, cell: Cell, detail: [String]
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        guard let frame = av_frame_clone(panel.frame.frame) else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        let display = panel.frame.geometry.displaySize
        let left = (Layout.pictureWidth - picture.width) / 2
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
                    ("w", "\(Layout.pictureWidth)"), ("h", "\(cell.height)"), ("x", "\(left)"),
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
            return try run(filters, on: frame, of: panel.frame)
        } catch {
            throw MediaError(
                .filter,
                "cannot draw the sheet (its text needs the font DejaVu Sans, fonts-dejavu-core): \(error.reason)")
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

    private static func run(
        _ filters: [FilterCall], on frame: UnsafeMutablePointer<AVFrame>, of sample: SampledFrame
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        var owned: UnsafeMutablePointer<AVFrame>? = frame
        defer { av_frame_free(&owned) }
        av_frame_remove_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX)
        let graph = try FilterGraph(
            filters,
            input: FilterInput(
                size: sample.geometry.codedSize, pixelFormat: sample.pixelFormat, timeBase: .one, pixelAspect: (1, 1),
                frameRate: nil, orientation: sample.geometry.orientation, colorSpace: frame.pointee.colorspace,
                colorRange: frame.pointee.color_range), threads: 1)
        frame.pointee.pts = 0
        try graph.push(frame)
        try graph.push(nil)
        guard let output = try graph.pull() else { throw MediaError(.filter, "no picture came out") }
        return output
    }

    // MARK: Sheet

    private static func canvas(_ size: PictureSize) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        guard let frame = av_frame_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        frame.pointee.format = AV_PIX_FMT_RGB24.rawValue
        frame.pointee.width = Int32(size.width)
        frame.pointee.height = Int32(size.height)
        guard av_frame_get_buffer(frame, 0) >= 0, let pixels = frame.pointee.data.0 else {
            FrameFilter.free(frame)
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        for row in 0..<size.height {
            let line = pixels + row * Int(frame.pointee.linesize.0)
            for column in 0..<size.width {
                (line[3 * column], line[3 * column + 1], line[3 * column + 2]) = Layout.backgroundBytes
            }
        }
        return frame
    }

    private static func copy(
        _ source: UnsafeMutablePointer<AVFrame>, to target: UnsafeMutablePointer<AVFrame>, x: Int, y: Int
    ) {
        guard let from = source.pointee.data.0, let into = target.pointee.data.0 else { return }
        for row in 0..<Int(source.pointee.height) {
            let line = into + (y + row) * Int(target.pointee.linesize.0) + 3 * x
            line.update(from: from + row * Int(source.pointee.linesize.0), count: 3 * Int(source.pointee.width))
        }
    }

    private static func encode(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> [UInt8] {
        let failure = { (code: Int32) in
            MediaError(.unsupportedCodec, "cannot write a PNG: \(Libav.reason(code))")
        }
        Libav.beginErrors()
        guard let encoder = avcodec_find_encoder(AV_CODEC_ID_PNG), let context = avcodec_alloc_context3(encoder) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no PNG encoder")
        }
        var ownedContext: UnsafeMutablePointer<AVCodecContext>? = context
        defer { avcodec_free_context(&ownedContext) }
        context.pointee.pix_fmt = AV_PIX_FMT_RGB24
        context.pointee.width = frame.pointee.width
        context.pointee.height = frame.pointee.height
        context.pointee.time_base = AVRational(num: 1, den: 1)
        let opened = avcodec_open2(context, encoder, nil)
        guard opened >= 0 else { throw failure(opened) }
        frame.pointee.pts = 0
        let sent = avcodec_send_frame(context, frame)
        guard sent >= 0 else { throw failure(sent) }
        avcodec_send_frame(context, nil)
        let packet = try PacketQueue.allocate()
        defer { PacketQueue.free(packet) }
        let received = avcodec_receive_packet(context, packet)
        guard received >= 0, let data = packet.pointee.data else { throw failure(received) }
        return [UInt8](UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
    }
}
