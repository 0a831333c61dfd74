internal import CFFmpeg
public import VidscanBase

/// Shrinks a whole frame into the input tensor of a detector: area-averaged, upright, with square pixels, as R'G'B'.
///
/// Each decoded plane is averaged by itself, first down its columns, then along its rows. Only the small result is turned
/// upright and converted to R'G'B', because averaging and the colour matrix commute. Along an axis that is enlarged
/// (non-square pixels), samples are interpolated linearly.
///
/// Each worker has its own resampler. All give the same results.
public final class AreaResampler {
    private struct Key: Hashable {
        var source: PictureSize
        var target: PictureSize
        var chromaShiftX: Int
        var chromaShiftY: Int
        var chromaOffsetX: Double
        var chromaOffsetY: Double
    }

    private struct Weights {
        var lumaX: AxisWeights
        var lumaY: AxisWeights
        var chromaX: AxisWeights
        var chromaY: AxisWeights
    }

    private let converter: PictureConverter
    private var weights: (key: Key, value: Weights)?
    private var columnSums: [UInt16] = []
    private var planes: [Float] = []

    public init(converter: PictureConverter = PictureConverter()) {
        self.converter = converter
    }

    /// Fills a tensor of shape 3 × `tensorSize.height` × `tensorSize.width` with R', G', B' in 0…255.
    ///
    /// - Parameters:
    ///   - frame: any sampled frame.
    ///   - pictureSize: pixels of the upright frame in the top left corner of the tensor. The rest of the tensor is 0.
    ///   - tensorSize: at least `pictureSize`.
    ///   - tensor: room for 3 · width · height floats.
    /// - Throws: `MediaError` for a pixel format that cannot be converted.
    public func resample(
        _ frame: SampledFrame, pictureSize: PictureSize, tensorSize: PictureSize,
        into tensor: UnsafeMutablePointer<Float>
    ) throws(MediaError) {
        let image = try converter.planes(of: frame)
        let orientation = frame.geometry.orientation
        let codedTarget = orientation.apply(to: pictureSize)
        let weights = weights(for: image, target: codedTarget)
        let area = codedTarget.width * codedTarget.height
        if planes.count < 3 * area { planes = [Float](repeating: 0, count: 3 * area) }
        let sumCount = (image.luma.width + 31) & ~15
        if columnSums.count < sumCount { columnSums = [UInt16](repeating: 0, count: sumCount) }
        planes.withUnsafeMutableBufferPointer { planes in
            columnSums.withUnsafeMutableBufferPointer { sums in
                guard let luma = planes.baseAddress, let sums = sums.baseAddress else { return }
                Self.average(image.luma, weights.lumaX, weights.lumaY, sums: sums, into: luma)
                for (plane, output) in [
                    (image.blueDifference, luma + area), (image.redDifference, luma + 2 * area),
                ] {
                    if let plane {
                        Self.average(plane, weights.chromaX, weights.chromaY, sums: sums, into: output)
                    } else {
                        output.update(repeating: 128, count: area)
                    }
                }
                Self.fill(
                    luma, size: codedTarget, orientation: orientation, color: image.color, tensorSize: tensorSize,
                    into: tensor)
            }
        }
    }

    private func weights(for image: PlanarImage, target: PictureSize) -> Weights {
        let key = Key(
            source: PictureSize(width: image.luma.width, height: image.luma.height), target: target,
            chromaShiftX: image.chromaShiftX, chromaShiftY: image.chromaShiftY,
            chromaOffsetX: image.chromaOffsetX, chromaOffsetY: image.chromaOffsetY)
        if let weights, weights.key == key { return weights.value }
        let chroma = image.blueDifference ?? image.luma
        let value = Weights(
            lumaX: AxisWeights(samples: image.luma.width, length: Double(image.luma.width), outputs: target.width),
            lumaY: AxisWeights(
                samples: image.luma.height, length: Double(image.luma.height), outputs: target.height),
            chromaX: AxisWeights(
                samples: chroma.width, length: Double(image.luma.width) / Double(1 << image.chromaShiftX),
                outputs: target.width, offset: -image.chromaOffsetX / Double(1 << image.chromaShiftX)),
            chromaY: AxisWeights(
                samples: chroma.height, length: Double(image.luma.height) / Double(1 << image.chromaShiftY),
                outputs: target.height, offset: -image.chromaOffsetY / Double(1 << image.chromaShiftY)))
        weights = (key, value)
        return value
    }

