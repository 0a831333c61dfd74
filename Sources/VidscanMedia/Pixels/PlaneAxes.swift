internal import VidscanBase

/// The weights with which `AreaResampler` averages the planes of a frame.
struct PlaneAxes {
    /// What the weights depend on.
    struct Key: Hashable {
        var lumaSize: PictureSize
        var chromaSize: PictureSize
        var chromaShiftX: Int
        var chromaShiftY: Int
        var chromaOffsetX: Double
        var chromaOffsetY: Double
        /// The size of the result, upright.
        var target: PictureSize
        var orientation: Orientation

        init(_ image: PlanarImage, target: PictureSize, orientation: Orientation) {
            let chroma = image.blueDifference ?? image.luma
            lumaSize = PictureSize(width: image.luma.width, height: image.luma.height)
            chromaSize = PictureSize(width: chroma.width, height: chroma.height)
            chromaShiftX = image.chromaShiftX
            chromaShiftY = image.chromaShiftY
            chromaOffsetX = image.chromaOffsetX
            chromaOffsetY = image.chromaOffsetY
            self.target = target
            self.orientation = orientation
        }
    }

    let key: Key
    let lumaX: RowFilter
    let lumaY: AxisWeights
    let chromaX: RowFilter
    let chromaY: AxisWeights
    /// The number of outputs in a row.
    let lumaXCount: Int
    /// Floats that a row of sums needs.
    let sampleCapacity: Int
    /// Floats that a row of outputs needs.
    let outputCapacity: Int

    init(_ key: Key) {
        let target = key.orientation.apply(to: key.target)
        let (scaleX, scaleY) = (Double(1 << key.chromaShiftX), Double(1 << key.chromaShiftY))
        let (width, height) = (Double(key.lumaSize.width), Double(key.lumaSize.height))
        // Each row is filtered in the order in which the display shows it.
        let isMirrored = key.orientation.swapsAxes ? key.orientation.mirrorsY : key.orientation.mirrorsX
        self.key = key
        lumaX = AxisWeights(samples: key.lumaSize.width, length: width, outputs: target.width)
            .rowFilter(isMirrored: isMirrored)
        lumaY = AxisWeights(samples: key.lumaSize.height, length: height, outputs: target.height)
        chromaX = AxisWeights(
            samples: key.chromaSize.width, length: width / scaleX, outputs: target.width,
            offset: -key.chromaOffsetX / scaleX
        ).rowFilter(isMirrored: isMirrored)
        chromaY = AxisWeights(
            samples: key.chromaSize.height, length: height / scaleY, outputs: target.height,
            offset: -key.chromaOffsetY / scaleY)
        lumaXCount = target.width
        sampleCapacity = max(
            key.lumaSize.width, key.chromaSize.width, lumaX.sampleCapacity, chromaX.sampleCapacity)
        outputCapacity = lumaX.outputCapacity
    }
}
