/// How far apart the faces of one person may be, by what the videos themselves say.
///
/// No threshold serves everybody, because the network knows some groups of people less well than others. People who are
/// seen at the same time are different people, and their distances show how far apart the people of that video are.
enum LinkingLimits {
    /// The limit of a video whose people are far apart. Between videos the light, the camera, hair and clothes differ, and
    /// the face alone counts.
    static let maximum = 0.475
    /// The limit of a video in which no two people are seen at the same time. Two numbers for one person are better than
    /// one number for two.
    static let uncalibrated = 0.45
    /// The limit is not lowered further, because a face that is found twice in a frame looks like two people.
    static let minimum = 0.35
    /// Two people of one video were told apart by everything that the video shows, so that they are joined only if their
    /// faces are much nearer than the limit.
    static let withinVideo = 0.8

    /// Returns the limit of a video.
    ///
    /// - Parameter simultaneous: The distances of people who are seen at the same time.
    static func limit(_ simultaneous: [Double]) -> Double {
        guard !simultaneous.isEmpty else { return uncalibrated }
        let tenth = simultaneous.sorted()[simultaneous.count / 10]
        return min(maximum, max(minimum, 0.95 * tenth))
    }
}
