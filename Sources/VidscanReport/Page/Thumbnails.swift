internal import Foundation
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Images of faces at their best times, as `data:` URLs of JPEG files.
struct Thumbnails {
    /// The side length in pixels: twice the size on the page, for high-density displays.
    private static let side = 192
    /// The side of the image relative to the longer side of the face's box.
    private static let extent = 1.5

    let source: InputFile
    let streamIndex: Int
    let limits: MediaLimits
    let cancellation: CancellationFlag

    /// Decodes and encodes one image per face.
    ///
    /// - Returns: The URLs by face_id. Faces whose frame cannot be decoded are left out.
    func make(_ faces: [FaceMoment]) throws(MediaError) -> [Int: String] {
        var pictures: [Int: String] = [:]
        let cropper = SquareCropper()
        let tensor = UnsafeMutablePointer<Float>.allocate(capacity: 3 * Self.side * Self.side)
        tensor.initialize(repeating: 0, count: 3 * Self.side * Self.side)
        defer { tensor.deallocate() }
        for face in faces {
            // Times in tables are rounded to the microsecond. No two frames are within half a millisecond of each
            // other.
            let reader = try FrameReader(
                path: source.absolutePath,
                options: FrameReader.Options(
                    rate: .everyFrame, start: max(0, face.microseconds - 500), streamIndex: streamIndex,
                    limits: limits), cancellation: cancellation)
            guard let frame = try reader.next() else { continue }
            // A box outside the frame contains no face.
            let box = face.box.clamped(to: frame.geometry.displaySize)
            guard box.area > 0 else { continue }
            let center = Point(x: box.x + box.width / 2, y: box.y + box.height / 2)
            try cropper.crop(
                frame,
                square: RotatedSquare(center: center, side: Self.extent * max(box.width, box.height), angle: 0),
                resolution: Self.side, into: tensor)
            let bytes = try JPEGEncoder.encode(tensor, side: Self.side)
            pictures[face.faceID] = "data:image/jpeg;base64," + Data(bytes).base64EncodedString()
        }
        return pictures
    }
}
