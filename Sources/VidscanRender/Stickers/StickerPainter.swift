internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Draws an image on faces.
final class StickerPainter {
    private let options: StickerOptions
    private let image: DrawnImage
    private let surface = DrawingSurface()

    /// Reads the image.
    ///
    /// - Throws: `VidscanError` if the image cannot be read, or if the cap insets leave no middle.
    init(_ options: StickerOptions) throws(VidscanError) {
        self.options = options
        image = DrawnImage(try Self.read(options.path))
        if let insets = options.capInsets {
            let size = image.size
            guard insets.left >= 0, insets.top >= 0, insets.right >= 0, insets.bottom >= 0,
                insets.left + insets.right < size.width, insets.top + insets.bottom < size.height
            else {
                throw VidscanError(
                    .setup,
                    "--sticker-insets leave nothing in the middle of the sticker \(options.path) (\(size) pixels)",
                    stage: .open)
            }
        }
    }

    /// Reads an image, and names it in the error because the input of the run is another file.
    private static func read(_ path: String) throws(VidscanError) -> RasterImage {
        let file: InputFile
        do {
            file = try InputFile(path)
        } catch {
            throw VidscanError(error.code, "the sticker \(path): \(error.reason)", stage: .open)
        }
        do {
            return try PictureFile.read(file.absolutePath)
        } catch {
            throw VidscanError(.media(error.code), "the sticker \(path): \(error.message)", stage: .open)
        }
    }

    /// The position of the sticker: a rectangle, and its rotation about its centre.
    struct Placement: Equatable {
        var target: Rectangle
        /// The rotation in degrees clockwise.
        var degrees: Double
    }

