import Testing
import TestSupport
import VidscanFaces

@Suite("Distances between faces are comparable for everybody")
struct FaceDistanceTests {
    private static func face(_ coordinates: [Int: Double], crowding: Double = 0) -> FaceEmbedding {
        FaceEmbedding(values: SyntheticFace.vector(coordinates, crowding: crowding))
    }

    @Test("The cosine distance is 0 for one direction, 1 for a right angle and 2 for opposite directions")
    func cosine() {
        let (one, other) = (Self.face([0: 1]), Self.face([1: 1]))
        #expect(abs(one.cosineDistance(to: one)) < 1e-5)
        #expect(abs(one.cosineDistance(to: other) - 1) < 1e-5)
        #expect(abs(one.cosineDistance(to: Self.face([0: -1])) - 2) < 1e-5)
        #expect(abs(one.cosineDistance(to: Self.face([0: 1, 1: 1])) - (1 - 0.5.squareRoot())) < 1e-5)
    }

    @Test("A direction of any length becomes a unit vector")
    func direction() {
        let face = Self.face([0: 3, 1: 4])
        let other = FaceEmbedding(direction: face.values.map { 7 * $0 })
        #expect(zip(face.values, other.values).allSatisfy { abs($0 - $1) < 1e-6 })
        #expect(abs(other.values.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
    }

    @Test("Faces that resemble no stranger have a remoteness of 1, and the synthetic ones exact distances")
    func synthetic() {
        let face = Self.face([0: 1])
        #expect(abs(face.remoteness - 1) < 1e-5)
        for distance in [0.0, 0.2, 0.4, 0.8] {
            let other = FaceEmbedding(values: SyntheticFace.vector(0, at: distance, towards: 1))
            #expect(abs(face.distance(to: other) - distance) < 1e-5)
        }
        let samples = [(0, 0), (0, 1), (1, 2)].map {
            FaceEmbedding(values: SyntheticFace.vector($0, sample: $1, within: 0.3, between: 0.7))
        }
        #expect(abs(samples[0].distance(to: samples[1]) - 0.3) < 1e-5)
        #expect(abs(samples[0].distance(to: samples[2]) - 0.7) < 1e-5)
    }

    @Test("Of two pairs with one angle, the one that resembles many others is farther apart")
    func crowd() {
        let remote = (Self.face([0: 1]), Self.face([0: 0.6, 1: 0.8]))
        // Both lean towards the same strangers, so their other parts must differ more for the angle to be the same.
        let crowding = 0.5
        let cosine = (0.6 - crowding * crowding) / (1 - crowding * crowding)
        let crowded = (
            Self.face([0: 1], crowding: crowding),
            Self.face([0: cosine, 1: (1 - cosine * cosine).squareRoot()], crowding: crowding)
        )
        #expect(abs(remote.0.cosineDistance(to: remote.1) - 0.4) < 1e-5)
        #expect(abs(crowded.0.cosineDistance(to: crowded.1) - 0.4) < 1e-5)
        #expect(crowded.0.remoteness < remote.0.remoteness - 0.08)
        let difference = crowded.0.distance(to: crowded.1) - remote.0.distance(to: remote.1)
        let remoteness = [remote.0, remote.1, crowded.0, crowded.1].map { Double($0.remoteness) }
        #expect(abs(difference - 0.35 * (remoteness[0] + remoteness[1] - remoteness[2] - remoteness[3])) < 1e-5)
        #expect(difference > 0.05)
        #expect(crowded.0.distance(to: crowded.1) == crowded.1.distance(to: crowded.0))
    }

    @Test("The limit between videos rises with what is known of both people")
    func evidence() {
        func limit(_ one: Double, _ other: Double) -> Double { IdentityCalibration.limit(evidence: one, other) }
        #expect(abs(limit(1, 1) - 0.315) < 1e-9)
        #expect(abs(limit(2, 2) - 0.4251) < 1e-4)
        #expect(limit(1, 2) == limit(2, 1) && limit(1, 2) > limit(1, 1) && limit(1, 2) < limit(2, 2))
        #expect(limit(1e6, 1e6) < 0.505 && limit(1e6, 1e6) > 0.5)
        // Much about one person does not make up for little about the other.
        #expect(limit(1, 1e6) < limit(2, 2) + 1e-3)
    }
}
