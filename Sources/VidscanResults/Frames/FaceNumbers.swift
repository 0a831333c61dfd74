package import VidscanBase

package struct FaceNumbers: Sendable {
    /// In the order of `FaceField.all`; NaN if missing.
    var values = [Double](repeating: .nan, count: FaceField.all.count)

    package init() {}

    package subscript(field: FaceField) -> Double? {
        get {
            switch field {
            case .x(let point): return self[point]?.x
            case .y(let point): return self[point]?.y
            default:
                let value = values[field.position]
                return value.isNaN ? nil : value
            }
        }
        set { values[field.position] = newValue ?? .nan }
    }

    /// A point without a position is missing, except for the mouth, which lies between its corners.
    package subscript(point: FacePoint) -> Point? {
        get {
            let (x, y) = (values[FaceField.x(point).position], values[FaceField.y(point).position])
            guard x.isNaN || y.isNaN else { return Point(x: x, y: y) }
            guard point == .mouth, let left = self[.leftMouthCorner], let right = self[.rightMouthCorner] else {
                return nil
            }
            return Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2)
        }
        set {
            self[.x(point)] = newValue?.x
            self[.y(point)] = newValue?.y
        }
    }

    package var box: Rectangle {
        get {
            Rectangle(
                x: values[FaceField.left.position], y: values[FaceField.top.position],
                width: values[FaceField.width.position], height: values[FaceField.height.position])
        }
        set {
            self[.left] = newValue.x
            self[.top] = newValue.y
            self[.width] = newValue.width
            self[.height] = newValue.height
        }
    }

    package var turnDegrees: Double? {
        guard let yaw = self[.yaw], let pitch = self[.pitch] else { return nil }
        return (yaw * yaw + pitch * pitch).squareRoot()
    }

    /// Transforms the box, the points and the pose into the coordinates of another image.
    package mutating func move(by map: AffineTransform) {
        let old = self
        box = old.box.bounds(after: map)
        let isMirrored = map.xx * map.yy - map.xy * map.yx < 0
        for point in FacePoint.allCases {
            // Mirroring swaps left and right.
            self[isMirrored ? point.mirrored : point] = old[point].map(map.apply)
        }
        if isMirrored { self[.yaw] = old[.yaw].map { -$0 } }
        let turn = Trigonometry.degrees(y: map.yx, x: map.xx)
        self[.roll] = old[.roll].map { (isMirrored ? 180 + turn - $0 : turn + $0).remainder(dividingBy: 360) }
    }

    mutating func roundToSinglePrecision() {
        for position in values.indices { values[position] = Double(Float(values[position])) }
    }

    /// Replaces the smoothed numbers by weighted sums over several samples. A number missing in one of them is missing.
    package mutating func smoothen(_ samples: some Sequence<(weight: Double, numbers: FaceNumbers)>) {
        for position in Self.smoothed {
            values[position] = samples.reduce(0) { $0 + $1.weight * $1.numbers.values[position] }
        }
    }

    private static let smoothed = FaceField.smoothed.map(\.position)
}

/// How well a face can be seen: weighs its appearance descriptor and picks the best frame for a thumbnail.
package enum FaceProminence {
    /// Returns a weight from 0 up: about 1 for a sharp, frontal, whole face of a quarter of the frame's shorter side.
    package static func of(_ face: FaceNumbers, in size: PictureSize) -> Double {
        let fraction = face.box.area.squareRoot() / Double(max(size.shortSide, 1))
        let extent = min(fraction / 0.25, 1.5)
        let turn = face.turnDegrees.map { max(0.1, 1 - $0 / 50) } ?? 0.15
        let sharpness = face[.sharpness].map { $0 / ($0 + 60) } ?? 0.3
        let isCut =
            face.box.x <= 1 || face.box.y <= 1 || face.box.x + face.box.width >= Double(size.width) - 1
            || face.box.y + face.box.height >= Double(size.height) - 1
        return (face[.confidence] ?? 0) * extent * turn * (0.3 + sharpness) * (isCut ? 0.3 : 1)
    }
}
