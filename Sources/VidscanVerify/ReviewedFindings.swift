internal import Foundation
public import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Findings of one video that a person has looked at, in a file that the person edits. It holds for the same bytes only.
public struct ReviewedFindings: Codable, Sendable {
    private struct Finding: Codable {
        let fromSeconds, toSeconds: Double
        let stream: Int
        /// What all sightings cover: left and top edge, width and height, in pixels of the upright frame.
        let box: [Double]
        let score: Double
        /// Whether somebody looked, and the finding may stay.
        let reviewed: Bool
    }

    private let video, sha256: String
    private let findings: [Finding]

    /// All findings, none of them reviewed.
    public init(_ findings: Verification.Findings, of video: String) throws(VidscanError) {
        self.video = FilePath.name(of: video)
        sha256 = try Self.digest(of: video)
        self.findings = findings.episodes.map { episode in
            let box = Rectangle(around: episode.sightings.flatMap(\.box.corners))
            let times = episode.sightings.map { Double($0.microseconds) / 1e6 }
            return Finding(
                fromSeconds: times.min() ?? 0, toSeconds: times.max() ?? 0, stream: episode.best.stream,
                box: [box.x, box.y, box.width, box.height], score: episode.best.score, reviewed: false)
        }
    }

    /// Throws if the file is damaged, or if it is for another video, such as this one before a change.
    public init(path: String, for video: String) throws(VidscanError) {
        let folder = FilePath.folder(of: FilePath.absolute(path))
        self = try RecordFile.decode(Self.self, folder: folder, name: FilePath.name(of: path))
        guard try sha256 == Self.digest(of: video), findings.allSatisfy({ $0.box.count == 4 }) else {
            throw .result("is for another version of \(video): review the findings in this one again", input: path)
        }
    }

    static func digest(of video: String) throws(VidscanError) -> String {
        try VidscanError.media(stage: .open) { () throws(MediaError) in try FileDigest.sha256(path: video) }
    }

    public func write(to path: String) throws(VidscanError) {
        try AtomicFile.write(try RecordFile.text(self, name: path), to: path, replaces: false)
    }

    /// Whether somebody reviewed a finding at this time and place.
    public func contains(_ episode: Verification.Episode) -> Bool {
        findings.contains { finding in
            finding.reviewed && finding.stream == episode.best.stream
                && episode.sightings.allSatisfy { $0.isIn([finding.fromSeconds, finding.toSeconds] + finding.box) }
        }
    }
}

/// The faces that were kept visible on purpose, from the record beside a video.
struct KeptFaces: Decodable {
    private let sha256: String
    /// Times and boxes.
    private let visibleFaces: [[Double]]

    /// `nil` without a record of exactly this video: then every face is a finding.
    init?(beside video: String) {
        let path = FilePath.absolute(video)
        let records = [path, (path as NSString).deletingPathExtension].compactMap {
            try? RecordFile.decode(Self.self, folder: FilePath.folder(of: path), name: FilePath.name(of: $0) + ".json")
        }
        guard !records.isEmpty, let digest = try? ReviewedFindings.digest(of: path),
            let own = records.first(where: { $0.sha256 == digest })
        else { return nil }
        self = own
    }

    func contains(_ sighting: Verification.Sighting) -> Bool { visibleFaces.contains(where: sighting.isIn) }
}

extension Verification.Sighting {
    /// Whether most of it is in a part of the video: first and last time in seconds, and the four numbers of a box.
    fileprivate func isIn(_ part: [Double]) -> Bool {
        let seconds = Double(microseconds) / 1e6
        guard part.count == 6, part[0] - 0.001 <= seconds, seconds <= part[1] + 0.001 else { return false }
        let place = Rectangle(x: part[2], y: part[3], width: part[4], height: part[5])
        return place.intersectionArea(with: box) >= 0.7 * box.area
    }
}
