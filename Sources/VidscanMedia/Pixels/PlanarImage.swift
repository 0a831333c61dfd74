internal import CFFmpeg
internal import CPixels
internal import VidscanBase

/// A view of a Y'CbCr image's planes and the meaning of their values, valid while the frame lives.
struct PlanarImage {
    struct Plane {
        let base: UnsafeRawPointer
        /// In bytes; may be negative.
        let stride: Int
        let width, height: Int
        /// Bits of a sample: 8, in a byte each, or 9 to 16, in a 16-bit word each. More bits only mean finer steps.
        let depth: Int

        var size: PictureSize { PictureSize(width: width, height: height) }

        func address(x: Int, y: Int) -> UnsafeRawPointer { base + y * stride + (depth > 8 ? 2 * x : x) }

        /// Adds weighted rows from a pixel on, in 8-bit levels, into `width` floats.
        func sumRows(
            x: Int, y: Int, width: Int, weights: UnsafeBufferPointer<UInt16>, into sums: UnsafeMutablePointer<Float>,
            with kernels: vs_kernels
        ) {
            let source = address(x: x, y: y)
            if depth > 8 {
                kernels.sum_wide_rows(
                    source.assumingMemoryBound(to: UInt16.self), stride, width, weights.baseAddress, weights.count,
                    1 / Float(1 << (depth - 8)), sums)
            } else {
                kernels.sum_rows(
                    source.assumingMemoryBound(to: UInt8.self), stride, width, weights.baseAddress, weights.count, sums)
            }
        }
    }

    /// Luma, Cb and Cr; luma alone in a grey image.
    let planes: [Plane]
    var luma: Plane { planes[0] }
    var differences: ArraySlice<Plane> { planes.dropFirst() }
    let chroma: ChromaPosition
    let color: vs_color

    struct ChromaPosition: Hashable {
        /// Luma pixels per chroma sample, as powers of two.
        var shiftX, shiftY: Int
        /// The centre of a chroma sample, in luma pixels from the centre of its block.
        var offsetX = 0.0, offsetY = 0.0
    }

    /// `nil` for a pixel format other than planar Y'CbCr and grey in native byte order.
    init?(_ frame: borrowing Frame) {
        guard let pixel = frame.pixelFormat.descriptor else { return nil }
        let foreignOrder = 1.littleEndian == 1 ? AV_PIX_FMT_FLAG_BE : 0
        let unfit = UInt64(
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM
                | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT | foreignOrder)
        let depth = Int(pixel.comp.0.depth)
        let bytes: Int32 = depth > 8 ? 2 : 1
        guard pixel.flags & unfit == 0, 8...16 ~= depth, pixel.comp.0.step == bytes, pixel.comp.0.shift == 0,
            let luma = frame.data.0
        else { return nil }
        let size = frame.size
        let plane = { (base: UnsafeMutablePointer<UInt8>, stride: Int32, shiftX: Int, shiftY: Int) in
            Plane(
                base: UnsafeRawPointer(base), stride: Int(stride), width: (size.width + (1 << shiftX) - 1) >> shiftX,
                height: (size.height + (1 << shiftY) - 1) >> shiftY, depth: depth)
        }
        var planes = [plane(luma, frame.linesize.0, 0, 0)]
        var chroma = ChromaPosition(shiftX: Int(pixel.log2_chroma_w), shiftY: Int(pixel.log2_chroma_h))
        if pixel.nb_components >= 3 {
            guard pixel.comp.1.plane == 1, pixel.comp.2.plane == 2, pixel.comp.1.step == bytes,
                pixel.comp.2.step == bytes, let blue = frame.data.1, let red = frame.data.2
            else { return nil }
            planes.append(plane(blue, frame.linesize.1, chroma.shiftX, chroma.shiftY))
            planes.append(plane(red, frame.linesize.2, chroma.shiftX, chroma.shiftY))
        }
        // Untagged chroma lies on the left column of its block in MPEG-2 and later standards, in the centre in JPEG.
        let (matrix, location) = (ColorMatrix(frame), frame.chroma_location)
        let isLeft =
            location == AVCHROMA_LOC_LEFT || location == AVCHROMA_LOC_TOPLEFT
            || (location == AVCHROMA_LOC_UNSPECIFIED && !matrix.isFullRange)
        let isTop = location == AVCHROMA_LOC_TOPLEFT || location == AVCHROMA_LOC_TOP
        if isLeft { chroma.offsetX = -Double((1 << chroma.shiftX) - 1) / 2 }
        if isTop { chroma.offsetY = -Double((1 << chroma.shiftY) - 1) / 2 }
        (self.planes, self.chroma, color) = (planes, chroma, matrix.toRGB)
    }
}

