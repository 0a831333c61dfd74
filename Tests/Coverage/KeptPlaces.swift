internal import Foundation
internal import VidscanBase
internal import VidscanVerify

/// Where a person who stays visible is in each frame.
struct KeptRegions {
    private var boxes: [Int: [Rectangle]] = [:]

    init() {}

    /// - Parameter path: A CSV file with the columns `frame`, `x`, `y`, `width` and `height`, in this order.
    /// - Throws: `CoverageError` for a line of another form.
    init(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for (number, line) in text.split(separator: "\n").enumerated().dropFirst() {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard values.count == 5, let frame = values[0].flatMap({ Int(exactly: $0) }), let x = values[1],
                let y = values[2], let width = values[3], let height = values[4]
            else { throw CoverageError("\(path), line \(number + 1): expected frame,x,y,width,height") }
            boxes[frame, default: []].append(Rectangle(x: x, y: y, width: width, height: height))
        }
    }

    /// Returns whether a face is that of the person. BlazeFace's boxes end at the eyebrows.
    func contain(_ face: DetectedFace, frame: Int) -> Bool {
        (boxes[frame] ?? []).contains { $0.intersectionOverUnion(with: face.box) > 0.4 }
    }
}
