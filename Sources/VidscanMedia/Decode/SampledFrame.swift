internal import CFFmpeg
package import VidscanBase

/// A sampled frame: its decoded planes, neither rotated nor converted, its time, and its geometry on the screen. Its memory
/// returns to the decoder's pool with the last reference.
///
/// `@unchecked Sendable`: the decoder writes the planes before this object exists. Afterwards they are only read.
package final class SampledFrame: @unchecked Sendable {
    /// From 0, without gaps.
    package let sequence: Int
    /// In presentation order among all frames of the stream, from 0.
    package var index: Int64 { moment.index }
    /// Since the container's start.
    package var microseconds: Int64 { moment.microseconds }
    /// Number of timestamp discontinuities before this frame. Tracks never cross one.
    package let epoch: Int
    package let geometry: DisplayGeometry
    /// The frame, or one that it may be predicted from, comes from damaged data.
    package var isDamaged: Bool { moment.isDamaged }

    /// `timestamp`: in units of the stream's time base.
    typealias Moment = (index: Int64, timestamp: Int64, microseconds: Int64, isDamaged: Bool)

    let moment: Moment
    let frame: Frame

    init(frame: consuming Frame, sequence: Int, moment: Moment, epoch: Int, geometry: DisplayGeometry) {
        self.frame = frame
        (self.sequence, self.moment, self.epoch, self.geometry) = (sequence, moment, epoch, geometry)
    }

    package var byteCount: Int {
        max(0, Int(av_image_get_buffer_size(frame.pixelFormat, frame.width, frame.height, 32)))
    }

    /// Whether colours that nobody sees can be uncovered.
    package var hasTransparentParts: Bool {
        guard frame.hasAlpha, let flat = try? frame.flattened(), let base = flat.data.0 else { return false }
        let rows = (0..<flat.height).lazy.map { base + Int($0) * Int(flat.linesize.0) }
        return rows.contains { row in (0..<Int(flat.width)).contains { row[4 * $0 + 3] < 255 } }
    }

    package var pixelFormatName: String { frame.pixelFormat.name }

    /// MD5 of the pixels, row by row without padding, in hexadecimal, as FFmpeg's `framemd5` muxer prints it.
    package func md5() throws(MediaError) -> String {
        let count = av_image_get_buffer_size(frame.pixelFormat, frame.width, frame.height, 1)
        guard count >= 0, let buffer = av_malloc(Int(count)) else { throw .outOfMemory }
        defer { av_free(buffer) }
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        let copied = vs_copy_pixels(bytes, count, frame.pointer)
        guard copied >= 0 else { throw MediaError(.io, "cannot copy a frame: \(FFmpeg.message(copied))") }
        var digest = [UInt8](repeating: 0, count: 16)
        av_md5_sum(&digest, bytes, Int(count))
        return FileDigest.hexadecimal(digest)
    }
}

/// The conversion of a coded frame for display: first the width changes for square pixels, then the display matrix rotates.
package struct DisplayGeometry: Sendable, Hashable {
    /// After cropping by the codec.
    package let codedSize: PictureSize
    /// Upright, with square pixels.
    package let displaySize: PictureSize
    package let orientation: Orientation

    /// - Parameter pixelAspect: width over height of a coded pixel; square if not positive.
    package init(codedSize: PictureSize, pixelAspect: Rational, orientation: Orientation) {
        (self.codedSize, self.orientation) = (codedSize, orientation)
        var width = Double(codedSize.width)
        // Only a broken header has a ratio outside this range.
        if pixelAspect.numerator > 0, (0.05...20).contains(pixelAspect.value) { width *= pixelAspect.value }
        displaySize = orientation.apply(to: PictureSize(width: max(1, Int(width.rounded())), height: codedSize.height))
    }

    /// From display pixels to pixels of the decoded planes.
    package var displayToCoded: AffineTransform {
        let axis = { (coded: Int, display: Int, isMirrored: Bool) in
            let scale = Double(coded) / Double(display)
            return isMirrored ? (factor: -scale, offset: Double(display) * scale) : (factor: scale, offset: 0)
        }
        let coded = orientation.apply(to: codedSize)
        let x = axis(coded.width, displaySize.width, orientation.mirrorsX)
        let y = axis(coded.height, displaySize.height, orientation.mirrorsY)
        return orientation.swapsAxes
            ? AffineTransform(xx: 0, xy: y.factor, x: y.offset, yx: x.factor, yy: 0, y: x.offset)
            : AffineTransform(xx: x.factor, xy: 0, x: x.offset, yx: 0, yy: y.factor, y: y.offset)
    }
}

extension Orientation {
    /// - Parameter matrix: of a container or a frame (ISO/IEC 14496-12, 6.2.2).
    static func nearest(toDisplay matrix: UnsafePointer<Int32>) -> (orientation: Orientation, isExact: Bool)? {
        nearest(a: Double(matrix[0]), b: Double(matrix[1]), c: Double(matrix[3]), d: Double(matrix[4]))
    }
}
