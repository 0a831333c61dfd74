import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanInference

@Suite("The face detector finds the clip's faces")
struct FaceDetectorTests {
    private static let scale = 0.7
    private static let inputSize = PictureSize(width: 448, height: 256)

    private let detector: FaceDetector

    init() throws {
        detector = try FaceDetector(path: Checkout.models + "/centerface.weights")
    }

    @Test("The face of the clip's first picture is where the truth says it is")
    func firstPicture() throws {
        let session = detector.makeSession(inputSize: Self.inputSize)
        try TestPicture.whole(seconds: 0).fill(session.input)
        let faces = session.detect(minimumConfidence: 0.5)
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
        let session = detector.makeSession(inputSize: Self.inputSize)
        try TestPicture.whole(seconds: 13).fill(session.input)
        let two = session.detect(minimumConfidence: 0.5)
        #expect(two.count == 2)
        #expect(two.map(\.confidence) == two.map(\.confidence).sorted(by: >))
        try TestPicture.whole(seconds: 15.5).fill(session.input)
        #expect(session.detect(minimumConfidence: 0.5).isEmpty)
    }

    @Test("Each face has one box, and no box is below the minimum confidence")
    func threshold() throws {
        let session = detector.makeSession(inputSize: Self.inputSize)
        let picture = try TestPicture.whole(seconds: 13)
        picture.fill(session.input)
        let many = session.detect(minimumConfidence: 0.01)
        try #require(many.count >= 2)
        for (index, face) in many.enumerated() {
            #expect(face.confidence >= 0.01)
            for other in many[(index + 1)...] { #expect(face.box.intersectionOverUnion(with: other.box) < 0.3) }
        }
        let least = many[1].confidence
        picture.fill(session.input)
        #expect(session.detect(minimumConfidence: least.nextUp).count < 2)
    }

    @Test("Concurrent sessions find the same faces as one session")
    func concurrentSessions() async throws {
        let pictures = try [0, 4, 8, 13, 15.5, 18].map { try TestPicture.whole(seconds: $0) }
        let alone = detector.makeSession(inputSize: Self.inputSize)
        let expected = pictures.map { picture in
            picture.fill(alone.input)
            return alone.detect(minimumConfidence: 0.3)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { [detector] in
                    let session = detector.makeSession(inputSize: Self.inputSize)
                    for turn in 0..<12 {
                        let number = (turn + worker) % pictures.count
                        pictures[number].fill(session.input)
                        #expect(session.detect(minimumConfidence: 0.3) == expected[number])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: The network

    /// What OpenVINO computes; `scripts/conversion/golden.py` writes it.
    private struct Golden: Decodable {
        struct Case: Decodable {
            var seconds: Double
            /// ffmpeg's filter that gives the picture.
            var filter: String
            var width: Int
            var height: Int
            /// For each cell with a score of 0.3 or more, highest first: the score, the box's x, y, width and height, and x
            /// and y of five landmarks, in pixels of the picture.
            var faces: [[Double]]

            func picture() throws -> TestPicture {
                try TestPicture(seconds: seconds, filter: filter, size: PictureSize(width: width, height: height))
            }
        }
        var cases: [Case]

        static func load() throws -> [Case] {
            let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/detector.golden.json")
            return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)).cases
        }
    }

    /// More than any overlap: every cell is a face.
    private static let all = 1.1

    @Test("Every cell's score, box and landmarks equal OpenVINO's", arguments: InstructionSet.allCases)
    func golden(set: InstructionSet) throws {
        let cases = try Golden.load()
        try #require(cases.count == 7)
        for golden in cases {
            let picture = try golden.picture()
            let session = try detector.makeSession(inputSize: picture.size, kernels: set.kernels())
            picture.fill(session.input)
            let found = session.detect(minimumConfidence: 0.3, maximumOverlap: Self.all)
            try #require(found.count == golden.faces.count, "\(golden.filter)")
            for (face, expected) in zip(found, golden.faces) {
                let (box, marks) = (face.box, face.landmarks)
                // The network's own order: the eye and the corner on the left of the picture come first.
                let points = [marks.rightEye, marks.leftEye, marks.nose, marks.rightMouthCorner, marks.leftMouthCorner]
                let values = [box.x, box.y, box.width, box.height] + points.flatMap { [$0.x, $0.y] }
                #expect(abs(face.confidence - expected[0]) < 2e-4)
                #expect(zip(values, expected.dropFirst()).allSatisfy { abs($0 - $1) < 5e-3 }, "\(golden.filter)")
            }
        }
    }

    @Test("A face with a mask counts at least 0.5 where the detector's own score is lower, and never more than 0.7")
    func covered() throws {
        let golden = try #require(try Golden.load().last)
        let picture = try golden.picture()
        let session = detector.makeSession(inputSize: picture.size)
        picture.fill(session.input)
        let faces = session.detect(minimumConfidence: 0.3)
        try #require(faces.count == 1)
        // CenterFace gives it 0.38.
        #expect(faces[0].confidence == 0.7)
        #expect(faces[0].box.intersectionOverUnion(with: Rectangle(x: 81, y: 70, width: 126, height: 155)) > 0.6)
    }

    @Test("Processors with AVX2 and with AVX-512 give the same bits")
    func sameBits() throws {
        for golden in try Golden.load() {
            let picture = try golden.picture()
            let found = try [InstructionSet.avx2, .avx512].map { set in
                let session = try detector.makeSession(inputSize: picture.size, kernels: set.kernels())
                picture.fill(session.input)
                return session.detect(minimumConfidence: 0.05, maximumOverlap: Self.all)
            }
            #expect(found[0] == found[1], "\(golden.filter)")
        }
    }

    @Test("Another picture before it does not change a result", arguments: InstructionSet.allCases)
    func anotherRun(set: InstructionSet) throws {
        for golden in try Golden.load() {
            let picture = try golden.picture()
            let session = try detector.makeSession(inputSize: picture.size, kernels: set.kernels())
            picture.fill(session.input)
            let first = session.detect(minimumConfidence: 0.05, maximumOverlap: Self.all)
            // The values of the picture before are still in the memory between the layers.
            for index in 0..<picture.planes.count { session.input[index] = 255 - picture.planes[index] }
            let other = session.detect(minimumConfidence: 0.05, maximumOverlap: Self.all)
            picture.fill(session.input)
            #expect(session.detect(minimumConfidence: 0.05, maximumOverlap: Self.all) == first)
            #expect(golden.faces.isEmpty || first != other, "\(golden.filter)")
        }
    }

    @Test(
        "Values that are not numbers are survived, and give no face",
        arguments: [Float.nan, .infinity, -.infinity, 1e38])
    func strangeInput(value: Float) {
        let session = detector.makeSession(inputSize: PictureSize(width: 64, height: 32))
        let fill = { for index in 0..<3 * 64 * 32 { session.input[index] = value } }
        fill()
        let faces = session.detect(minimumConfidence: 0.5)
        #expect(faces == [])
        fill()
        for face in session.detect(minimumConfidence: 0) {
            #expect(face.box.width.isFinite && face.box.height.isFinite && (0...1).contains(face.confidence))
        }
    }

    @Test("A minimum of 0 takes every cell, and one of 1 none")
    func limits() throws {
        let session = detector.makeSession(inputSize: Self.inputSize)
        let picture = try TestPicture.whole(seconds: 0)
        picture.fill(session.input)
        #expect(session.detect(minimumConfidence: 0, maximumOverlap: Self.all).count == 448 / 4 * 256 / 4)
        picture.fill(session.input)
        #expect(session.detect(minimumConfidence: 1).isEmpty)
    }

    @Test("A file that is missing or not the network's is refused by name")
    func badModels() throws {
        let folder = try TemporaryFolder()
        try folder.write("no weights", to: "text.weights")
        let missing = folder.path + "/missing.weights"
        #expect(throws: InferenceError("cannot read \(missing)")) { try FaceDetector(path: missing) }
        let text = folder.path + "/text.weights"
        #expect(throws: InferenceError("\(text) has 10 bytes instead of 7320192")) {
            try FaceDetector(path: text)
        }
    }
}
