import Foundation
package import VidscanBase

/// Where the faces of the sample clip really are, as `samples/faces.truth.csv` says.
package enum SampleTruth {
    package struct Face: Sendable {
        package let frame: Int
        package let box: Rectangle
        /// The share of the box that lies inside of the picture, 0 to 1.
        package let visible: Double
    }

    /// All faces in all 500 frames.
    package static func faces() throws -> [Face] {
        let table = try CSVTable(path: Checkout.truth)
        let (frames, visible) = (try table.numbers("frame"), try table.numbers("visible"))
        let boxes = try table.boxes()
        return table.rows.indices.map { Face(frame: Int(frames[$0]), box: boxes[$0], visible: visible[$0]) }
    }
}

extension CSVTable {
    /// The boxes in the columns `x`, `y`, `width` and `height`.
    package func boxes() throws -> [Rectangle] {
        let (x, y) = (try numbers("x"), try numbers("y"))
        let (width, height) = (try numbers("width"), try numbers("height"))
        return rows.indices.map { Rectangle(x: x[$0], y: y[$0], width: width[$0], height: height[$0]) }
    }
}

extension RawVideo {
    /// Whether eyes, nose and mouth, which lie in the middle half of a face's box, all have one brightness in a frame.
    package func isCovered(_ box: Rectangle, frame: Int) -> Bool {
        let luma = [(0.3, 0.4), (0.7, 0.4), (0.5, 0.6), (0.4, 0.75), (0.6, 0.75)].map { share in
            self.luma(frame, Int(box.x + box.width * share.0), Int(box.y + box.height * share.1))
        }
        return Set(luma).count == 1
    }
}
