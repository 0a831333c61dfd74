internal import Foundation
package import VidscanBase
internal import VidscanMedia
internal import VidscanReport
internal import VidscanResults

extension Verification.Findings {
    /// A row per sighting: `time,frame,x,y,width,height,score,stream`; seconds, and pixels of the upright frame.
    package var csv: String {
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
    package var json: String {
        let rounded = { (value: Double, places: Double) in JSONValue.number((value * places).rounded() / places) }
        let list = sightings.map { sighting -> JSONValue in
            .object([
                "time": rounded(Double(sighting.microseconds) / 1e6, 1e6), "frame": .integer(Int(sighting.frame)),
                "x": rounded(sighting.box.x, 10), "y": rounded(sighting.box.y, 10),
                "width": rounded(sighting.box.width, 10), "height": rounded(sighting.box.height, 10),
                "score": rounded(sighting.score, 1000), "stream": .integer(sighting.stream),
            ])
        }
        return JSONValue.object([
            "frames": .integer(frames), "frames_with_faces": .integer(framesWithFaces),
            "frames_with_kept_faces": .integer(framesWithKeptFaces), "faces": .list(list),
            "streams": .list(streams.map { .integer($0) }), "not_searched": .list(unsearched.map { .text($0) }),
        ]).encoded(.prettyPrinted)
    }

    /// A self-contained page with a picture of each episode. `path` is for the error.
    package func page(of input: String, at path: String) throws(VidscanError) -> String {
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

    package var unsearchedText: String { unsearched.joined(separator: ", ") }

    /// The time of an episode, and its stream if there are several.
    package func place(of episode: Verification.Episode) -> String {
        (streams.count > 1 ? "stream \(episode.best.stream), " : "") + episode.span
    }
}

extension Verification.Episode {
    /// In seconds, from the first to the last sighting: `2.040–4.000 s`.
    fileprivate var span: String {
        let times = [sightings.first, sightings.last].compactMap { $0.map { TimeText.seconds($0.microseconds) } }
        return Set(times).count == 1 ? "\(times[0]) s" : times.joined(separator: "–") + " s"
    }

    package var place: String {
        let box = best.box
        let numbers = [box.x, box.y, box.width, box.height].map { Int($0.rounded()) }
        return "\(numbers[0]),\(numbers[1]), \(numbers[2])x\(numbers[3])"
    }
}

/// Joins successive sightings, so that a face that is visible for a second is one finding.
struct EpisodeCollector {
    private static let maximumPictures = 500

    private(set) var episodes: [Verification.Episode] = []
    private var open: [Int] = []

    /// Call in the order of the frames.
    mutating func add(
        _ sightings: [Verification.Sighting], of frame: SampledFrame, takesPictures: Bool
    ) throws(MediaError) {
        for index in open where episodes[index].endMicroseconds == nil {
            episodes[index].endMicroseconds = frame.microseconds
        }
        // An episode continues after at most five frames without a sighting.
        open.removeAll { (episodes[$0].sightings.last?.frame ?? 0) < frame.index - 5 }
        for sighting in sightings {
            let distances = open.compactMap { index in
                episodes[index].sightings.last.flatMap { sighting.distance(from: $0) }.map { (index, $0) }
            }
            if let near = distances.min(by: { $0.1 < $1.1 })?.0 {
                let isBetter = sighting.score > episodes[near].best.score
                episodes[near].sightings.append(sighting)
                episodes[near].endMicroseconds = nil
                if isBetter, episodes[near].picture != nil { episodes[near].picture = try picture(of: sighting, frame) }
            } else {
                let showsFace = takesPictures && episodes.count < Self.maximumPictures
                let picture = showsFace ? try picture(of: sighting, frame) : nil
                open.append(episodes.count)
                episodes.append(Verification.Episode(sightings: [sighting], picture: picture))
            }
        }
    }

    private func picture(of sighting: Verification.Sighting, _ frame: SampledFrame) throws(MediaError) -> [UInt8] {
        try FacePictures.jpeg(of: sighting.box, in: frame, extent: 1.8, side: 160)
    }
}

extension Verification.Sighting {
    /// How far the face moved since an earlier sighting, in widths per frame (a cyclist close by: 1); `nil` for another face.
    fileprivate func distance(from last: Verification.Sighting) -> Double? {
        guard last.frame < frame else { return nil }
        let widths = (box.center - last.box.center).length / ((last.box.width + box.width) / 2)
        let moved = widths / Double(frame - last.frame)
        let isFast = widths < 2 && frame - last.frame <= 3 && abs(log(box.area / last.box.area)) < log(2)
        return isFast || last.box.intersectionOverUnion(with: box) > 0.2 ? moved : nil
    }
}

/// Findings of one video that a person has looked at, in a file that the person edits. It holds for the same bytes only.
package struct ReviewedFindings: Codable, Sendable {
    private struct Finding: Codable {
        let fromSeconds, toSeconds: Double
        let stream: Int
        /// What all sightings cover: left and top edge, width and height, in pixels of the upright frame.
        let box: [Double]
        let score: Double
        /// Whether somebody looked, and the finding may stay.
        let reviewed: Bool

        init(_ episode: Verification.Episode) {
            let times = episode.sightings.map { Double($0.microseconds) / 1e6 }
            (fromSeconds, toSeconds) = (times.min() ?? 0, times.max() ?? 0)
            let area = Rectangle(around: episode.sightings.flatMap(\.box.corners))
            box = [area.x, area.y, area.width, area.height]
            (stream, score, reviewed) = (episode.best.stream, episode.best.score, false)
        }

        /// Whether both are about the same time and place.
        func matches(_ other: Finding) -> Bool {
            let areas = [box, other.box].map { Rectangle(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
            return stream == other.stream && abs(fromSeconds - other.fromSeconds) < 0.05
                && abs(toSeconds - other.toSeconds) < 0.05 && areas[0].intersectionOverUnion(with: areas[1]) > 0.5
        }
    }

    private let video, sha256: String
    private let findings: [Finding]

    /// All findings, none of them reviewed.
    package init(_ findings: Verification.Findings, of video: String) throws(VidscanError) {
        self.video = FilePath.name(of: video)
        sha256 = try Self.digest(of: video)
        self.findings = findings.episodes.map(Finding.init)
    }

    /// Throws if the file is damaged, or if it is for another video, such as this one before a change.
    package init(path: String, for video: String) throws(VidscanError) {
        let folder = FilePath.folder(of: FilePath.absolute(path))
        self = try RecordFile.decode(Self.self, folder: folder, name: FilePath.name(of: path))
        guard try sha256 == Self.digest(of: video), findings.allSatisfy({ $0.box.count == 4 }) else {
            throw .result("is for another version of \(video): review the findings in this one again", input: path)
        }
    }

    static func digest(of video: String) throws(VidscanError) -> String {
        try VidscanError.media(stage: .open) { () throws(MediaError) in try FileDigest.sha256(path: video) }
    }

    package func write(to path: String) throws(VidscanError) {
        try AtomicFile.write(try RecordFile.text(self, name: path), to: path, replaces: false)
    }

    /// Whether somebody reviewed a finding that is this one. What only lies within the time and place of another, such as a
    /// face that a false alarm passes, is not.
    package func contains(_ episode: Verification.Episode) -> Bool {
        let known = findings.filter(Finding(episode).matches)
        return !known.isEmpty && known.allSatisfy(\.reviewed)
    }
}

extension Verification {
    /// The faces that were kept visible on purpose; none without a record of exactly this video, so that all are findings.
    static func keptFaces(in video: String) -> [[Double]] {
        let path = FilePath.absolute(video)
        let names = [path, (path as NSString).deletingPathExtension]
        let records = names.compactMap { try? HiddenVideoRecord.read($0 + ".json") }
        guard !records.isEmpty, let digest = try? ReviewedFindings.digest(of: path) else { return [] }
        return records.first { $0.sha256 == digest && $0.visibleFaces != nil }?.visibleFaces ?? []
    }
}

extension Verification.Sighting {
    /// Whether most of it is in a part of the video: first and last time in seconds, and the four numbers of a box.
    func isIn(_ part: [Double]) -> Bool {
        let seconds = Double(microseconds) / 1e6
        guard part.count == 6, part[0] - 0.001 <= seconds, seconds <= part[1] + 0.001 else { return false }
        let place = Rectangle(x: part[2], y: part[3], width: part[4], height: part[5])
        return place.intersectionArea(with: box) >= 0.7 * box.area
    }
}