    /// Averages one plane along both axes.
    ///
    /// - Parameter sums: room for 8.8 fixed-point numbers, as many as the plane's width rounded up to 16.
    private static func average(
        _ plane: PlanarImage.Plane, _ horizontal: AxisWeights, _ vertical: AxisWeights,
        sums: UnsafeMutablePointer<UInt16>, into output: UnsafeMutablePointer<Float>
    ) {
        horizontal.weights.withUnsafeBufferPointer { weights in
            for row in 0..<vertical.count {
                sumRows(plane, first: vertical.first[row], weights: vertical.span(of: row), into: sums)
                let line = output + row * horizontal.count
                for column in 0..<horizontal.count {
                    let first = sums + horizontal.first[column]
                    let offset = horizontal.offset[column]
                    let taps = horizontal.offset[column + 1] - offset
                    var sum: UInt32 = 0
                    for tap in 0..<taps { sum &+= UInt32(first[tap]) &* UInt32(weights[offset + tap]) }
                    line[column] = Float(sum) * (1 / 65536)
                }
            }
        }
    }

    /// Adds weighted rows. The weights sum to 256, so that every sum fits into 16 bits.
    private static func sumRows(
        _ plane: PlanarImage.Plane, first: Int, weights: ArraySlice<UInt16>, into sums: UnsafeMutablePointer<UInt16>
    ) {
        var isFirst = true
        var row = first
        for weight in weights {
            let source = plane.base + row * plane.stride
            let factor = SIMD16<UInt16>(repeating: weight)
            let target = UnsafeMutableRawPointer(sums)
            var column = 0
            // Only whole vectors, because the memory of a row may end with its last pixel.
            while column + 16 <= plane.width {
                let bytes = UnsafeRawPointer(source + column).loadUnaligned(as: SIMD16<UInt8>.self)
                let product = SIMD16<UInt16>(truncatingIfNeeded: bytes) &* factor
                let position = target + column * 2
                if isFirst {
                    position.storeBytes(of: product, as: SIMD16<UInt16>.self)
                } else {
                    let sum = position.loadUnaligned(as: SIMD16<UInt16>.self)
                    position.storeBytes(of: sum &+ product, as: SIMD16<UInt16>.self)
                }
                column += 16
            }
            while column < plane.width {
                let product = UInt16(source[column]) &* weight
                sums[column] = isFirst ? product : sums[column] &+ product
                column += 1
            }
            isFirst = false
            row += 1
        }
    }

    /// Turns the averaged planes upright, converts them to R'G'B' and clears the rest of the tensor.
    private static func fill(
        _ planes: UnsafePointer<Float>, size: PictureSize, orientation: Orientation, color: YCbCrToRGB,
        tensorSize: PictureSize, into tensor: UnsafeMutablePointer<Float>
    ) {
        let target = orientation.apply(to: size)
        let area = size.width * size.height
        let tensorArea = tensorSize.width * tensorSize.height
        tensor.update(repeating: 0, count: 3 * tensorArea)
        // Steps in the coded planes for one pixel to the right and one down in the display.
        let stepX = (orientation.swapsAxes ? size.width : 1) * (orientation.mirrorsX ? -1 : 1)
        let stepY = (orientation.swapsAxes ? 1 : size.width) * (orientation.mirrorsY ? -1 : 1)
        let origin =
            (orientation.mirrorsX ? (target.width - 1) * -stepX : 0)
            + (orientation.mirrorsY ? (target.height - 1) * -stepY : 0)
        for y in 0..<target.height {
            var source = origin + y * stepY
            let line = tensor + y * tensorSize.width
            for x in 0..<target.width {
                let luma = (planes[source] - color.lumaOffset) * color.lumaScale
                let blue = planes[source + area] - 128
                let red = planes[source + 2 * area] - 128
                line[x] = clamp(luma + color.redFromCr * red)
                line[x + tensorArea] = clamp(luma + color.greenFromCb * blue + color.greenFromCr * red)
                line[x + 2 * tensorArea] = clamp(luma + color.blueFromCb * blue)
                source += stepX
            }
        }
    }

    private static func clamp(_ value: Float) -> Float { min(max(value, 0), 255) }
}
