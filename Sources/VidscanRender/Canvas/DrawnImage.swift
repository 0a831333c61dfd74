internal import CCairo
internal import VidscanBase

/// An image, stored at successively halved sizes (mipmaps), so that drawing it small is fast and does not flicker. Not
/// thread-safe.
final class DrawnImage {
    let size: PictureSize
    private var levels: [Level] = []

    private struct Level {
        let surface: OpaquePointer?
        let bytes: UnsafeMutablePointer<UInt8>
        let size: PictureSize
    }

    init(_ image: RasterImage) {
        size = image.size
        var next = image
        while true {
            levels.append(Self.level(next))
            guard next.size.shortSide > 2 else { break }
            next = next.halved()
        }
    }

    deinit {
        for level in levels {
            cairo_surface_destroy(level.surface)
            level.bytes.deallocate()
        }
    }

    /// Puts the top left corner at the origin, with one unit per pixel. `pixelsPerImagePixel` is the drawing scale.
    func setSource(of context: OpaquePointer?, pixelsPerImagePixel: Double) {
        let wanted = (size.width > 0 && pixelsPerImagePixel > 0) ? 1 / pixelsPerImagePixel : 1
        var index = 0
        var shrink = 2.0
        while shrink <= wanted, index + 1 < levels.count {
            index += 1
            shrink *= 2
        }
        let level = levels[index]
        cairo_scale(
            context, Double(size.width) / Double(level.size.width), Double(size.height) / Double(level.size.height))
        cairo_set_source_surface(context, level.surface, 0, 0)
        let pattern = cairo_get_source(context)
        cairo_pattern_set_filter(pattern, CAIRO_FILTER_BILINEAR)
        cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
    }

    private static func level(_ image: RasterImage) -> Level {
        let stride = 4 * image.size.width
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * image.size.height)
        bytes.initialize(from: image.bytes, count: image.bytes.count)
        let surface = cairo_image_surface_create_for_data(
            bytes, CAIRO_FORMAT_ARGB32, Int32(image.size.width), Int32(image.size.height), Int32(stride))
        return Level(surface: surface, bytes: bytes, size: image.size)
    }
}
