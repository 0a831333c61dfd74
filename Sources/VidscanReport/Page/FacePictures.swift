internal import Foundation
package import VidscanBase
package import VidscanMedia
package import VidscanResults

/// The box, in pixels of the upright frame, is for a table that has none at this moment.
package typealias FaceMoment = (faceID: Int, microseconds: Int64, box: Rectangle)

package enum FacePictures {
    /// In pixels: twice the size on the page, for high-density displays.
    private static let side = 192, smallSide = 104
    /// The side relative to the longer side of the face's box.
    private static let extent = 1.5

    /// Returns `data:` URLs of JPEG files by `face_id`, without faces whose frame cannot be decoded.
    package static func make(
        _ moments: [FaceMoment], of result: StoredResult, from source: InputFile, limits: MediaLimits,
        areSmall: Bool = false, cancellation: CancellationFlag
    ) throws(VidscanError) -> [Int: String] {
        let boxes = try boxes(result.name, at: moments, mapToSource: result.mapToSource())
        return try VidscanError.media(stage: .render) { () throws(MediaError) in
            var pictures: [Int: String] = [:]
            for moment in moments {
                // Tables round to the microsecond, and no two frames are within half a millisecond of each other.
                let reader = try FrameReader(
                    path: source.absolutePath,
                    options: FrameReader.Options(
                        rate: .everyFrame, start: max(0, moment.microseconds - 500),
                        streamIndex: result.record.video.stream, limits: limits), cancellation: cancellation)
                guard let frame = try reader.next() else { continue }
                // A box outside the frame contains no face.
                let box = (boxes[moment.faceID] ?? moment.box).clamped(to: frame.geometry.displaySize)
                guard box.area > 0 else { continue }
                pictures[moment.faceID] = url(
                    try jpeg(of: box, in: frame, extent: extent, side: areSmall ? smallSide : side))
            }
            return pictures
        }
    }

    /// A JPEG file of a square around a box: `extent` is relative to the box's longer side, and `side` is in pixels.
    package static func jpeg(
        of box: Rectangle, in frame: SampledFrame, extent: Double, side: Int
    ) throws(MediaError) -> [UInt8] {
        var planes = [Float](repeating: 0, count: 3 * side * side)
        let square = RotatedSquare(center: box.center, side: extent * max(box.width, box.height, 1), angle: 0)
        try SquareCropper().crop(frame, square: square, resolution: side, into: &planes)
        return try PictureEncoder.jpeg(planes, side: side)
    }

    package static func url(_ jpeg: [UInt8]) -> String { "data:image/jpeg;base64," + Data(jpeg).base64EncodedString() }

    private static func boxes(
        _ folder: String, at moments: [FaceMoment], mapToSource map: VidscanBase.AffineTransform?
    ) throws(VidscanError) -> [Int: Rectangle] {
        let times = Dictionary(uniqueKeysWithValues: moments.map { ($0.faceID, $0.microseconds) })
        let table = try TableReader(folder: folder, name: "faces.csv")
        let (time, id) = (try table.column("time"), try table.column("face_id"))
        let columns = try FaceColumns(FaceField.box, of: table)
        var boxes: [Int: Rectangle] = [:]
        while try table.next() {
            let face = try table.integer(id, in: ReadLimits.ids)
            guard let moment = times[face], try table.microseconds(time) == moment else { continue }
            let box = try columns.numbers(in: table).box
            boxes[face] = map.map(box.bounds) ?? box
        }
        return boxes
    }
}
