internal import CFFmpeg
internal import CPixels
public import VidscanBase

/// Crops a rotated square of a frame into the input tensor of a model, as R'G'B'.
///
/// One affine map leads from the tensor to the decoded planes. The region of each plane under the square is copied first. If
/// the square is larger than the tensor, whole blocks of pixels are averaged on the way to prevent aliasing. Then samples are
/// interpolated linearly. Outside the frame its border is repeated.
///
/// Each worker has its own cropper. All give the same results.
public final class SquareCropper {
    private let converter: PictureConverter
    private let kernels = vs_best_kernels().pointee
    private let reader = BlockReader()
    private var lumaPatch: [UInt8] = []
    /// Cb and Cr, interleaved.
    private var chromaPatch: [UInt8] = []

    public init(converter: PictureConverter = PictureConverter()) {
        self.converter = converter
    }

    /// Fills a tensor of shape 3 × `resolution` × `resolution` with R', G', B' in 0…255.
    ///
    /// - Parameters:
    ///   - frame: any sampled frame.
    ///   - square: in display space.
    ///   - resolution: from 1 to 4096.
    ///   - tensor: room for 3 · resolution² floats.
    /// - Throws: `MediaError` for a pixel format that cannot be converted.
    public func crop(
        _ frame: SampledFrame, square: RotatedSquare, resolution: Int, into tensor: UnsafeMutablePointer<Float>
    ) throws(MediaError) {
        precondition(1...4096 ~= resolution)
        let image = try converter.planes(of: frame)
        let map = frame.geometry.displayToCoded.after(square.transform(resolution: resolution))
        let luma = PatchMap(map, plane: image.luma, resolution: resolution)
        reader.read(image.luma, luma.grid, into: &lumaPatch)
        let chroma = readChroma(of: image, map: map, resolution: resolution)
        fill(tensor, resolution: resolution, luma: luma, chroma: chroma, color: image.color)
    }

    private func readChroma(of image: PlanarImage, map: AffineTransform, resolution: Int) -> PatchMap {
        guard let blue = image.blueDifference, let red = image.redDifference else {
            // Grey has no chroma: a patch of one sample, with its margin.
            chromaPatch = [UInt8](repeating: 128, count: 8)
            return PatchMap.point
        }
        let shiftX = 1 / Double(1 << image.chromaShiftX)
        let shiftY = 1 / Double(1 << image.chromaShiftY)
        let chromaMap = AffineTransform(
            xx: map.xx * shiftX, xy: map.xy * shiftX, x: (map.x - image.chromaOffsetX) * shiftX,
            yx: map.yx * shiftY, yy: map.yy * shiftY, y: (map.y - image.chromaOffsetY) * shiftY)
        let chroma = PatchMap(chromaMap, plane: blue, resolution: resolution)
        reader.read(blue, red, chroma.grid, into: &chromaPatch)
        return chroma
    }

    private func fill(
        _ tensor: UnsafeMutablePointer<Float>, resolution: Int, luma: PatchMap, chroma: PatchMap, color: YCbCrToRGB
    ) {
        let area = resolution * resolution
        var color = color.kernelColor
        lumaPatch.withUnsafeBufferPointer { lumaPatch in
            chromaPatch.withUnsafeBufferPointer { chromaPatch in
                for row in 0..<resolution {
                    var lumaRow = luma.row(row, of: lumaPatch, channels: 1)
                    var chromaRow = chroma.row(row, of: chromaPatch, channels: 2)
                    let line = tensor + row * resolution
                    kernels.sample(&lumaRow, &chromaRow, resolution, &color, line, line + area, line + 2 * area)
                }
            }
        }
    }
}
