import Testing
import VidscanBase
import VidscanFaces

@Suite("Episodes of speech, of voices off screen and of mutual gaze")
struct VoiceAndGazeTests {
    // MARK: Voices of nobody in sight

    /// `interval`: in microseconds.
    private static func offScreen(_ samples: [(Double?, [Double?])], interval: Int64 = 80_000) -> [String] {
        var detector = OffScreenVoiceDetector()
        var found: [ObservedEpisode?] = []
        for (number, (voice, speaking)) in samples.enumerated() {
            found.append(
                detector.update(
                    voice: voice, speaking: speaking, at: Int64(number) * interval, seconds: 0.08,
                    sample: number))
        }
        return (found + [detector.finish()]).compactMap { $0?.episode }.map {
            "\($0.startMicroseconds / 1000)-\($0.endMicroseconds / 1000) \($0.isStartSeen ? 1 : 0)\($0.isEndSeen ? 1 : 0)"
        }
    }

    @Test("While a face may speak, a voice off screen does not begin, but goes on: that is not a gap")
    func uncertainFace() {
        let begins = [60.0, 47, 41, 33, 26, 24, 14, 9, 3, 1, 1].map { (Double?(95), [Double?($0)]) }
        let lasts = [30.0, 35, 41, 45].map { (Double?(90), [Double?($0)]) }
        let ends = [60.0, 80, 92, 96, 97, 97].map { (Double?(80), [Double?($0)]) }
        #expect(Self.offScreen(begins + lasts + ends) == ["400-1200 11"])
    }

    @Test("A face that may be speaking again, before 0.3 s are over, keeps a voice off screen from beginning")
    func uncertainAgain() {
        let scores = [60.0, 20, 40, 40, 40, 40, 40, 20, 20, 20, 20, 20, 20]
        #expect(Self.offScreen(scores.map { (Double?(95), [Double?($0)]) }) == ["560-960 10"])
    }

    @Test("A face that speaks right after a voice began leaves the next voice its beginning")
    func interrupted() {
        let samples = [(0.0, 0.0), (90, 0), (90, 60), (90, 0), (90, 0), (90, 0), (90, 0), (0, 0), (0, 0), (0, 0)]
        #expect(Self.offScreen(samples.map { (Double?($0.0), [Double?($0.1)]) }, interval: 200_000) == ["600-1400 11"])
    }

    @Test("A single sample shows no voice off screen, however long it stands for", arguments: [500_000, 1_000_000])
    func singleSample(interval: Int64) {
        let scores = [0.0, 40, 40, 40, 40, 40]
        #expect(Self.offScreen(scores.map { (Double?(90), [Double?($0)]) }, interval: interval) == [])
    }

    @Test("Speaking begins where the score reaches 50, and has the scores of its samples")
    func speaking() {
        var detector = FaceEventDetector(faceID: 1, options: EventOptions(), detectsBlinks: false)
        let halves: [UInt8] = [99, 100, 101, 101, 101, 101, 101, 60, 60, 60, 60, 60, 60, 60]
        let found = halves.enumerated().flatMap { number, value in
            detector.update(
                .init(eyeOpenness: nil, smile: nil, turnDegrees: nil, speech: [value]), at: Int64(number) * 40_000,
                seconds: 0.04, sample: number)
        }.map(\.episode)
        #expect(found.map(\.kind) == [.speaks])
        #expect(found.map(\.startMicroseconds) == [40_000] && found.map(\.endMicroseconds) == [280_000])
        #expect(found.map(\.isStartSeen) == [true] && found.map(\.peak) == [50.5])
    }

    // MARK: Mutual gaze

    /// Five samples per second. Returns the starts and whether they were seen.
    private static func mutual(_ samples: [[Int: Int]]) -> [String] {
        var detector = MutualGazeDetector()
        let found = samples.enumerated().flatMap { number, targets in
            detector.update(targets, at: Int64(number) * 200_000, seconds: 0.2, sample: number)
        }
        return (found + detector.finish()).map {
            "\($0.episode.startMicroseconds / 1000) \($0.episode.isStartSeen ? 1 : 0)"
        }
    }

    @Test("The start of a first mutual gaze was seen if both gazes were known just before")
    func firstMutualGaze() {
        let (apart, together) = ([1: 0, 2: 0], [1: 2, 2: 1])
        #expect(Self.mutual([apart, together, together, together, apart]) == ["200 1"])
        #expect(Self.mutual([together, together, together, apart]) == ["0 0"])
        #expect(Self.mutual([[1: 0], together, together, together, apart]) == ["200 0"])
        let gap = [[Int: Int]](repeating: [:], count: 10)
        #expect(Self.mutual([apart] + gap + [together, together, together, apart]) == ["2200 0"])
    }

    @Test("A voice off screen does not span missing sound, however short, and its ends there were not seen")
    func missingSound() {
        let heard = [(Double?, [Double?])](repeating: (90, [0]), count: 6)
        #expect(Self.offScreen(heard + [(nil, [nil])] + heard) == ["0-400 00", "560-960 00"])
    }
}
