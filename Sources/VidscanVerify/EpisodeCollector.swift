internal import VidscanBase
internal import VidscanMedia

/// Joins the sightings of successive frames into episodes, so that a face that is visible for a second is one finding.
struct EpisodeCollector {
    /// The maximum number of frames without a sighting within an episode.
    private static let bridgedFrames: Int64 = 5
    /// The maximum number of episodes with a picture.
    private static let maximumPictures = 500
    /// The side of a picture in pixels, and relative to the longer side of the face's box.
    private static let side = 160
    private static let extent = 1.8

    private(set) var episodes: [Verification.Episode] = []
    /// The indices of the episodes that may continue.
    private var open: [Int] = []
    private let cropper = SquareCropper()

    /// Adds the sightings of a frame after all earlier ones.
    ///
    /// - Throws: `MediaError` if a picture cannot be made.
    mutating func add(
        _ sightings: [Verification.Sighting], of frame: SampledFrame, takesPictures: Bool
    ) throws(MediaError) {
        open.removeAll { index in
            (episodes[index].sightings.last?.frame ?? 0) < frame.index - Self.bridgedFrames
        }
        for sighting in sightings {
            let near = open.first { index in
                guard let last = episodes[index].sightings.last, last.frame < sighting.frame else { return false }
                return last.box.intersectionOverUnion(with: sighting.box) > 0.2
            }
            if let near {
                let isBetter = sighting.score > episodes[near].best.score
                episodes[near].sightings.append(sighting)
                if isBetter, episodes[near].picture != nil { episodes[near].picture = try picture(of: sighting, frame) }
            } else {
                open.append(episodes.count)
                episodes.append(Verification.Episode(sightings: [sighting], picture: nil))
                if takesPictures, episodes.count <= Self.maximumPictures {
                    episodes[episodes.count - 1].picture = try picture(of: sighting, frame)
                }
            }
        }
    }

    private func picture(of sighting: Verification.Sighting, _ frame: SampledFrame) throws(MediaError) -> [UInt8] {
        let square = RotatedSquare(
            center: sighting.box.center, side: Self.extent * max(sighting.box.width, sighting.box.height, 1), angle: 0)
        var planes = [Float](repeating: 0, count: 3 * Self.side * Self.side)
        var bytes: [UInt8] = []
        var failure: MediaError?
        planes.withUnsafeMutableBufferPointer { planes in
            guard let base = planes.baseAddress else { return }
            do throws(MediaError) {
                try cropper.crop(frame, square: square, resolution: Self.side, into: base)
                bytes = try JPEGEncoder.encode(base, side: Self.side)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
