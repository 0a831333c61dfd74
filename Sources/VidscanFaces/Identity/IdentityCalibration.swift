internal import Glibc

/// All numbers that depend on the network behind ``FaceEmbedding``, in one video and in studies. People who are seen at
/// the same time are different people, and their distances show how far apart the people of that video are.
package enum IdentityCalibration {
    /// No limit is lower, because a face found twice in a frame looks like two people.
    private static let minimum = 0.35

    /// Maximum distance between the faces of a person, given those of people seen together; infinite if nobody is.
    package static func limit(_ simultaneous: [Double]) -> Double {
        guard !simultaneous.isEmpty else { return .infinity }
        return max(minimum, 0.95 * simultaneous.sorted()[simultaneous.count / 10])
    }

    // MARK: People of different videos

    /// For people who are known from one picture each. Two numbers for one person are better than one number for two.
    private static let limitOfPictures = 0.315
    private static let limitOfManyTracks = 0.505
    /// A study needs this fraction of the limit for two people of one video, because all that it shows told them apart.
    package static let fractionWithinVideo = 0.8
    /// How much a track says, relative to a picture: its samples resemble each other.
    package static let evidenceOfTrack = 2

    /// Maximum distance of two clusters of one person. Few pictures may show one light, age or expression, so the more
    /// there are, the more their mean distance says.
    ///
    /// - Parameters: The number of pictures that each cluster is worth, from 1.
    package static func limit(evidence one: Double, _ other: Double) -> Double {
        // 0.5 for two pictures, 1 for two tracks.
        let both = 1 / (1 / one + 1 / other)
        return limitOfManyTracks - (limitOfManyTracks - limitOfPictures) * pow(0.5 / both, 1.25)
    }

    // MARK: Tracks of one video

    /// Largest distance of two tracks that were visible shortly after each other, and long after.
    static let nearThreshold = 0.65, farThreshold = 0.58
    /// What similar clothes take off the distance, and different ones add: at most half of it.
    static let clothesWeight = 0.2
    /// How far below the threshold two tracks must be for a face to keep its number across a cut.
    static let excessAcrossCut = -0.1
    /// Largest mean distance between samples of one track.
    static let withinTrack = 0.6
    /// Smallest mean distance between the crops of a track before and after it changed person; larger if there is only
    /// one crop before or after. And how much it exceeds the distances of those on one side.
    static let betweenPeople = 0.7, surelyBetweenPeople = 0.8, personChange = 0.25
    /// How much nearer to a rival never seen at the same time a sample must be: the two may be one person.
    static let allowanceIfNeverTogether = 0.1

    // MARK: Confidence

    /// For somebody who cannot be compared with others.
    package static let unjudged = 0.3
    /// Without an embedding.
    static let maximumByAppearance = 0.7
    /// The margin if nobody else could be meant.
    private static let widestMargin = 0.2
    /// The margin at which the odds are e to 1.
    private static let scale = 0.04

    /// A logistic function of the margin between distances, `nil` if there is nobody else; 0…1.
    package static func confidence(margin: Double?) -> Double {
        1 / (1 + exp(-min(margin ?? widestMargin, widestMargin) / scale))
    }
}
