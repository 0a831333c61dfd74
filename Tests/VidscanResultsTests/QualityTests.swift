import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("quality.csv says how much was measured, and why the rest is blank")
struct QualityTests {
    /// A face in a frame; as a rule, nothing is measured.
    private struct Sample {
        var yaw: Double? = 0
        var pitch = 0.0
        var presence = 1.0
        var mouthCovered: Double?
        var eyesCovered: Double?
        var values: [Metric: Double] = [:]
        var width = 100.0

        static let whole = Sample(values: [.attention: 100, .smile: 10, .joy: 5, .leftEyeOpenness: 90])
        static let oneSide = Sample(yaw: 50, values: [.attention: 0, .smile: 10])
        static let masked = Sample(
            mouthCovered: 90, eyesCovered: 1, values: [.attention: 100, .leftEyeOpenness: 90])
        static let turned = Sample(yaw: 70, values: [.attention: 0])
        static let covered = Sample(mouthCovered: 50, eyesCovered: 50, values: [.attention: 100])
        static let small = Sample(values: [.attention: 100])
        static let profile = Sample(yaw: nil, presence: 0.2)

        var record: FaceRecord {
            var face = FaceRecord(
                AnalyzedFace(
                    detection: FaceDetection(
                        box: Rectangle(x: 100, y: 50, width: width, height: 120), confidence: 0.9,
                        landmarks: FaceLandmarks(points: [
                            Point(x: 160, y: 90), Point(x: 120, y: 90), Point(x: 140, y: 110), Point(x: 155, y: 140),
                            Point(x: 125, y: 140),
                        ])),
                    presence: presence), in: QualityTests.size, metrics: [])
            if let yaw {
                (face.numbers[.yaw], face.numbers[.pitch], face.numbers[.roll]) = (yaw, pitch, 0)
                face.numbers[.brightness] = 60
            }
            (face.numbers[.mouthCovered], face.numbers[.eyesCovered]) = (mouthCovered, eyesCovered)
            for (metric, value) in values { face.numbers[.metric(metric)] = value }
            return face
        }
    }

    private static let size = PictureSize(width: 640, height: 480)

    /// Makes the rows for tracks with a sample in each fifth of a second, or none where it is `nil`.
    private static func rows(
        _ tracks: [[Sample?]], people: [Int], metrics: Set<Metric> = Set(Metric.allCases), interval: Double = 0.2
    ) async throws -> [QualityRow] {
        let options = OutputOptions(
            metrics: metrics, baseline: .none, isSmoothed: false, events: EventOptions(), formats: [.csv],
            hasLandmarks: false, blendshapeNames: nil, hasExpressions: true)
        let count = tracks.map(\.count).max() ?? 0
        let outcome = TrackingOutcome(
            tracks: try zip(tracks, people).enumerated().map { index, track in
                TrackingOutcome.Track(
                    faceID: index + 1, personID: track.1, personConfidence: 1,
                    firstSample: try #require(track.0.firstIndex { $0 != nil }),
                    lastSample: try #require(track.0.lastIndex { $0 != nil }), samples: track.0.count { $0 != nil },
                    ending: .end)
            }, changes: [], sampleCount: count, interval: interval)
        let folder = try TemporaryFolder()
        let record = try ResultRecordWriter(folderPath: folder.path, options, outcome)
        for number in 0..<count {
            let faces = tracks.enumerated().compactMap { index, samples -> FaceRecord? in
                guard number < samples.count, var face = samples[number]?.record else { return nil }
                face.track = index + 1
                return face
            }
            try record.tracked(
                FrameRecord(
                    microseconds: Int64(number * 200_000), index: Int64(number), epoch: 0, size: size,
                    quality: FrameQuality(luma: 50, sharpness: 100), isDamaged: false, faces: faces), shot: 1, rows: [])
        }
        try record.completed([], [], [])
        let frames = TrackedFrames(folder: folder.path, name: ResultFiles.record)
        return try await OutputPass.run(frames, outcome, options: options, into: []) { throw CancellationError() }
            .quality
    }

    private static func repeated(_ counts: [(Sample, Int)]) -> [Sample] {
        counts.flatMap { Array(repeating: $0.0, count: $0.1) }
    }

    private static let mixed: [(Sample, Int)] = [
        (.whole, 5), (.oneSide, 2), (.masked, 1), (.turned, 4), (.covered, 3), (.small, 2), (.profile, 6),
    ]

    @Test("Each sample is measured or has one reason, and their seconds add up to the time in sight")
    func sums() async throws {
        let row = try #require(try await Self.rows([Self.repeated(Self.mixed)], people: [1]).first)
        let measured = try #require(row.measuredSeconds)
        let seconds = [
            (row.visibleSeconds, 23), (measured, 8), (row.oneSideSeconds, 2), (row.halfCoveredSeconds, 1),
            (row.blankSeconds[.turned], 4), (row.blankSeconds[.covered], 3), (row.blankSeconds[.small], 2),
            (row.blankSeconds[.noMesh], 6),
        ]
        for (index, (value, samples)) in seconds.enumerated() {
            #expect(abs(try #require(value) - 0.2 * Double(samples)) < 1e-9, "\(index)")
        }
        #expect(abs(measured + row.blankSeconds.values.reduce(0, +) - row.visibleSeconds) < 1e-9)
        #expect(abs(try #require(row.measuredFraction) - 8.0 / 23) < 1e-9)
        #expect(abs(try #require(row.wholeFraction) - 5.0 / 23) < 1e-9)
        let fields = Dictionary(
            uniqueKeysWithValues: zip(QualityTable.columns.map(\.name), QualityTable.fields(of: row)))
        #expect(fields["no_mesh_seconds"] == .decimal(row.blankSeconds[.noMesh] ?? 0, decimals: 3))
    }

