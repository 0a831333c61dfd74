public import VidscanBase

/// 478 points with MediaPipe's indices: 0–467 are the face with its lips and lids, 468–472 the iris on the left of the
/// frame (the subject's right one), 473–477 the other. An iris is centre, right, top, left, bottom.
public struct FaceMesh: Sendable, Equatable {
    public static let pointCount = 478

    /// x, y, z of each point in display pixels; z has the same unit, and smaller is nearer to the camera.
    public let coordinates: [Float]

    /// - Parameter coordinates: 3 · 478 numbers.
    public init(coordinates: [Float]) {
        precondition(coordinates.count == 3 * Self.pointCount, "a mesh has 478 points")
        self.coordinates = coordinates
    }

    public subscript(index: Int) -> Point {
        Point(x: Double(coordinates[3 * index]), y: Double(coordinates[3 * index + 1]))
    }

    public func z(_ index: Int) -> Double { Double(coordinates[3 * index + 2]) }
    func position(_ index: Int) -> Vector3 { Vector3(x: self[index].x, y: self[index].y, z: z(index)) }

    /// The irises lie inside.
    package var bounds: Rectangle { Rectangle(around: (0..<MeshPoint.rightIris).map { self[$0] }) }

    public func middle(_ first: Int, _ second: Int) -> Point { self[first].middle(self[second]) }

    /// In the frame, in pixels.
    public func distance(_ first: Int, _ second: Int) -> Double { (self[first] - self[second]).length }
}

/// Indices of well-known points. Left and right are the subject's own.
public enum MeshPoint {
    public static let rightEyeOuter = 33, rightEyeInner = 133, leftEyeInner = 362, leftEyeOuter = 263
    public static let noseTip = 1, chin = 152
    public static let rightMouthCorner = 61, leftMouthCorner = 291, upperLipInner = 13, lowerLipInner = 14
    public static let lowerLip = 17, rightBrow = 105, leftBrow = 334
    public static let rightIris = 468, leftIris = 473
}
