import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("Episodes say what was seen of their ends")
struct EpisodeTests {
    private final class Rows: RowConsumer {
        var events: [FaceEvent] = []
        var episodes: [Episode] = []
        var tracks: [TrackRow] = []

        func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) {}
        func completed(_ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]) {
            (self.tracks, self.events, self.episodes) = (tracks, events, episodes)
        }
    }

    /// Twelve samples, 0.2 s apart: a cut before sample 4, a stretch of 3 s that is excluded before sample 6, and a jump of
    /// the timestamps before sample 8. Face 1 is there twice. A voice that is not its own is heard in all samples but the last.
    private static let outcome = TrackingOutcome(
        tracks: [
            track(1, 0...3, .cut), track(2, 4...5, .corrected), track(3, 6...7, .discontinuity), track(1, 9...11, .end),
        ],
        changes: [
            ShotChange(kind: .hard, sample: 4, seconds: 0.8), ShotChange(kind: .discontinuity, sample: 8, seconds: 4.6),
        ], sampleCount: 12, interval: 0.2, timesBeforeGaps: [6: 4_000_000])

    private static func track(
        _ face: Int, _ samples: ClosedRange<Int>, _ ending: TrackingOutcome.Ending
    ) -> TrackingOutcome.Track {
        TrackingOutcome.Track(
            faceID: face, personID: 10 * face, personConfidence: 1, firstSample: samples.lowerBound,
            lastSample: samples.upperBound, samples: samples.count, ending: ending)
    }

    /// Of face 1 in its first samples: the sound has a gap from 0.28 to 0.44 s.
    private static let speech: [[UInt8]] = [
        [200, 200, 200, 200, 200], [200, 200, 255, 255, 255], [255, 200, 200, 200, 200], [90, 90, 90, 90, 90],
    ]

    private static func output() async throws -> Rows {
        let options = OutputOptions(
            metrics: Set(Metric.allCases), baseline: .none, isSmoothed: true, events: EventOptions(), formats: [.csv],
            hasLandmarks: false, blendshapeNames: nil, hasExpressions: true)
        let folder = try TemporaryFolder()
        let record = try ResultRecordWriter(folderPath: folder.path, options, outcome)
        let size = PictureSize(width: 640, height: 480)
        for sample in 0..<outcome.sampleCount {
            let track = outcome.tracks.firstIndex { $0.firstSample <= sample && sample <= $0.lastSample }
            let faces = track.map { track in
                var face = FaceRecord(
                    AnalyzedFace(
                        detection: FaceDetection(
                            box: Rectangle(x: 100, y: 50, width: 90, height: 120), confidence: 0.9,
                            landmarks: FaceLandmarks(points: [
                                Point(x: 160, y: 90), Point(x: 120, y: 90), Point(x: 140, y: 110),
                                Point(x: 155, y: 140), Point(x: 125, y: 140),
                            ])),
                        presence: 1), in: size, metrics: [])
                face.track = track + 1
                face.numbers[.speaking] = 0
                if sample < speech.count { face.speech = speech[sample] }
                return [face]
            }
            var frame = FrameRecord(
                microseconds: Int64(sample) * 200_000 + (sample < 6 ? 0 : 3_000_000), index: Int64(sample),
                epoch: sample < 8 ? 0 : 1, size: size, quality: FrameQuality(luma: 50, sharpness: 100),
                isDamaged: false, faces: faces ?? [])
            frame.voice = sample < 11 ? 90 : nil
            try record.tracked(frame, shot: 1, rows: [])
        }
        try record.completed([], [], [])
        let rows = Rows()
        let frames = TrackedFrames(folder: folder.path, name: ResultFiles.record)
        _ = try await OutputPass.run(frames, outcome, options: options, into: [rows]) { throw CancellationError() }
        return rows
    }

    @Test("Nobody saw what begins or ends at the edge of the video, at a jump, at an excluded stretch or without sound")
    func ends() async throws {
        let words = try await Self.output().episodes.map { episode in
            "\(episode.id) \(episode.kind.rawValue) \(episode.personID ?? 0) \(episode.faceID ?? 0)"
                + " \(episode.startMicroseconds / 1000)-\(episode.endMicroseconds / 1000)"
                + " \(episode.isStartSeen ? 1 : 0)\(episode.isEndSeen ? 1 : 0)"
                + " \(Int((episode.measuredSeconds * 1000).rounded()))"
        }
        #expect(
            words == [
                "1 shot 0 0 0-800 01 800", "2 visible 10 1 0-600 01 800", "3 speaks 10 1 0-240 00 280",
                "4 voice_off_screen 0 0 0-1000 00 1200", "5 speaks 10 1 440-760 00 360", "6 shot 0 0 800-4600 10 800",
                "7 visible 20 2 800-1000 10 400", "8 visible 30 3 4200-4400 00 400", "9 shot 0 0 4600-5200 00 800",
                "10 voice_off_screen 0 0 4600-5000 00 600", "11 visible 10 1 4800-5200 10 600",
            ])
    }

    @Test("How much of the time a face speaks does not count time without sound")
    func share() async throws {
        let row = try #require(try await Self.output().tracks.first)
        let column = try #require(TrackTable.columns.firstIndex { $0.name == "speaking_share" })
        // 11 of 16 ticks are known to have 50 or more.
        #expect(TrackTable.fields(of: row)[column] == .decimal(0.6875, decimals: 2))
    }

    @Test("An event names the episode that it begins or ends")
    func events() async throws {
        let words = try await Self.output().events.map { event in
            "\(event.kind.rawValue) \(event.microseconds / 1000) \(event.episode ?? 0)"
        }
        #expect(
            words == [
                "face_started 0 2", "face_stopped 600 2", "shot_cut 800 6", "face_started 800 7", "face_stopped 1000 7",
                "face_started 4200 8", "face_stopped 4400 8", "shot_cut 4600 9", "face_started 4800 11",
                "face_stopped 5200 11",
            ])
    }
}