    @Test(
        "At a limit a face is still measured; beyond it, the limit is the reason",
        arguments: [
            (Sample(yaw: 60.5), BlankReason.turned), (Sample(yaw: -60.5), .turned), (Sample(yaw: 60), .small),
            (Sample(pitch: 30.5), .turned), (Sample(pitch: -30.5), .turned), (Sample(pitch: 30), .small),
            (Sample(yaw: 41, presence: 0.99), .turned), (Sample(yaw: 40, presence: 0.99), .small),
            (Sample(mouthCovered: 50, eyesCovered: 50), .covered),
            (Sample(mouthCovered: 50, eyesCovered: 49.5), .small),
            (Sample(mouthCovered: 49.5, eyesCovered: 50), .small),
            (Sample(yaw: 70, mouthCovered: 90, eyesCovered: 90), .turned),
            (Sample(yaw: nil), .noMesh), (.whole, nil), (.oneSide, nil), (.masked, nil),
        ] as [(Sample, BlankReason?)])
    private func limits(sample: Sample, reason: BlankReason?) {
        #expect(sample.record.blankReason(of: Metric.expressive) == reason)
    }

    @Test("What was requested decides what counts as measured")
    func requested() async throws {
        func measured(_ sample: Sample, _ metrics: Set<Metric>) async throws -> QualityRow {
            try #require(try await Self.rows([[sample, sample]], people: [1], metrics: metrics).first)
        }
        let (smile, eyes) = (try await measured(.masked, [.smile]), try await measured(.masked, [.leftEyeOpenness]))
        #expect(smile.measuredFraction == 0 && smile.blankSeconds.keys.elementsEqual([.covered]))
        #expect(eyes.measuredFraction == 1 && eyes.blankSeconds.isEmpty)
        let gaze = try await measured(.oneSide, [.gazeYaw, .joy])
        #expect(gaze.measuredFraction == 0 && gaze.blankSeconds.keys.elementsEqual([.turned]))
        // Nothing measures a tongue, and the attention is the head's.
        for nothing in [[], [.attention, .stuckOutTongue]] as [Set<Metric>] {
            let row = try await measured(.whole, nothing)
            #expect(row.measuredSeconds == nil && row.measuredFraction == nil && row.blankSeconds.isEmpty)
            let blank = QualityTable.columns.map(\.name).enumerated().filter {
                QualityTable.fields(of: row)[$0.offset] == .missing
            }
            #expect(blank.count == 8)
        }
    }

    @Test("Two tracks of one person have one row, with the sums of both")
    func people() async throws {
        let first: [Sample?] = Self.repeated(Self.mixed)
        let second: [Sample?] = Array(repeating: nil, count: 25) + Self.repeated([(.whole, 4), (.profile, 1)])
        let apart = try await Self.rows([second, first], people: [2, 1])
        #expect(apart.map(\.personID) == [1, 2])
        #expect(apart.map(\.faces) == [1, 1])
        let joined = try await Self.rows([second, first], people: [1, 1])
        #expect(joined.map(\.faces) == [2])
        func sum(_ value: (QualityRow) -> Double?) -> [Double] {
            [joined, apart].map { $0.reduce(0) { $0 + (value($1) ?? 0) } }
        }
        for sums in [
            sum(\.visibleSeconds), sum(\.measuredSeconds), sum(\.oneSideSeconds), sum { $0.blankSeconds[.noMesh] },
        ] { #expect(abs(sums[0] - sums[1]) < 1e-9) }
    }

    @Test("The medians are of faces of any size, and of the yaw to either side")
    func medians() async throws {
        for width in [24.0, 310] {
            let samples = [-1.0, 1].map { Sample(yaw: 20 * $0, width: width) } + [Sample(yaw: nil, width: width)]
            let row = try #require(try await Self.rows([samples], people: [1]).first)
            #expect(abs(try #require(row.medianWidth) / width - 1) < 0.02)
            #expect(abs(try #require(row.medianYaw) - 20) < 0.2)
            #expect(abs(try #require(row.medianBrightness) - 60) < 0.2)
        }
        let profile = try #require(try await Self.rows([[.profile, .profile]], people: [1]).first)
        #expect(profile.medianYaw == nil && profile.medianBrightness == nil)
    }

    @Test("A still picture has a row without a fraction")
    func picture() async throws {
        let row = try #require(try await Self.rows([[.whole]], people: [1], interval: 0).first)
        #expect(row.visibleSeconds == 0 && row.measuredSeconds == 0 && row.measuredFraction == nil)
    }
}
