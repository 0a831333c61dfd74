import Foundation
import Testing
import TestSupport

/// Videos of the sample's second person, whose position in every frame is known, for tests that anonymize.
protocol AnonymizationTesting {}

extension AnonymizationTesting {
    /// The first frame of the sample that the videos show.
    private var firstFrame: Int { 50 }

    /// Runs ffmpeg, which must succeed.
    func ffmpeg(_ arguments: String...) throws {
        let made = try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "error"] + arguments)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Makes a video of 24 frames with audio and subtitles, and anonymizes it: `movie.mkv` and `movie.mkv.vidscan`.
    func anonymizedMovie(_ options: String...) throws -> TemporaryFolder {
        try PreparedFolder.copy("movie.mkv \(options)") { try makeAnonymizedMovie(options, in: $0) }
    }

    private func makeAnonymizedMovie(_ options: [String], in folder: TemporaryFolder) throws {
        let text = try folder.write("1\n00:00:00,100 --> 00:00:00,900\nBill P., 12 Secret Street\n", to: "text.srt")
        try ffmpeg(
            "-ss", "2", "-t", "0.96", "-i", Checkout.clip, "-f", "lavfi", "-i", "sine=r=48000:d=1", "-i", text, "-map",
            "0:v", "-map", "1", "-map", "2", "-c:v", "libx264", "-c:a", "aac", "-c:s", "srt",
            folder.path + "/movie.mkv")
        let made = try ChildProcess.run(
            [Checkout.tool, "analyze", "movie.mkv", "--anonymize", "solid", "--crf", "0", "--tables"] + options,
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        try folder.write(made.errors, to: "errors.txt")
    }

    /// The frames of such a video in which eyes, nose and mouth have one colour.
    func coveredFrames(of path: String) throws -> [Int] {
        let video = try RawVideo(path, width: 640, height: 360)
        let truth = try SampleTruth.faces()
        return try (0..<video.frameCount).filter { frame in
            let face = truth[frame + firstFrame]
            try #require(face.frame == frame + firstFrame)
            return video.isCovered(face.box, frame: frame)
        }
    }
}