/// The matrix coefficients and the range of a Y'CbCr frame (ITU-T H.273).
struct ColorMatrix {
    /// The weights in luma, Kr, Kg and Kb.
    let red, blue: Double
    var green: Double { 1 - red - blue }
    /// As libswscale names them.
    let scaling: Int32
    let isFullRange: Bool

    init(_ frame: borrowing Frame) {
        isFullRange = Self.isFullRange(frame)
        switch frame.colorspace {
        case AVCOL_SPC_BT709: (red, blue, scaling) = (0.2126, 0.0722, SWS_CS_ITU709)
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: (red, blue, scaling) = (0.2627, 0.0593, SWS_CS_BT2020)
        case AVCOL_SPC_SMPTE240M: (red, blue, scaling) = (0.212, 0.087, SWS_CS_SMPTE240M)
        case AVCOL_SPC_FCC: (red, blue, scaling) = (0.30, 0.11, SWS_CS_FCC)
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: (red, blue, scaling) = (0.299, 0.114, SWS_CS_ITU601)
        default:
            // Like players, by the size of untagged video.
            let isHighDefinition = (frame.width >= 1280 || frame.height > 576) && !isFullRange
            (red, blue, scaling) = isHighDefinition ? (0.2126, 0.0722, SWS_CS_ITU709) : (0.299, 0.114, SWS_CS_ITU601)
        }
    }

    static func isFullRange(_ frame: borrowing Frame) -> Bool {
        let fullRangeFormats = [
            AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P,
        ]
        return frame.color_range == AVCOL_RANGE_JPEG || fullRangeFormats.contains(frame.pixelFormat)
    }

    /// From Y'CbCr code values to R'G'B' in 0…255.
    var toRGB: vs_color {
        let chroma = isFullRange ? 1.0 : 255.0 / 224.0
        return vs_color(
            luma_offset: isFullRange ? 0 : 16, luma_scale: Float(isFullRange ? 1.0 : 255.0 / 219.0),
            red_from_cr: Float(2 * (1 - red) * chroma), green_from_cb: Float(-2 * (1 - blue) * blue / green * chroma),
            green_from_cr: Float(-2 * (1 - red) * red / green * chroma), blue_from_cb: Float(2 * (1 - blue) * chroma))
    }
}

/// From R'G'B' in 0…255 to Y'CbCr code values, in units of 1/65536.
struct RGBToYCbCr {
    typealias Weights = (red: Int32, green: Int32, blue: Int32)

    let lumaOffset: Int32
    let luma, blueDifference, redDifference: Weights

    init(_ matrix: ColorMatrix) {
        let (red, green, blue) = (matrix.red, matrix.green, matrix.blue)
        let (lumaScale, chromaScale) = matrix.isFullRange ? (1.0, 1.0) : (219.0 / 255, 224.0 / 255)
        let fixed = { (value: Double) in Int32((value * 65536).rounded()) }
        lumaOffset = matrix.isFullRange ? 0 : 16
        luma = (fixed(red * lumaScale), fixed(green * lumaScale), fixed(blue * lumaScale))
        let ofBlue = chromaScale / (2 * (1 - blue))
        blueDifference = (fixed(-red * ofBlue), fixed(-green * ofBlue), fixed((1 - blue) * ofBlue))
        let ofRed = chromaScale / (2 * (1 - red))
        redDifference = (fixed((1 - red) * ofRed), fixed(-green * ofRed), fixed(-blue * ofRed))
    }
}

