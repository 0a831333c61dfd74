internal import VidscanBase
package import VidscanFaces

/// A number that is recorded of a face in a frame.
///
/// This is the only description of these numbers. The columns of `faces.csv`, the members of the JSON formats, the
/// schema, the intermediate file, the statistics in `tracks.csv` and the readers of all of them follow it. To record
/// another number, add a case, its place in `all`, its description, and its value in `FaceRecord.init`.
package enum FaceField: Hashable, Sendable {
    case confidence
    /// The box.
    case left, top, width, height
    case presence
    case x(FacePoint), y(FacePoint)
    case interocularDistance
    case yaw, pitch, roll
    case brightness, sharpness
    case metric(Metric)

    package static let box: [FaceField] = [.left, .top, .width, .height]
    package static let points = FacePoint.allCases.flatMap { [FaceField.x($0), .y($0)] }
    package static let pose: [FaceField] = [.yaw, .pitch, .roll]
    static let metrics = Metric.allCases.map(FaceField.metric)

    /// In the order of the columns of `faces.csv`.
    package static let all =
        [confidence] + box + [presence] + points + [interocularDistance] + pose + [brightness, sharpness] + metrics

    /// The numbers that the intermediate file stores. The mouth follows from its corners.
    static let stored = all.filter { ![.x(.mouth), .y(.mouth)].contains($0) }

    /// The numbers that are smoothed over time.
    package static let smoothed = stored.filter { (box + points + [interocularDistance]).contains($0) }

    /// The numbers of which the JSON formats give the raw values too: those that are smoothed, and those that are relative
    /// to a resting level.
    static let processed = smoothed + relative.map(FaceField.metric)
    private static let relative = Metric.allCases.filter { $0.group == .emotions || $0.group == .emojis }

    /// The position in `all`.
    package var position: Int {
        guard let position = Self.positions[self] else { preconditionFailure("\(self) is missing in FaceField.all") }
        return position
    }

    private static let positions = Dictionary(uniqueKeysWithValues: zip(all, 0...))

    var description: Description { Self.descriptions[position] }

    private static let descriptions = all.map(\.described)

    package var name: String { description.name }
    package var unit: String { description.unit }
    package var meaning: String { description.meaning }
    package var range: ClosedRange<Double> { description.range }
}

extension FaceField {
    struct Description: Sendable {
        /// The name of the column.
        let name: String
        let unit: String
        let range: ClosedRange<Double>
        /// The range for readers of the schema.
        let rangeText: String
        let decimals: Int
        /// Whether every face has the number.
        let isRequired: Bool
        let status: Metric.Status?
        let meaning: String

        init(
            _ name: String, unit: String = "", _ range: ClosedRange<Double>, rangeText: String? = nil,
            decimals: Int = 2, isRequired: Bool = false, status: Metric.Status? = nil, _ meaning: String
        ) {
            self.name = name
            self.unit = unit
            self.range = range
            self.rangeText = rangeText ?? Column.text(of: range)
            self.decimals = decimals
            self.isRequired = isRequired
            self.status = status
            self.meaning = meaning
        }
    }

    private var described: Description {
        switch self {
        case .confidence:
            Description(
                "confidence", 0...1, decimals: 4, isRequired: true,
                "The detector's score for the face. Between two samples that were searched, it is interpolated, as the"
                    + " box is.")
        case .left: Self.side("x", ReadLimits.coordinates, "Left edge")
        case .top: Self.side("y", ReadLimits.coordinates, "Top edge")
        case .width: Self.side("width", ReadLimits.extents, "Width")
        case .height: Self.side("height", ReadLimits.extents, "Height")
        case .presence:
            Description(
                "presence", 0...1, decimals: 4, isRequired: true,
                "The mesh model's score for a face in the box. Below \(NumberText.plain(MeshPresence.threshold)) there is"
                    + " no mesh, and the values from the mesh are blank (full profiles); a box with a confidence below"
                    + " \(NumberText.plain(MeshPresence.trusted)) is then dropped.")
        case .x(let point): Self.coordinate("x", of: point)
        case .y(let point): Self.coordinate("y", of: point)
        case .interocularDistance:
            Description(
                "interocular_distance", unit: "px", ReadLimits.extents, rangeText: "0 and up",
                "Distance between the outer corners of the eyes in the frame; it shrinks as the head turns.")
        case .yaw:
            Description(
                "yaw", unit: "degrees", HeadPose.yaws,
                "Head turned sideways; > 0 when the subject turns to their left. Differs by 1.1 on average from MediaPipe's"
                    + " matrices within 27 degrees; beyond 45 degrees it is rough.")
        case .pitch:
            Description(
                "pitch", unit: "degrees", HeadPose.pitches,
                "Head turned up or down; > 0 up. Differs by 1.6 on average from MediaPipe's matrices.")
        case .roll:
            Description(
                "roll", unit: "degrees", HeadPose.rolls,
                "Head tilted sideways; > 0 clockwise in the frame. Differs by 0.6 on average from MediaPipe's matrices."
            )
        case .brightness:
            Description("brightness", 0...100, "Mean luma of the middle of the face: 0 is black, 100 is white.")
        case .sharpness:
            Description(
                "sharpness", ReadLimits.sharpness, rangeText: "0 and up",
                "Variance of the Laplacian of the face's luma, scaled to a fixed size: small if the face is blurred or enlarged."
            )
        case .metric(let metric):
            Description(
                metric.rawValue, unit: metric.unit, metric.values, rangeText: metric.isFlag ? "0 or 1" : nil,
                decimals: metric.isFlag ? 0 : metric.group == .aus ? 4 : 2, status: metric.status,
                metric.meaning
                    + (Self.relative.contains(metric) ? " Relative to the face at rest, unless --baseline none." : ""))
        }
    }

    private static func side(_ name: String, _ range: ClosedRange<Double>, _ what: String) -> Description {
        Description(
            name, unit: "px", range, rangeText: "inside the frame", isRequired: true,
            "\(what) of the face's box, clipped to the frame."
                + " Relative to the top left corner of the upright frame with square pixels. Smoothed where five samples or more lie within"
                + " \(NumberText.plain(LocalRegression().reach)) s, unless you use --no-smoothing; JSON has the raw values too."
        )
    }

    private static func coordinate(_ axis: String, of point: FacePoint) -> Description {
        let source =
            point == .chin ? "From the mesh; blank without one." : "From the mesh; without one, from the detector."
        return Description(
            "\(point.rawValue)_\(axis)", unit: "px", ReadLimits.coordinates, rangeText: "may lie outside the frame",
            isRequired: point != .chin, "\(point.meaning), \(axis). \(source)")
    }
}
