internal import Foundation
public import VidscanBase
internal import VidscanMedia
internal import VidscanReport

extension Verification.Findings {
    /// A row per sighting: `time,frame,x,y,width,height,score,stream`; seconds, and pixels of the upright frame.
    public var csv: String {
        var writer = ByteWriter()
        writer.write("time,frame,x,y,width,height,score,stream\n")
        for sighting in sightings {
            let box = sighting.box
            let edges = [box.x, box.y, box.width, box.height].map { Field.decimal($0, decimals: 1) }
            writer.writeCSV(
                row: [.microseconds(sighting.microseconds), .integer(sighting.frame)] + edges
                    + [.decimal(sighting.score, decimals: 3), .integer(Int64(sighting.stream))])
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The same as JSON, with what was searched and what was not.
    public var json: String {
        let rounded = { (value: Double, places: Double) in JSONValue.number((value * places).rounded() / places) }
        let list = sightings.map { sighting -> JSONValue in
            .object([
                "time": rounded(Double(sighting.microseconds) / 1e6, 1e6), "frame": .integer(Int(sighting.frame)),
                "x": rounded(sighting.box.x, 10), "y": rounded(sighting.box.y, 10),
                "width": rounded(sighting.box.width, 10), "height": rounded(sighting.box.height, 10),
                "score": rounded(sighting.score, 1000), "stream": .integer(sighting.stream),
            ])
        }
        let object = JSONValue.object([
            "frames": .integer(frames), "frames_with_faces": .integer(framesWithFaces), "faces": .list(list),
            "streams": .list(streams.map { .integer($0) }), "not_searched": .list(unsearched.map { .text($0) }),
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Numbers and texts always encode.
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A self-contained page with a picture of each episode. `path` is for the error.
    public func page(of input: String, at path: String) throws(VidscanError) -> String {
        let head = PageHead(
            .verification, title: Printable.line(FilePath.name(of: input)),
            summary: "A face may be visible in \(framesWithFaces) of \(NumberText.count(frames, "frame")).",
            warnings: unsearched.isEmpty ? [] : ["Not searched: \(Printable.line(unsearchedText))."])
        let faces = episodes.map { episode in
            PageFace(
                thumbnail: episode.picture.map(FacePictures.url), label: "", name: place(of: episode),
                details: [
                    NumberText.count(episode.sightings.count, "frame")
                        + ", score \(Int((100 * episode.best.score).rounded())) %", "at \(episode.place)",
                ])
        }
        return try PageTemplate.verification.render(["head": head, "faces": faces] as [String: Any], for: path)
    }

    /// `stream 2 (dvd_subtitle), a preview in its header`
    public var unsearchedText: String { unsearched.joined(separator: ", ") }

    /// The time of an episode, and its stream if there are several.
    public func place(of episode: Verification.Episode) -> String {
        (streams.count > 1 ? "stream \(episode.best.stream), " : "") + episode.span
    }
}

extension Verification.Episode {
    /// In seconds, from the first to the last sighting: `2.040–4.000 s`.
    public var span: String {
        let times = [sightings.first, sightings.last].compactMap { $0.map { TimeText.seconds($0.microseconds) } }
        return Set(times).count == 1 ? "\(times[0]) s" : times.joined(separator: "–") + " s"
    }

    public var place: String {
        let box = best.box
        let numbers = [box.x, box.y, box.width, box.height].map { Int($0.rounded()) }
        return "\(numbers[0]),\(numbers[1]), \(numbers[2])x\(numbers[3])"
    }
}

/// Joins successive sightings, so that a face that is visible for a second is one finding.
struct EpisodeCollector {
    /// An episode continues after at most this many frames without a sighting.
    private static let bridgedFrames: Int64 = 5
    private static let maximumPictures = 500
    /// In pixels, and relative to the longer side of the face's box.
    private static let side = 160
    private static let extent = 1.8

    private(set) var episodes: [Verification.Episode] = []
    private var open: [Int] = []

    /// Call in the order of the frames.
    mutating func add(
        _ sightings: [Verification.Sighting], of frame: SampledFrame, takesPictures: Bool
    ) throws(MediaError) {
        for index in open where episodes[index].endMicroseconds == nil {
            episodes[index].endMicroseconds = frame.microseconds
        }
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
                episodes[near].endMicroseconds = nil
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
        try FacePictures.jpeg(of: sighting.box, in: frame, extent: Self.extent, side: Self.side)
    }
}
