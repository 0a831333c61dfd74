package import VidscanBase
package import VidscanMedia
package import VidscanResults

/// The moment at which a face is shown.
package struct FaceMoment: Sendable {
    package var faceID: Int
    package var microseconds: Int64
    /// The box, in pixels of the upright frame. Before `FacePictures` has read the box at this moment, the mean box.
    package var box: Rectangle

    package init(faceID: Int, microseconds: Int64, box: Rectangle) {
        self.faceID = faceID
        self.microseconds = microseconds
        self.box = box
    }
}

/// Pictures of faces, cut out of the video of a result.
package enum FacePictures {
    /// - Parameters:
    ///   - moments: One for each face.
    ///   - source: The video.
    /// - Returns: `data:` URLs of JPEG files, by `face_id`. Faces whose frame cannot be decoded are left out.
    package static func make(
        _ moments: [FaceMoment], of result: StoredResult, from source: InputFile, limits: MediaLimits,
        cancellation: CancellationFlag
    ) throws(VidscanError) -> [Int: String] {
        let boxes = try boxes(result.name, at: moments, mapToSource: result.mapToSource())
        let placed = moments.map { moment in
            var moment = moment
            moment.box = boxes[moment.faceID] ?? moment.box
            return moment
        }
        return try VidscanError.media(stage: .render) { () throws(MediaError) in
            try Thumbnails(
                source: source, streamIndex: result.record.video.stream, limits: limits, cancellation: cancellation
            ).make(placed)
        }
    }

    /// Returns the box of each face at its moment.
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
