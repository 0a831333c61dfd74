internal import CFFmpeg
internal import CPixels
internal import VidscanBase

/// The planes of a Y'CbCr image in memory and the meaning of their values. A view, which is valid as long as the frame lives.
struct PlanarImage {
    struct Plane {
        let base: UnsafeRawPointer
        /// Bytes from one row to the next; may be negative.
        let stride: Int
        let width: Int
        let height: Int
        /// Bits of a sample: 8, in a byte each, or 9 to 16, in a 16-bit word each. Deeper samples have the same range with a
        /// finer step.
        let depth: Int
    }

    let luma: Plane
    /// `nil` in a grey image.
    let blueDifference: Plane?
    let redDifference: Plane?
    /// Luma pixels per chroma sample, as powers of two.
    let chromaShiftX: Int
    let chromaShiftY: Int
    /// The centre of a chroma sample, in luma pixels from the centre of its block of pixels.
    let chromaOffsetX: Double
    let chromaOffsetY: Double
    let color: YCbCrToRGB

    /// - Returns: `nil` for a pixel format other than planar Y'CbCr and grey in native byte order.
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
        let (width, height) = (frame.size.width, frame.size.height)
        self.luma = Plane(
            base: UnsafeRawPointer(luma), stride: Int(frame.linesize.0), width: width, height: height, depth: depth)
        chromaShiftX = Int(pixel.log2_chroma_w)
        chromaShiftY = Int(pixel.log2_chroma_h)
        if pixel.nb_components >= 3 {
            guard pixel.comp.1.plane == 1, pixel.comp.2.plane == 2, pixel.comp.1.step == bytes,
                pixel.comp.2.step == bytes,
                let blue = frame.data.1, let red = frame.data.2
            else { return nil }
            let chromaWidth = (width + (1 << chromaShiftX) - 1) >> chromaShiftX
            let chromaHeight = (height + (1 << chromaShiftY) - 1) >> chromaShiftY
            blueDifference = Plane(
                base: UnsafeRawPointer(blue), stride: Int(frame.linesize.1), width: chromaWidth,
                height: chromaHeight, depth: depth)
            redDifference = Plane(
                base: UnsafeRawPointer(red), stride: Int(frame.linesize.2), width: chromaWidth,
                height: chromaHeight, depth: depth)
        } else {
            blueDifference = nil
            redDifference = nil
        }
        // Untagged chroma lies on the left column of its block in MPEG-2 and later standards, and in the centre in JPEG.
        let isFull = YCbCrToRGB.isFullRange(frame)
        let location = frame.chroma_location
        let isLeft =
            location == AVCHROMA_LOC_LEFT || location == AVCHROMA_LOC_TOPLEFT
            || (location == AVCHROMA_LOC_UNSPECIFIED && !isFull)
        let isTop = location == AVCHROMA_LOC_TOPLEFT || location == AVCHROMA_LOC_TOP
        chromaOffsetX = isLeft ? -Double((1 << chromaShiftX) - 1) / 2 : 0
        chromaOffsetY = isTop ? -Double((1 << chromaShiftY) - 1) / 2 : 0
        color = YCbCrToRGB(frame)
    }
}

extension PlanarImage.Plane {
    func address(x: Int, y: Int) -> UnsafeRawPointer { base + y * stride + (depth > 8 ? 2 * x : x) }

    /// Adds weighted rows from a pixel on, in 8-bit levels.
    ///
    /// - Parameters:
    ///   - width: The number of columns.
    ///   - sums: Room for as many floats.
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

/// The conversion from Y'CbCr code values to R'G'B' in 0…255, by the matrix coefficients and the range of ITU-T H.273.
struct YCbCrToRGB: Equatable {
    let lumaOffset: Float
    let lumaScale: Float
    let redFromCr: Float
    let greenFromCb: Float
    let greenFromCr: Float
    let blueFromCb: Float

    /// The weights of red and blue in luma, Kr and Kb.
    static func weights(_ frame: borrowing Frame) -> (red: Double, blue: Double) {
        switch frame.colorspace {
        case AVCOL_SPC_BT709: return (0.2126, 0.0722)
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: return (0.2627, 0.0593)
        case AVCOL_SPC_SMPTE240M: return (0.212, 0.087)
        case AVCOL_SPC_FCC: return (0.30, 0.11)
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: return (0.299, 0.114)
        default:
            // Like players, by the size of untagged video.
            let isHighDefinition = frame.width >= 1280 || frame.height > 576
            return isHighDefinition && !isFullRange(frame) ? (0.2126, 0.0722) : (0.299, 0.114)
        }
    }

    init(_ frame: borrowing Frame) {
        let weights = Self.weights(frame)
        let isFull = Self.isFullRange(frame)
        let chroma = isFull ? 1.0 : 255.0 / 224.0
        let green = 1 - weights.red - weights.blue
        lumaOffset = isFull ? 0 : 16
        lumaScale = Float(isFull ? 1.0 : 255.0 / 219.0)
        redFromCr = Float(2 * (1 - weights.red) * chroma)
        blueFromCb = Float(2 * (1 - weights.blue) * chroma)
        greenFromCr = Float(-2 * (1 - weights.red) * weights.red / green * chroma)
        greenFromCb = Float(-2 * (1 - weights.blue) * weights.blue / green * chroma)
    }

    /// As the kernels take it.
    var kernelColor: vs_color {
        vs_color(
            luma_offset: lumaOffset, luma_scale: lumaScale, red_from_cr: redFromCr, green_from_cb: greenFromCb,
            green_from_cr: greenFromCr, blue_from_cb: blueFromCb)
    }

    static func isFullRange(_ frame: borrowing Frame) -> Bool {
        if frame.color_range == AVCOL_RANGE_JPEG { return true }
        switch frame.pixelFormat {
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P:
            return true
        default: return false
        }
    }
}
