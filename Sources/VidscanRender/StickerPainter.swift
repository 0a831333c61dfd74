package import VidscanBase
internal import VidscanMedia
internal import VidscanResults

package final class StickerPainter {
    private let options: StickerOptions
    private let image: DrawnImage
    let isDark: Bool
    private let surface = DrawingSurface()

    /// Throws if the image cannot be read, or if the cap insets leave no middle.
    init(_ options: StickerOptions) throws(VidscanError) {
        self.options = options
        let raster = try Self.read(options.path)
        (image, isDark) = (DrawnImage(raster), Self.isDark(raster))
        if let insets = options.capInsets {
            let size = image.size
            try require(
                insets.left >= 0 && insets.top >= 0 && insets.right >= 0 && insets.bottom >= 0
                    && insets.left + insets.right < size.width && insets.top + insets.bottom < size.height, .setup,
                "--sticker-insets leave nothing in the middle of the sticker \(options.path) (\(size) pixels)",
                stage: .open)
        }
    }

    /// Whether an image would not be seen on a dark cover. Colours are premultiplied by the coverage, the last of four bytes.
    package static func isDark(_ image: RasterImage) -> Bool {
        let sums = image.bytes.enumerated().reduce(into: (colors: 0, coverage: 0)) { sums, byte in
            if byte.offset % 4 < 3 { sums.colors += Int(byte.element) } else { sums.coverage += Int(byte.element) }
        }
        return 2 * sums.colors < 3 * sums.coverage
    }

    /// The error names the image, because the input of the run is another file.
    package static func read(_ path: String) throws(VidscanError) -> RasterImage {
        do throws(VidscanError) {
            let file = try InputFile(path)
            return try VidscanError.media(stage: .open) { () throws(MediaError) in
                try PictureFile.read(file.absolutePath)
            }
        } catch { throw VidscanError(error.code, "the sticker \(path): \(error.reason)", stage: .open) }
    }

    /// The rectangle before it is rotated about its centre; `nil` if the face lacks the necessary landmarks.
    private func target(on face: FaceState) -> Rectangle? {
        // The upright box of a tilted face is about as large as the face, so its size needs no correction.
        var (center, width, height) = (face.box.center, face.box.width, face.box.height)
        if options.place != .face {
            guard let left = face[.leftEye], let right = face[.rightEye] else { return nil }
            // The eyes of a turned head appear closer together, but its height does not change and gives a lower limit.
            let distance = max((left - right).length, face.box.height * 0.25)
            center = left.middle(right)
            (width, height) = (distance * 2.2, distance * 0.9)
            if options.place == .mustache {
                guard let nose = face[.nose], let mouth = face[.mouth] else { return nil }
                // The tip of the nose overhangs the upper half of the lip.
                center = nose + (mouth - nose) * 0.6
                (width, height) = (distance * 1.25, distance * 0.5)
            }
        }
        (width, height) = (width * options.scale, height * options.scale)
        return Rectangle(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    func paint(on face: FaceState, of frame: EditableFrame) throws(MediaError) {
        guard let target = target(on: face) else { return }
        let pieces = pieces(in: target, displayPerPixel: 1 / frame.scaleX)
        let center = target.center
        // At any rotation, the sticker stays within a circle around its centre.
        let reach = pieces.flatMap(\.target.corners).map { ($0 - center).length }.max() ?? 0
        let part = Rectangle(x: center.x, y: center.y, width: 0, height: 0).grown(by: reach, reach)
        try surface.draw(on: part, of: frame) {
            for piece in pieces {
                surface.image(image, part: piece.part, target: piece.target, pivot: center, degrees: face.lean)
            }
        }
    }

    /// A part of the image, and its rectangle before the rotation.
    private typealias Piece = (part: Rectangle, target: Rectangle)

    /// - Parameter displayPerPixel: display pixels per pixel of the output video.
    private func pieces(in target: Rectangle, displayPerPixel: Double) -> [Piece] {
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        if let insets = options.capInsets { return Self.nine(insets, width, height, target) }
        let whole = Rectangle(x: 0, y: 0, width: width, height: height)
        let anchor = options.anchor.fractions
        let scale: Double
        switch options.contentMode {
        case .stretch: return [(whole, target)]
        case .fit: scale = min(target.width / width, target.height / height)
        case .none: scale = displayPerPixel
        case .fill:
            scale = max(target.width / width, target.height / height)
            // The part of the image outside the region is never drawn.
            let (partWidth, partHeight) = (target.width / scale, target.height / scale)
            let part = Rectangle(
                x: (width - partWidth) * anchor.x, y: (height - partHeight) * anchor.y, width: partWidth,
                height: partHeight)
            return [(part, target)]
        }
        let scaled = Rectangle(
            x: target.x + (target.width - width * scale) * anchor.x,
            y: target.y + (target.height - height * scale) * anchor.y, width: width * scale, height: height * scale)
        return [(whole, scaled)]
    }

    /// Scales the corners by the same factor on both axes, and stretches edges along their length and the middle on both axes.
    private static func nine(
        _ insets: StickerOptions.CapInsets, _ width: Double, _ height: Double, _ target: Rectangle
    ) -> [Piece] {
        let borders = (x: Double(insets.left + insets.right), y: Double(insets.top + insets.bottom))
        // Corners have the scale that fits the whole image, and shrink on smaller faces until they touch.
        let scale = min(
            min(target.width / width, target.height / height),
            min(
                borders.x > 0 ? target.width / borders.x : .infinity,
                borders.y > 0 ? target.height / borders.y : .infinity))
        let imageX = [0, Double(insets.left), width - Double(insets.right), width]
        let imageY = [0, Double(insets.top), height - Double(insets.bottom), height]
        let (right, bottom) = (target.x + target.width, target.y + target.height)
        let targetX = [target.x, target.x + Double(insets.left) * scale, right - Double(insets.right) * scale, right]
        let targetY = [target.y, target.y + Double(insets.top) * scale, bottom - Double(insets.bottom) * scale, bottom]
        var pieces: [Piece] = []
        for row in 0..<3 {
            for column in 0..<3 {
                let part = Rectangle(
                    left: imageX[column], top: imageY[row], right: imageX[column + 1], bottom: imageY[row + 1])
                let target = Rectangle(
                    left: targetX[column], top: targetY[row], right: targetX[column + 1], bottom: targetY[row + 1])
                if part.area > 0, target.area > 0 { pieces.append((part, target)) }
            }
        }
        return pieces
    }
}
