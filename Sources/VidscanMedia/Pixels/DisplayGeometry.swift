public import VidscanBase

/// The conversion of a coded frame for display: first to square pixels, by which only the width changes, then by the rotation
/// of the display matrix.
public struct DisplayGeometry: Sendable, Hashable {
    /// Pixels of the decoded planes, after cropping by the codec.
    public let codedSize: PictureSize
    /// Pixels of the upright frame with square pixels.
    public let displaySize: PictureSize
    public let orientation: Orientation

    /// - Parameter pixelAspect: width over height of a coded pixel. 0 and negative values mean square pixels.
    public init(codedSize: PictureSize, pixelAspect: Rational, orientation: Orientation) {
        self.codedSize = codedSize
        self.orientation = orientation
        var width = Double(codedSize.width)
        // Only a broken header has a ratio outside this range.
        if pixelAspect.numerator > 0, (0.05...20).contains(pixelAspect.value) { width *= pixelAspect.value }
        let square = PictureSize(width: max(1, Int(width.rounded())), height: codedSize.height)
        displaySize = orientation.apply(to: square)
    }

    /// From display pixels to pixels of the decoded planes.
    public var displayToCoded: AffineTransform {
        let scaleX = Double(orientation.swapsAxes ? codedSize.height : codedSize.width) / Double(displaySize.width)
        let scaleY = Double(orientation.swapsAxes ? codedSize.width : codedSize.height) / Double(displaySize.height)
        // The display axes in coded pixels, each along the coded axis that it comes from.
        let x =
            orientation.mirrorsX
            ? (factor: -scaleX, offset: Double(displaySize.width) * scaleX) : (factor: scaleX, offset: 0)
        let y =
            orientation.mirrorsY
            ? (factor: -scaleY, offset: Double(displaySize.height) * scaleY) : (factor: scaleY, offset: 0)
        return orientation.swapsAxes
            ? AffineTransform(xx: 0, xy: y.factor, x: y.offset, yx: x.factor, yy: 0, y: x.offset)
            : AffineTransform(xx: x.factor, xy: 0, x: x.offset, yx: 0, yy: y.factor, y: y.offset)
    }
}

/// The display matrix of a container or a frame (ISO/IEC 14496-12, 6.2.2).
enum DisplayMatrix {
    static func orientation(_ matrix: UnsafePointer<Int32>) -> (orientation: Orientation, isExact: Bool)? {
        Orientation.nearest(
            a: Double(matrix[0]), b: Double(matrix[1]), c: Double(matrix[3]), d: Double(matrix[4]))
    }
}
