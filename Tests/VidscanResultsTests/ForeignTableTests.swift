import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

/// The lists of columns come from the other programs: OpenFace's from a file that its version 2.2 wrote, Py-Feat's from the
/// lists in the source of its version 2.1.
@Suite("The tables of other programs have their columns")
struct ForeignTableTests {
    private func golden(_ name: String) throws -> [String] {
        let text = try String(
            contentsOfFile: Checkout.root + "/Tests/VidscanResultsTests/" + name, encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("openface.csv has OpenFace's columns, in its order")
    func openFace() throws {
        #expect(ForeignTable.openFace.names == (try golden("openface.columns.txt")))
        #expect(ForeignTable.openFace.names.count == 714)
    }

    @Test("pyfeat.csv has Py-Feat's columns, in its order, but for the face embeddings")
    func pyFeat() throws {
        #expect(ForeignTable.pyFeat.names == (try golden("pyfeat.columns.txt")))
    }

    /// A face that the detector found and that no mesh fits.
    private var profile: FaceRow {
        let point = Point(x: 7, y: 8)
        let landmarks = FaceLandmarks(points: [point, point, point, point, point])
        let face = FaceRecord(
            AnalyzedFace(
                detection: FaceDetection(
                    box: Rectangle(x: 1, y: 2, width: 3, height: 4), confidence: 0.9, landmarks: landmarks),
                presence: 0.25), in: PictureSize(width: 640, height: 480), metrics: [])
        return FaceRow(
            microseconds: 1_500_000, frame: 3, faceID: 2, face: face, raw: face.numbers, metrics: [])
    }

    private func frame(_ microseconds: Int64, _ index: Int64) -> FrameRecord {
        FrameRecord(
            microseconds: microseconds, index: index, epoch: 0, size: PictureSize(width: 640, height: 360),
            quality: FrameQuality(luma: 0, sharpness: 0), isDamaged: false, faces: [])
    }

    @Test("A face without a mesh is no success in openface.csv, with 0 for everything unknown")
    func noMesh() throws {
        let fields = ForeignTable.openFace.rows(frame(1_500_000, 3), [profile], "a,b.mp4")[0]
        try #require(fields.count == ForeignTable.openFace.names.count)
        #expect(
            fields.prefix(5)
                == [.integer(4), .integer(2), .microseconds(1_500_000), .decimal(0, decimals: 2), .integer(0)])
        #expect(fields.dropFirst(5).allSatisfy { $0 == .integer(0) })
    }

    /// A face with a mesh and a value for each number.
    private var whole: FaceRow {
        var row = profile
        row.face.mesh = FaceMesh(coordinates: (0..<3 * FaceMesh.pointCount).map { Float(10 + $0 * 7 % 90) })
        for field in FaceField.all {
            row.face.numbers[field] = min(max(0.5, field.range.lowerBound), field.range.upperBound)
        }
        return row
    }

    @Test("OpenFace's success and confidence are 0 unless every action unit is known, and then nothing is blank")
    func success() throws {
        func values(_ face: FaceRow, _ table: ForeignTable) -> [String: Field] {
            Dictionary(uniqueKeysWithValues: zip(table.names, table.rows(frame(0, 0), [face], "a.mp4")[0]))
        }
        #expect(values(whole, .openFace)["success"] == .integer(1))
        #expect(values(whole, .openFace)["confidence"] == .decimal(0.5, decimals: 2))
        var covered = whole
        covered.face.numbers[.metric(.au12)] = nil
        covered.face.numbers[.metric(.gazeYaw)] = nil
        let zero = values(covered, .openFace)
        #expect(zero["success"] == .integer(0) && zero["confidence"] == .decimal(0, decimals: 2))
        #expect(zero["AU12_r"] == .integer(0) && zero["AU12_c"] == .integer(0) && zero["gaze_0_z"] == .integer(0))
        #expect(zero["AU01_r"] == values(whole, .openFace)["AU01_r"] && !zero.values.contains(.missing))
        let blank = values(covered, .openFace(.nan))
        #expect(blank["success"] == .integer(0) && blank["AU23_r"] == .integer(0))
        #expect(blank["AU12_r"] == .missing && blank["AU12_c"] == .missing && blank["gaze_0_z"] == .missing)
        // Closed eyes have no gaze.
        var shut = whole
        shut.face.numbers[.metric(.gazeYaw)] = nil
        #expect(values(shut, .openFace)["success"] == .integer(1))
        #expect(values(profile, .openFace(.nan))["x_0"] == .missing)
    }

    @Test("A face without a mesh has only its box in pyfeat.csv")
    func onlyBox() throws {
        let fields = ForeignTable.pyFeat.rows(frame(1_500_000, 3), [profile], "a,b.mp4")[0]
        try #require(fields.count == ForeignTable.pyFeat.names.count)
        let values = Dictionary(uniqueKeysWithValues: zip(ForeignTable.pyFeat.names, fields))
            .filter { $0.value != .missing }
        #expect(
            values == [
                "FaceRectX": .decimal(1, decimals: 2), "FaceRectY": .decimal(2, decimals: 2),
                "FaceRectWidth": .decimal(3, decimals: 2), "FaceRectHeight": .decimal(4, decimals: 2),
                "FaceScore": .decimal(0.9, decimals: 4).rounded, "FrameHeight": .integer(360),
                "FrameWidth": .integer(640),
                "input": .text("a,b.mp4"), "frame": .integer(3), "approx_time": .text("00:01"),
            ])
    }

    @Test("A frame without a face has a row in each table")
    func noFace() throws {
        let frame = frame(61_000_000, 9)
        let openFace = ForeignTable.openFace.rows(frame, [], "a.mp4")[0]
        #expect(openFace.count == ForeignTable.openFace.names.count)
        #expect(openFace.prefix(2) == [.integer(10), .integer(0)])
        let pyFeat = ForeignTable.pyFeat.rows(frame, [], "a.mp4")[0]
        try #require(pyFeat.count == ForeignTable.pyFeat.names.count)
        #expect(pyFeat.dropLast(6).allSatisfy { $0 == .missing })
        #expect(
            pyFeat.suffix(6)
                == [.integer(360), .integer(640), .text("a.mp4"), .integer(9), .text("01:01"), .missing])
    }
}

extension Field {
    /// The number as the intermediate file stores it, in single precision.
    fileprivate var rounded: Field {
        guard case .decimal(let value, let decimals) = self else { return self }
        return .decimal(Double(Float(value)), decimals: decimals)
    }
}