    /// Returns the position of the sticker on a face; `nil` if the face has no landmarks for it.
    static func placement(of options: StickerOptions, on face: FaceState) -> Placement? {
        let degrees = face.lean
        switch options.place {
        case .face:
            // The upright box of a tilted face is about as large as the face, so its size needs no correction.
            return centered(face.box.center, face.box.width, face.box.height, options.scale, degrees)
        case .eyes:
            guard let left = face[.leftEye], let right = face[.rightEye] else { return nil }
            let distance = eyeDistance(face, left, right)
            let middle = Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2)
            return centered(middle, distance * 2.2, distance * 0.9, options.scale, degrees)
        case .mustache:
            guard let left = face[.leftEye], let right = face[.rightEye], let nose = face[.nose],
                let mouth = face[.mouth]
            else { return nil }
            let distance = eyeDistance(face, left, right)
            // The tip of the nose overhangs the upper half of the lip.
            let middle = Point(x: nose.x + (mouth.x - nose.x) * 0.6, y: nose.y + (mouth.y - nose.y) * 0.6)
            return centered(middle, distance * 1.25, distance * 0.5, options.scale, degrees)
        }
    }

    /// Returns the distance between the eyes. The eyes of a turned head appear closer together, but the height of the
    /// face does not change, so the height gives a lower limit.
    private static func eyeDistance(_ face: FaceState, _ left: Point, _ right: Point) -> Double {
        let (dx, dy) = (left.x - right.x, left.y - right.y)
        return max((dx * dx + dy * dy).squareRoot(), face.box.height * 0.25)
    }

    private static func centered(
        _ center: Point, _ width: Double, _ height: Double, _ scale: Double, _ degrees: Double
    ) -> Placement {
        Placement(
            target: Rectangle(
                x: center.x - width * scale / 2, y: center.y - height * scale / 2, width: width * scale,
                height: height * scale), degrees: degrees)
    }

    func paint(on face: FaceState, of frame: EditableFrame) throws(MediaError) {
        guard let placement = Self.placement(of: options, on: face) else { return }
        let pieces = Self.pieces(
            of: options, image: image.size, target: placement.target, displayPerPixel: 1 / frame.scaleX)
        let center = placement.target.center
        // At any rotation, the sticker stays within a circle around its centre.
        var reach = 0.0
        for piece in pieces {
            for (x, y) in [
                (piece.target.x, piece.target.y), (piece.target.x + piece.target.width, piece.target.y),
                (piece.target.x, piece.target.y + piece.target.height),
                (piece.target.x + piece.target.width, piece.target.y + piece.target.height),
            ] {
                reach = max(reach, ((x - center.x) * (x - center.x) + (y - center.y) * (y - center.y)).squareRoot())
            }
        }
        let part = Rectangle(x: center.x - reach, y: center.y - reach, width: 2 * reach, height: 2 * reach)
        guard let area = frame.pixels(covering: part) else { return }
        surface.begin(area, scaleX: frame.scaleX, scaleY: frame.scaleY)
        for piece in pieces {
            surface.image(
                image, part: piece.part, target: piece.target, pivot: center, degrees: placement.degrees)
        }
        try frame.blend(surface.patch())
    }

    /// A part of the image, and the rectangle that it is drawn into before the rotation.
    struct Piece: Equatable {
        var part: Rectangle
        var target: Rectangle
    }

    /// Splits the image into the pieces that are drawn.
    ///
    /// - Parameter displayPerPixel: Display pixels per pixel of the output video.
    static func pieces(
        of options: StickerOptions, image: PictureSize, target: Rectangle, displayPerPixel: Double
    ) -> [Piece] {
        let (width, height) = (Double(image.width), Double(image.height))
        if let insets = options.capInsets { return nine(insets, width, height, target) }
        let whole = Rectangle(x: 0, y: 0, width: width, height: height)
        let anchor = options.anchor.shares
        let scale: Double
        switch options.contentMode {
        case .stretch: return [Piece(part: whole, target: target)]
        case .fit: scale = min(target.width / width, target.height / height)
        case .none: scale = displayPerPixel
        case .fill:
            scale = max(target.width / width, target.height / height)
            // The part of the image outside the region is never drawn.
            let (partWidth, partHeight) = (target.width / scale, target.height / scale)
            return [
                Piece(
                    part: Rectangle(
                        x: (width - partWidth) * anchor.x, y: (height - partHeight) * anchor.y, width: partWidth,
                        height: partHeight), target: target)
            ]
        }
        return [
            Piece(
                part: whole,
                target: Rectangle(
                    x: target.x + (target.width - width * scale) * anchor.x,
                    y: target.y + (target.height - height * scale) * anchor.y, width: width * scale,
                    height: height * scale))
        ]
    }

    /// Splits the image into nine pieces: corners are scaled by the same factor on both axes, edges are stretched along
    /// their length, and the middle is stretched on both axes.
    private static func nine(
        _ insets: StickerOptions.CapInsets, _ width: Double, _ height: Double, _ target: Rectangle
    ) -> [Piece] {
        let borders = (x: Double(insets.left + insets.right), y: Double(insets.top + insets.bottom))
        // The corners have the scale that fits the whole image. If the face is too small for that, they shrink until
        // they touch.
        let scale = min(
            min(target.width / width, target.height / height),
            min(
                borders.x > 0 ? target.width / borders.x : .infinity,
                borders.y > 0 ? target.height / borders.y : .infinity))
        let imageX = [0, Double(insets.left), width - Double(insets.right), width]
        let imageY = [0, Double(insets.top), height - Double(insets.bottom), height]
        let right = target.x + target.width
        let bottom = target.y + target.height
        let targetX = [
            target.x, target.x + Double(insets.left) * scale, right - Double(insets.right) * scale, right,
        ]
        let targetY = [
            target.y, target.y + Double(insets.top) * scale, bottom - Double(insets.bottom) * scale, bottom,
        ]
        var pieces: [Piece] = []
        for row in 0..<3 {
            for column in 0..<3 {
                let part = Rectangle(
                    x: imageX[column], y: imageY[row], width: imageX[column + 1] - imageX[column],
                    height: imageY[row + 1] - imageY[row])
                let target = Rectangle(
                    x: targetX[column], y: targetY[row], width: targetX[column + 1] - targetX[column],
                    height: targetY[row + 1] - targetY[row])
                if part.area > 0, target.area > 0 { pieces.append(Piece(part: part, target: target)) }
            }
        }
        return pieces
    }
}
