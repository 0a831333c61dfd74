internal import CFFmpeg
package import VidscanBase

/// A PNG of several images side by side, each under a title.
package enum ContactSheet {
    package struct Panel: Sendable {
        package var frame: SampledFrame
        package var title, detail: String
        /// Outlined boxes, in display pixels.
        package var marks: [Rectangle] = []

        package init(frame: SampledFrame, title: String, detail: String) {
            (self.frame, self.title, self.detail) = (frame, title, detail)
        }
    }

    private static let imageWidth = 480, maximumImageHeight = 640, margin = 16
    private static let titleHeight = 24, detailLineHeight = 17, maximumDetailLines = 3
    /// Characters per line in small type.
    private static let lineLength = 66
    private static let background = (hex: "0x1c1e22", bytes: [0x1c, 0x1e, 0x22] as [UInt8])

    /// - Parameter panels: at least one.
    package static func png(_ panels: [Panel]) throws(MediaError) -> [UInt8] {
        let columns = panels.count <= 2 ? max(1, panels.count) : panels.count <= 4 ? 2 : 3
        let rows = (panels.count + columns - 1) / columns
        let details = panels.map { wrapped($0.detail) }
        let sizes = panels.map { fitted($0.frame.geometry.displaySize) }
        let cells = (0..<rows).map { row in
            let members = row * columns..<min(panels.count, (row + 1) * columns)
            let label = titleHeight + (details[members].map(\.count).max() ?? 0) * detailLineHeight + 6
            return (labelHeight: label, height: label + (sizes[members].map(\.height).max() ?? 2))
        }
        let sheet = try canvas(
            width: columns * (imageWidth + margin) + margin, height: cells.reduce(margin) { $0 + $1.height + margin })
        var top = margin
        for (number, panel) in panels.enumerated() {
            let cell = cells[number / columns]
            let rendered = try render(panel, picture: sizes[number], cell: cell, detail: details[number])
            copy(rendered, to: sheet, x: margin + number % columns * (imageWidth + margin), y: top)
            if number % columns == columns - 1 { top += cell.height + margin }
        }
        return try PictureEncoder.encode(sheet, as: .png)
    }

    private static func fitted(_ size: PictureSize) -> PictureSize {
        let scale = min(Double(imageWidth) / Double(size.width), Double(maximumImageHeight) / Double(size.height))
        return PictureSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded())))
    }

    private static func wrapped(_ text: String) -> [String] {
        let room = lineLength * maximumDetailLines
        let shown = text.count > room ? text.prefix(room - 1) + "…" : text[...]
        return stride(from: 0, to: shown.count, by: lineLength).map {
            String(shown.dropFirst($0).prefix(lineLength))
        }
    }

    private static func render(
        _ panel: Panel, picture: PictureSize, cell: (labelHeight: Int, height: Int), detail: [String]
    ) throws(MediaError) -> Frame {
        let display = panel.frame.geometry.displaySize
        let left = (imageWidth - picture.width) / 2
        var filters = [
            filter(
                "scale", ["w": picture.width, "h": picture.height, "flags": "bicubic+accurate_rnd+full_chroma_int"]),
            filter("setsar", ["sar": 1]), filter("format", ["pix_fmts": "rgb24"]),
            filter(
                "pad", ["w": imageWidth, "h": cell.height, "x": left, "y": cell.labelHeight, "color": background.hex]),
        ]
        let scaleX = Double(picture.width) / Double(display.width)
        let scaleY = Double(picture.height) / Double(display.height)
        filters += panel.marks.map { mark in
            let (x, y) = (left + Int((mark.x * scaleX).rounded()), cell.labelHeight + Int((mark.y * scaleY).rounded()))
            let (width, height) = (Int((mark.width * scaleX).rounded()), Int((mark.height * scaleY).rounded()))
            return filter(
                "drawbox", ["x": x, "y": y, "w": max(4, width), "h": max(4, height), "color": "0x59d36b", "t": 2])
        }
        let facts = "\(display)  \(panel.frame.pixelFormatName)"
        filters.append(text(panel.title, x: "0", baseline: 16, size: 16, color: "white"))
        filters.append(text(facts, x: "w-tw", baseline: 16, size: 12, color: "0x8d939c"))
        filters += detail.enumerated().map { number, line in
            let baseline = titleHeight + 12 + number * detailLineHeight
            return text(line, x: "0", baseline: baseline, size: 13, color: "0xb9c0c9")
        }
        do { return try run(filters, on: panel.frame) } catch {
            let need = "its text needs the font DejaVu Sans, from the package fonts-dejavu-core"
            throw MediaError(.filter, "cannot draw the contact sheet: \(error.reason) (\(need))")
        }
    }

    private static func text(_ text: String, x: String, baseline: Int, size: Int, color: String) -> FilterCall {
        let printable = text.filter { !$0.isNewline }
        return filter(
            "drawtext",
            [
                "font": "DejaVu Sans", "text": printable.isEmpty ? " " : printable, "expansion": "none", "x": x,
                "y": "\(baseline)-ascent", "fontsize": size, "fontcolor": color,
            ])
    }

    private static func filter(
        _ name: String, _ options: KeyValuePairs<String, any CustomStringConvertible>
    ) -> FilterCall {
        FilterCall(name, options.map { ($0, $1.description) })
    }

    private static func run(_ filters: [FilterCall], on sample: SampledFrame) throws(MediaError) -> Frame {
        let frame = try Frame(sharing: sample.frame)
        av_frame_remove_side_data(frame.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        frame.pts = 0
        let input = FilterInput(
            geometry: sample.geometry, pixelFormat: frame.pixelFormat, colorSpace: frame.colorspace,
            colorRange: frame.color_range)
        let graph = try FilterGraph(filters, input: input, threads: 1)
        try graph.push(frame.pointer)
        try graph.push(nil)
        guard let output = try graph.pull() else { throw MediaError(.filter, "no output frame") }
        return output
    }

    private static func canvas(width: Int, height: Int) throws(MediaError) -> Frame {
        let frame = try Frame.allocate(PictureSize(width: width, height: height), AV_PIX_FMT_RGB24)
        guard let pixels = frame.data.0 else { throw .outOfMemory }
        for row in 0..<height {
            let line = pixels + row * Int(frame.linesize.0)
            for byte in 0..<3 * width { line[byte] = background.bytes[byte % 3] }
        }
        return frame
    }

    private static func copy(_ source: borrowing Frame, to target: borrowing Frame, x: Int, y: Int) {
        guard let from = source.data.0, let into = target.data.0 else { return }
        let corner = into + y * Int(target.linesize.0) + 3 * x
        av_image_copy_plane(corner, target.linesize.0, from, source.linesize.0, 3 * source.width, source.height)
    }
}
