internal import Foundation
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Pictures of faces at their best moments, as `data:` addresses of JPEG files.
struct Thumbnails {
    /// Pixels of a side: twice what a page shows, for dense screens.
    private static let side = 192
    /// More of the face's surroundings than its box.
    private static let extent = 1.5

    package let source: InputFile
    package let streamIndex: Int
    package let limits: MediaLimits
    /// Box of each face at its best moment.
    package let boxes: [Int: Rectangle]
    package let cancellation: CancellationFlag

    /// - Returns: by face; without those whose moment cannot be decoded.
    package func make(_ faces: [ReportedFace]) throws(MediaError) -> [Int: String] {
        var pictures: [Int: String] = [:]
        let cropper = SquareCropper()
        let tensor = UnsafeMutablePointer<Float>.allocate(capacity: 3 * Self.side * Self.side)
        tensor.initialize(repeating: 0, count: 3 * Self.side * Self.side)
        defer { tensor.deallocate() }
        for face in faces {
            // A table's times are rounded to the microsecond; no frame is within half a millisecond of another.
            let reader = try FrameReader(
                path: source.absolutePath,
                options: FrameReader.Options(
                    rate: .everyFrame, start: max(0, face.bestMicroseconds - 500), streamIndex: streamIndex,
                    limits: limits), cancellation: cancellation)
            guard let frame = try reader.next() else { continue }
            // A box that is not in the picture has no face in it.
            let box = (boxes[face.id] ?? face.box).clamped(to: frame.geometry.displaySize)
            guard box.area > 0 else { continue }
            let center = Point(x: box.x + box.width / 2, y: box.y + box.height / 2)
            try cropper.crop(
                frame,
                square: RotatedSquare(center: center, side: Self.extent * max(box.width, box.height), angle: 0),
                resolution: Self.side, into: tensor)
            let bytes = try JPEGEncoder.encode(tensor, side: Self.side)
            pictures[face.id] = "data:image/jpeg;base64," + Data(bytes).base64EncodedString()
        }
        return pictures
    }
}