/// Converts frames to planar Y'CbCr for the resampling kernels.
///
/// Planar Y'CbCr of 8 to 16 bits with any chroma subsampling, and grey, pass unchanged. Other formats get 8 bits. A worker's
/// kernels share one converter, so that each frame is converted only once.
package final class PictureConverter {
    private var scaler = Scaler(flags: SWS_POINT | SWS_ACCURATE_RND | SWS_BITEXACT)
    private var frame: Frame?
    /// Points into `frame`.
    private var converted: (source: ObjectIdentifier, sequence: Int, image: PlanarImage)?

    package init() {}

    /// Valid while the frame lives and until the next call.
    func planes(of sample: SampledFrame) throws(MediaError) -> PlanarImage {
        let hasAlpha = sample.frame.hasAlpha
        if !hasAlpha, let image = PlanarImage(sample.frame) { return image }
        if let converted, converted.source == ObjectIdentifier(sample), converted.sequence == sample.sequence {
            return converted.image
        }
        converted = nil
        let target = try hasAlpha ? convert(sample.frame.flattened()) : convert(sample.frame)
        guard let image = PlanarImage(target) else {
            throw MediaError(.undecodable, "cannot convert the pixel format \(sample.pixelFormatName)")
        }
        frame = consume target
        converted = (ObjectIdentifier(sample), sample.sequence, image)
        return image
    }

    private func convert(_ source: borrowing Frame) throws(MediaError) -> Frame {
        guard let descriptor = source.pixelFormat.descriptor else {
            throw MediaError(.undecodable, "unknown pixel format \(source.format)")
        }
        let isRGB = descriptor.isRGB
        let format =
            switch (isRGB, descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
            case (true, _, _): AV_PIX_FMT_YUVJ444P
            case (false, 0, _): AV_PIX_FMT_YUV444P
            case (false, _, 0): AV_PIX_FMT_YUV422P
            default: AV_PIX_FMT_YUV420P
            }
        var kept = frame.take()
        if kept?.size != source.size || kept?.pixelFormat != format { kept = try Frame.allocate(source.size, format) }
        guard let target = kept.take() else { throw .outOfMemory }
        // libswscale converts RGB to BT.601 by default.
        target.colorspace = isRGB ? AVCOL_SPC_SMPTE170M : source.colorspace
        target.color_range = isRGB ? AVCOL_RANGE_JPEG : source.color_range
        target.chroma_location = source.chroma_location
        // From Y'CbCr only the depth or the layout changes, not the matrix and the range.
        let isFull = source.color_range == AVCOL_RANGE_JPEG
        try scaler.scale(
            source, into: target, matrix: isRGB ? nil : SWS_CS_DEFAULT, fromFullRange: isFull, toFullRange: isFull)
        return target
    }
}

extension Frame {
    var hasAlpha: Bool { pixelFormat.descriptor?.hasAlpha == true }

    /// The frame on black, as BGRA: nobody was meant to see the colours of transparent parts.
    func flattened() throws(MediaError) -> Frame {
        let output = try Frame.allocate(size, AV_PIX_FMT_BGRA)
        av_frame_copy_props(output.pointer, pointer)
        var toRGB = Scaler(flags: SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT)
        try toRGB.scale(
            self, into: output, matrix: ColorMatrix(self).scaling,
            fromFullRange: pixelFormat.descriptor?.isRGB == true || ColorMatrix.isFullRange(self), toFullRange: true)
        guard let base = output.data.0 else { return output }
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = base + y * Int(output.linesize.0) + 4 * x
                let alpha = Int(pixel[3])
                for channel in 0..<3 where alpha < 255 {
                    pixel[channel] = UInt8((Int(pixel[channel]) * alpha + 127) / 255)
                }
            }
        }
        return output
    }
}
