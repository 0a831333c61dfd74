import TestSupport
import Testing
import VidscanBase

/// A clip of three people, made from the sample's two portraits; the third one is the second, distorted and grey. The
/// first person walks past the second one and in front of them, and both have swapped sides at the end of the first shot.
/// In the second shot the first person is away, and returns in the third one where the third person was.
struct ThreePeople {
    enum Person: CaseIterable {
        case first, second, third
    }

    static let (width, height, frameCount) = (960, 360, 275)
    private static let (firstCut, secondCut) = (150, 200)

    let folder: TemporaryFolder
    var path: String { folder.path + "/three.mp4" }

    /// Copies what is made once for all tests.
    ///
    /// - Parameters:
    ///   - options: of an analysis, whose result is beside the clip.
    ///   - rendering: options of `render` after that. What it says is in `errors.txt`.
    init(analyzed options: String..., rendering: [String] = []) throws {
        folder = try PreparedFolder.copy("three people, analyze \(options), render \(rendering)") { folder in
            try Self.makeClip(folder.path + "/three.mp4")
            guard !options.isEmpty else { return }
            let made = try ChildProcess.run(
                [Checkout.tool, "analyze", "three.mp4", "--quiet"] + options, in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
            guard !rendering.isEmpty else { return }
            let rendered = try ChildProcess.run(
                [Checkout.tool, "render", "three.mp4.vidscan"] + rendering, in: folder.path)
            try #require(rendered.status == 0, "\(rendered.errors)")
            try folder.write(rendered.errors, to: "errors.txt")
        }
    }

    private static func makeClip(_ path: String) throws {
        let portrait = { (frame: Int, x: Int) in
            "[0:v]trim=start_frame=\(frame):end_frame=\(frame + 1),loop=loop=149:size=1,setpts=N/25/TB,"
                + "crop=200:230:\(x):60"
        }
        let distorted =
            "hflip,perspective=x0=30:y0=0:x1=W-30:y1=0:x2=-20:y2=H:x3=W+20:y3=H:sense=source,hue=s=0.3"
        let shot = { (number: Int, seconds: Int) in "color=gray:s=960x360:r=25:d=\(seconds)[shot\(number)]" }
        let overlay = { (under: String, over: String, x: String, y: Int, name: String) in
            "[\(under)][\(over)]overlay=x='\(x)':y=\(y):shortest=1[\(name)]"
        }
        let graph = [
            portrait(200, 220) + ",split=2[a1][a3]", portrait(250, 228) + ",split=2[b1][b2]",
            portrait(250, 228) + ",\(distorted),split=3[c1][c2][c3]", shot(1, 6), shot(2, 2), shot(3, 3),
            overlay("shot1", "c1", "720", 70, "s1"), overlay("s1", "b1", "420-190*clip(t-2,0,2)", 60, "s2"),
            overlay("s2", "a1", "40+190*clip(t-2,0,2)", 65, "p1"), overlay("shot2", "b2", "150", 60, "s3"),
            overlay("s3", "c2", "560", 70, "p2"), overlay("shot3", "c3", "40", 70, "s4"),
            overlay("s4", "a3", "700-20*t", 65, "p3"), "[p1][p2][p3]concat=n=3",
        ]
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-filter_complex", graph.joined(separator: ";"),
            "-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Returns the box around a person's face, from hairline to chin; `nil` if the person is away.
    static func face(_ person: Person, frame: Int) -> Rectangle? {
        let walked = 190 * min(max(Double(frame) / 25 - 2, 0), 2)
        let portrait: Point? =
            switch person {
            case .first:
                frame < firstCut
                    ? Point(x: 40 + walked, y: 65)
                    : frame < secondCut ? nil : Point(x: 700 - 0.8 * Double(frame - secondCut), y: 65)
            case .second:
                frame < firstCut
                    ? Point(x: 420 - walked, y: 60) : frame < secondCut ? Point(x: 150, y: 60) : nil
            case .third: Point(x: frame < firstCut ? 720 : frame < secondCut ? 560 : 40, y: 70)
            }
        return portrait.map { portrait in
            switch person {
            case .first: Rectangle(x: portrait.x + 48, y: portrait.y + 47, width: 102, height: 126)
            case .second: Rectangle(x: portrait.x + 47, y: portrait.y + 47, width: 107, height: 126)
            case .third: Rectangle(x: portrait.x + 48, y: portrait.y + 62, width: 104, height: 122)
            }
        }
    }

    /// Whether the first person's portrait is apart from that of the second one, and no cut is near.
    static func isFirstApart(frame: Int) -> Bool {
        guard let first = face(.first, frame: frame) else { return false }
        let distance = face(.second, frame: frame).map { abs($0.x - first.x) } ?? 1000
        return distance > 260 && ![firstCut, secondCut].contains { abs(frame - $0) < 4 }
    }

    func video(_ path: String) throws -> RawVideo {
        let video = try RawVideo(path, width: Self.width, height: Self.height)
        try #require(video.frameCount == Self.frameCount)
        return video
    }
}

extension RawVideo {
    /// Whether the brightness in a box is the same as in another video.
    func isEqual(to other: RawVideo, in box: Rectangle, frame: Int) -> Bool {
        (Int(box.y)..<Int(box.y + box.height)).allSatisfy { y in
            (Int(box.x)..<Int(box.x + box.width)).allSatisfy { luma(frame, $0, y) == other.luma(frame, $0, y) }
        }
    }
}
