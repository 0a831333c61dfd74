import VidscanFaces
import Testing
import TestSupport
import VidscanBase
import VidscanInference

@Suite("The face detector finds the clip's faces")
struct FaceDetectorTests {
    private static let scale = 0.7
    private static let path = Checkout.models + "/centerface.onnx"

    private func detector(concurrency: Int) throws -> FaceDetector {
        try FaceDetector(
            runtime: InferenceRuntime(), path: Self.path, inputSize: PictureSize(width: 448, height: 256),
            concurrency: concurrency, precision: .exact)
    }

    @Test("The face of the clip's first picture is where the truth says it is")
    func firstPicture() throws {
        let session = try detector(concurrency: 1).makeSession()
        try TestPicture.whole(seconds: 0).fill(try session.input())
        let faces = try session.detect(minimumConfidence: 0.5)
        try #require(faces.count == 1)
        let face = faces[0]
        let truth = Rectangle(
            x: 276.08 * Self.scale, y: 111.01 * Self.scale, width: 87.85 * Self.scale, height: 107.97 * Self.scale)
        // Detectors set their boxes slightly higher than the measured ellipse; on this clip 0.69 is the least.
        #expect(face.box.intersectionOverUnion(with: truth) > 0.69)
        #expect((0.5...1).contains(face.confidence))
        // The subject's left is on the right of the picture.
        let marks = face.landmarks
        #expect(marks.rightEye.x < marks.nose.x && marks.nose.x < marks.leftEye.x)
        #expect(marks.rightMouthCorner.x < marks.nose.x && marks.nose.x < marks.leftMouthCorner.x)
        #expect(max(marks.leftEye.y, marks.rightEye.y) < marks.nose.y)
        #expect(marks.nose.y < min(marks.leftMouthCorner.y, marks.rightMouthCorner.y))
        for point in [marks.leftEye, marks.rightEye, marks.nose, marks.leftMouthCorner, marks.rightMouthCorner] {
            #expect((face.box.x...face.box.x + face.box.width).contains(point.x))
            #expect((face.box.y...face.box.y + face.box.height).contains(point.y))
        }
    }

    @Test("Two faces are found in order of confidence, and none in a picture without faces")
    func counts() throws {
        let session = try detector(concurrency: 1).makeSession()
        try TestPicture.whole(seconds: 13).fill(try session.input())
        let two = try session.detect(minimumConfidence: 0.5)
        #expect(two.count == 2)
        #expect(two.map(\.confidence) == two.map(\.confidence).sorted(by: >))
        try TestPicture.whole(seconds: 15.5).fill(try session.input())
        #expect(try session.detect(minimumConfidence: 0.5).isEmpty)
    }

    @Test("Each face has one box, and no box is below the minimum confidence")
    func threshold() throws {
        let session = try detector(concurrency: 1).makeSession()
        try TestPicture.whole(seconds: 13).fill(try session.input())
        let many = try session.detect(minimumConfidence: 0.01)
        try #require(many.count >= 2)
        for (index, face) in many.enumerated() {
            #expect(face.confidence >= 0.01)
            for other in many[(index + 1)...] { #expect(face.box.intersectionOverUnion(with: other.box) < 0.3) }
        }
        let least = many[1].confidence
        #expect(try session.detect(minimumConfidence: least.nextUp).count < 2)
    }

    @Test("Concurrent sessions find the same faces as one session, also if they share streams", arguments: [1, 2, 4])
    func concurrentSessions(concurrency: Int) async throws {
        let pictures = try [0, 4, 8, 13, 15.5, 18].map { try TestPicture.whole(seconds: $0) }
        let alone = try detector(concurrency: 1).makeSession()
        let expected = try pictures.map { picture in
            picture.fill(try alone.input())
            return try alone.detect(minimumConfidence: 0.3)
        }
        let shared = try detector(concurrency: concurrency)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let session = try shared.makeSession()
                    for turn in 0..<12 {
                        let number = (turn + worker) % pictures.count
                        pictures[number].fill(try session.input())
                        #expect(try session.detect(minimumConfidence: 0.3) == expected[number])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A model that is missing or not a model is an error that names the file")
    func badModels() throws {
        let folder = try TemporaryFolder()
        try folder.write("no model", to: "text.onnx")
        try folder.write("", to: "empty.onnx")
        for name in ["missing.onnx", "text.onnx", "empty.onnx"] {
            let error = #expect(throws: InferenceError.self) {
                try FaceDetector(
                    runtime: InferenceRuntime(), path: folder.path + "/" + name,
                    inputSize: PictureSize(width: 64, height: 64), concurrency: 1, precision: .exact)
            }
            let reason = try #require(error?.reason)
            #expect(reason.hasPrefix("cannot read the model \(name)"))
            #expect(!reason.contains("\n"))
        }
    }
}
