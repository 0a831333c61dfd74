internal import VidscanBase

/// A person who enters or leaves the frame close to the lens between two samples: much of the frame changes, but the
/// rest of it does not.
enum EntranceOrExit {
    /// The minimum fraction of the frame that must remain outside the bodies for the comparison.
    private static let minimumRest = 0.3
    /// The maximum difference in luma, 0…255, of a cell that counts as unchanged.
    private static let maximumDifference: Float = 12
    /// The minimum fraction of the remaining cells that must be unchanged.
    private static let minimumStaying = 0.9

    static func explains(_ before: ShotDetector.Sample, _ after: ShotDetector.Sample) -> Bool {
        let gone = before.faces.filter { face in !after.faces.contains { isNear(face, $0) } }
        let come = after.faces.filter { face in !before.faces.contains { isNear(face, $0) } }
        // A different face in another position may as well be another shot.
        guard gone.isEmpty != come.isEmpty else { return false }
        let bodies = (gone + come).map(body)
        let side = FrameSignature.side
        var left = 0
        var staying = 0
        for row in 0..<side {
            for column in 0..<side {
                let x = (Double(column) + 0.5) / Double(side)
                let y = (Double(row) + 0.5) / Double(side)
                if bodies.contains(where: { $0.x <= x && x <= $0.x + $0.width && $0.y <= y && y <= $0.y + $0.height }) {
                    continue
                }
                left += 1
                let cell = row * side + column
                if abs(before.signature.thumbnail[cell] - after.signature.thumbnail[cell]) < maximumDifference {
                    staying += 1
                }
            }
        }
        return Double(left) >= minimumRest * Double(side * side) && Double(staying) >= minimumStaying * Double(left)
    }

    private static func isNear(_ a: Rectangle, _ b: Rectangle) -> Bool { a.intersectionOverUnion(with: b) > 0.1 }

    /// Returns the area of a person in relative coordinates: hair and shoulders, down to the lower edge of the frame,
    /// extended to the nearer side, where the other sample may show half of the person.
    private static func body(of face: Rectangle) -> Rectangle {
        let top = face.y - 0.6 * face.height
        var left = face.x - 0.9 * face.width
        var right = face.x + 1.9 * face.width
        if left < 1 - right { left = 0 } else { right = 1 }
        return Rectangle(x: left, y: top, width: right - left, height: max(1 - top, 0))
    }
}
