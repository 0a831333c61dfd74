import TestSupport
import Testing
import VidscanAnalysis
import VidscanBase
import VidscanInference
import VidscanMedia

@Suite("Speech looks at no more than twelve mouths at once, of faces that are large enough")
struct MouthCropperTests {
    private static func box(_ width: Double, _ height: Double) -> Rectangle {
        Rectangle(x: 200, y: 100, width: width, height: height)
    }

    /// The number of pictures of each track. `frames`: the faces in each of the clip's first frames.
    private static func pictures(_ frames: [[(track: Int, box: Rectangle)]]) throws -> [Int: Int] {
        let reader = try FrameReader(path: Checkout.clip, options: FrameReader.Options(rate: .of("25")))
        var cropper = MouthCropper()
        var found: [MouthPictures] = []
        for faces in frames { found += try cropper.add(try #require(try reader.next()), faces) }
        found += cropper.finish()
        let area = SpeakerDetector.resolution * SpeakerDetector.resolution
        return Dictionary(found.map { ($0.run.track, $0.pictures.count / area) }, uniquingKeysWith: +)
    }

    /// Nothing is known of the tracks that have no pictures: their fields are blank, not 0.
    private static func isBlank(_ track: Int, beside others: [Int]) -> Bool {
        var speech = Speech(voice: [1])
        for other in others { speech.add(Speech.Scores(track: other, first: 0, speaking: [80], moving: [80])) }
        let values = speech.values(ofTrack: track, at: 0, until: nil)
        return values.speaking == nil && values.moving == nil && values.ticks.isEmpty
    }

    @Test("The longer side of a face decides, from 24 pixels on")
    func small() throws {
        let faces = [(0, Self.box(24, 10)), (1, Self.box(10, 24)), (2, Self.box(23.9, 23.9))]
        let found = try Self.pictures([faces, faces])
        #expect(found == [0: 2, 1: 2])
        #expect(Self.isBlank(2, beside: [0, 1]) && !Self.isBlank(0, beside: [0, 1]))
    }

    @Test("Of more than twelve faces, the largest are looked at; of equal ones, the first")
    func many() throws {
        let faces = (0..<14).map { ($0, Self.box(40, $0 == 13 ? 60 : 50)) }
        let found = try Self.pictures([faces])
        #expect(Set(found.keys) == Set(0..<11).union([13]))
        #expect([11, 12].allSatisfy { Self.isBlank($0, beside: Array(found.keys)) })
    }

    @Test("A thirteenth face waits until one of the twelve has gone, however large it is")
    func waiting() throws {
        let first = (0..<12).map { ($0, Self.box(40, 50)) }
        let large = (12, Self.box(100, 120))
        let found = try Self.pictures([first, first + [large], first + [large], first.dropLast() + [large]])
        #expect(found[11] == 3 && found[12] == 1 && found[0] == 4 && found.count == 13)
    }
}
