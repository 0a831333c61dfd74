internal import Foundation

/// The clips for the measurements. They are made with ffmpeg from the sample on the first run, and kept in a folder.
struct BenchClips {
    /// The duration of the main clip in seconds.
    static let seconds = 60

    /// The options of ffmpeg that encode with x264 at its defaults (medium, 3 B-frames, b-pyramid, a keyframe every 250
    /// frames).
    static let h264 = ["-c:v", "libx264", "-preset", "medium", "-crf", "23", "-pix_fmt", "yuv420p"]

    /// The noise of a camera's sensor. A still or enlarged picture without noise would be far too easy to decode.
    static let noise = "noise=alls=7:allf=t:all_seed=1"

    private let sample: String
    private let folder: String

    /// Prepares the folder of the clips.
    ///
    /// - Parameters:
    ///   - sample: The path of a video with faces, at least 20 s long. Two different people face the camera at 8 s and at
    ///     10.5 s.
    ///   - folder: The folder that the clips are kept in. It is created if it does not exist.
    /// - Throws: `BenchError` if the sample does not exist, or an error if the folder cannot be created.
    init(sample: String, folder: String) throws {
        guard FileManager.default.fileExists(atPath: sample) else {
            throw BenchError(
                "\(sample) does not exist; run vidscan-bench in the root of the checkout, or name a video with --sample"
            )
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.sample = sample
        self.folder = folder
    }

    /// Returns a clip of 60 s, 1920x1080, 25 frames/s, encoded by x264 at its defaults (medium, crf 23, 3 B-frames,
    /// b-pyramid).
    ///
    /// With this amount of noise, x264 produces about 6 Mbit/s.
    func minute() throws -> String {
        try clip("minute.mp4") { path in
            let third = try enlarged("noisy.mp4", filter: "," + Self.noise)
            try ffmpeg(["-stream_loop", "2", "-i", third, "-t", "\(Self.seconds)", "-c", "copy", path])
        }
    }

    /// Returns a clip with the first frame of `minute()`.
    func oneFrame() throws -> String {
        try clip("one-frame.mp4") { path in
            try ffmpeg(["-i", try minute(), "-frames:v", "1", "-c", "copy", path])
        }
    }

    /// Returns the first 11 s of the sample at 1280x720, with its audio.
    func elevenSeconds() throws -> String {
        try clip("eleven.mp4") { path in
            try ffmpeg([
                "-i", sample, "-t", "11", "-vf", "scale=1280:720:flags=bicubic", "-c:v", "libx264", "-crf", "18",
                "-c:a", "copy", path,
            ])
        }
    }

    /// Returns a folder with copies of one picture, the frame of the sample at 3 s.
    func pictures(count: Int) throws -> String {
        let picture = try still("picture.png", at: "3")
        let pictures = "\(folder)/pictures-\(count)"
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
        for number in 1...count {
            let path = "\(pictures)/\(number).png"
            guard !FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.copyItem(atPath: picture, toPath: path)
        }
        return pictures
    }

    /// Makes a clip of `count` minutes like `minute()`, but without noise. Its analysis takes as much memory as with
    /// noise, and much less time.
    ///
    /// The clip is deleted when `body` returns.
    func withPlainMinutes<Result>(_ count: Int, _ body: (String) throws -> Result) throws -> Result {
        let path = try clip("minutes-\(count).mp4") { path in
            let third = try enlarged("plain.mp4", filter: "")
            try ffmpeg(["-stream_loop", "\(3 * count - 1)", "-i", third, "-c", "copy", path])
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    /// Returns a frame of the sample as a PNG picture.
    func still(_ name: String, at seconds: String) throws -> String {
        try clip(name) { path in try ffmpeg(["-ss", seconds, "-i", sample, "-frames:v", "1", path]) }
    }

    /// Returns the bit rates of the clips of 60 s that have been made, for example `minute.mp4: 6.2 Mbit/s`.
    func bitRates() -> String {
        ["minute.mp4", "portrait-minute.mp4"].compactMap { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            guard let bytes = attributes?[.size] as? Int else { return nil }
            return name + String(format: ": %.1f Mbit/s", Double(bytes) * 8 / Double(Self.seconds) / 1e6)
        }.joined(separator: ", ")
    }

    /// Returns the first 20 s of the sample at 1920x1080, without audio.
    private func enlarged(_ name: String, filter: String) throws -> String {
        try clip(name) { path in
            try ffmpeg(
                [
                    "-i", sample, "-t", "20", "-map", "0:v:0", "-vf", "scale=1920:1080:flags=bicubic" + filter,
                ] + Self.h264 + [path])
        }
    }

    func ffmpeg(_ arguments: [String]) throws {
        _ = try MeasuredProcess(["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments)
    }

    /// Makes a clip unless it exists. The clip is renamed to its final name only when it is complete.
    func clip(_ name: String, make: (String) throws -> Void) throws -> String {
        let path = folder + "/" + name
        if FileManager.default.fileExists(atPath: path) { return path }
        let partial = folder + "/partial-" + name
        defer { try? FileManager.default.removeItem(atPath: partial) }
        Progress.report("making \(path)")
        try make(partial)
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        return path
    }
}
