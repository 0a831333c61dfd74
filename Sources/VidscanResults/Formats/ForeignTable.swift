package import VidscanBase
internal import VidscanFaces

/// A table with the columns of another program, which has a row for each face and for each frame without a face.
package struct ForeignTable: Sendable {
    /// Columns that are known together, or not at all.
    struct Group: Sendable {
        let names: [String]
        /// What the columns contain if they are not known.
        var filler = Field.missing
        /// Returns `nil` if the columns are not known.
        let fields: @Sendable (Sample) -> [Field]?
    }

    /// A face in a frame, or a frame without a face.
    struct Sample {
        let frame: FrameRecord
        let face: FaceRow?
        /// The path of the video.
        let input: String

        subscript(field: FaceField) -> Double? { face?.face.numbers[field] }

        var mesh: FaceMesh? { face?.face.mesh }

        var pose: HeadPose? {
            guard let yaw = self[.yaw], let pitch = self[.pitch], let roll = self[.roll] else { return nil }
            return HeadPose(yaw: yaw, pitch: pitch, roll: roll)
        }

        /// Returns `nil` for a number that vidscan does not measure.
        func actionUnit(_ number: Int) -> Double?? {
            Metric(rawValue: ForeignTable.actionUnitName(number)).map { self[.metric($0)] }
        }
    }

    package let file: String
    /// What vidscan does not measure.
    let notice: String
    package let names: [String]
    private let groups: [Group]

    init(file: String, notice: String, _ groups: [Group]) {
        (self.file, self.notice, self.groups) = (file, notice, groups)
        names = groups.flatMap(\.names)
    }

    package func rows(_ frame: FrameRecord, _ faces: [FaceRow], _ input: String) -> [[Field]] {
        let faces: [FaceRow?] = faces.isEmpty ? [nil] : faces
        return faces.map { face in
            let sample = Sample(frame: frame, face: face, input: input)
            return groups.flatMap { $0.fields(sample) ?? Array(repeating: $0.filler, count: $0.names.count) }
        }
    }

    static func decimals(_ values: [Double], _ count: Int) -> [Field] { values.map { .decimal($0, decimals: count) } }

    static func numbered(_ name: String, _ count: Int) -> [String] { (0..<count).map { "\(name)_\($0)" } }

    static func actionUnitName(_ number: Int) -> String { "AU\(number < 10 ? "0" : "")\(number)" }
}
