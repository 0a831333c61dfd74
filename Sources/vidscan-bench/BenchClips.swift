internal import Foundation

/// The clips that are measured on, made once with ffmpeg from the sample and kept in a folder.
struct BenchClips {
    /// 60 s of 1080p H.264.
    static let seconds = 60

    private let sample: String
    private let folder: String

    /// - Parameters:
    ///   - sample: a video with faces, 20 s or longer.
    ///   - folder: where the clips are kept; made when it is not there.
    init(sample: String, folder: String) throws {
        guard FileManager.default.fileExists(atPath: sample) else {
            throw BenchError("\(sample) is not there; run this in the checkout's root, or name a video with --sample")
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.sample = sample
        self.folder = folder
    }

    /// 60 s, 1920x1080, 25 frames a second, x264 at its defaults (medium, crf 23, 3 B-frames, b-pyramid).
    ///
    /// Without noise an enlarged clip would be far too easy to decode. Of this much x264 makes about 6 Mbit/s.
    func minute() throws -> String {
        try clip("minute.mp4") { path in
            let third = try enlarged("noisy.mp4", filter: ",noise=alls=7:allf=t:all_seed=1")
            try ffmpeg(["-stream_loop", "2", "-i", third, "-t", "\(Self.seconds)", "-c", "copy", path])
        }
    }

    /// The first frame of `minute()`.
    func oneFrame() throws -> String {
        try clip("one-frame.mp4") { path in
            try ffmpeg(["-i", try minute(), "-frames:v", "1", "-c", "copy", path])
        }
    }

    /// The sample's first 11 s at 1280x720, with its sound.
    func elevenSeconds() throws -> String {
        try clip("eleven.mp4") { path in
            try ffmpeg([
                "-i", sample, "-t", "11", "-vf", "scale=1280:720:flags=bicubic", "-c:v", "libx264", "-crf", "18",
                "-c:a", "copy", path,
            ])
        }
    }

    /// A folder with copies of a picture: the sample's at three seconds.
    func pictures(count: Int) throws -> String {
        let picture = try clip("picture.png") { path in
            try ffmpeg(["-ss", "3", "-i", sample, "-frames:v", "1", path])
        }
        let pictures = "\(folder)/pictures-\(count)"
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
        for number in 1...count {
            let path = "\(pictures)/\(number).png"
            guard !FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.copyItem(atPath: picture, toPath: path)
        }
        return pictures
    }

    /// A long clip, as `minute()` but without the noise: as large in memory, much faster to get through.
    ///
    /// It is deleted when `body` ends.
    func withPlainMinutes<Result>(_ count: Int, _ body: (String) throws -> Result) throws -> Result {
        let path = try clip("minutes-\(count).mp4") { path in
            let third = try enlarged("plain.mp4", filter: "")
            try ffmpeg(["-stream_loop", "\(3 * count - 1)", "-i", third, "-c", "copy", path])
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    /// `6.2 Mbit/s`
    func bitRate(of path: String) throws -> String {
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        return String(format: "%.1f Mbit/s", Double(bytes) * 8 / Double(Self.seconds) / 1e6)
    }

    /// The sample's first 20 s at 1920x1080.
    private func enlarged(_ name: String, filter: String) throws -> String {
        try clip(name) { path in
            try ffmpeg([
                "-i", sample, "-t", "20", "-map", "0:v:0", "-vf", "scale=1920:1080:flags=bicubic" + filter,
                "-c:v", "libx264", "-preset", "medium", "-crf", "23", "-pix_fmt", "yuv420p", path,
            ])
        }
    }

    private func ffmpeg(_ arguments: [String]) throws {
        _ = try MeasuredProcess(["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments)
    }

    /// Makes a clip unless it is there. It gets its name only once it is whole.
    private func clip(_ name: String, make: (String) throws -> Void) throws -> String {
        let path = folder + "/" + name
        if FileManager.default.fileExists(atPath: path) { return path }
        let partial = folder + "/partial-" + name
        defer { try? FileManager.default.removeItem(atPath: partial) }
        Progress.tell("making \(path)")
        try make(partial)
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        return path
    }
}
