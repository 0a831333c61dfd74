/// Clips of people who face the camera, as in an interview or a call, without cuts. A hand-held camera films frames of
/// the sample, which shows faces in the public domain.
extension BenchClips {
    /// The number of frames of the clip that `portrait360()` returns.
    static let portraitFrames = 472

    /// Returns a clip with one face: 60 s, 1920x1080, 25 frames/s, H.264 at about 7 Mbit/s.
    func portraitMinute() throws -> String {
        try clip("portrait-minute.mp4") { path in
            try ffmpeg(["-stream_loop", "2", "-i", try portrait1080(), "-c", "copy", path])
        }
    }

    /// Returns a clip with one face: 472 frames, 640x360.
    func portrait360() throws -> String {
        try portrait("portrait-360p.mp4", size: "640:360", frames: Self.portraitFrames)
    }

    /// Returns a clip with one face: 10.8 s, 1280x720.
    func portrait720() throws -> String {
        try portrait("portrait-720p.mp4", size: "1280:720", frames: 270)
    }

    /// Returns a clip with one face: 6 s, 3840x2160, HEVC with 10 bits per component.
    ///
    /// The picture itself has 8 bits per component, because the filters that make it know no more. That does not affect
    /// the memory that the clip takes.
    func portrait4K() throws -> String {
        try clip("portrait-4k.mp4") { path in
            try ffmpeg(
                looped(try portraitStill()) + [
                    "-vf", filmed("3840:2160", HandheldCamera()) + "," + Self.noise + ",format=yuv420p10le",
                    "-frames:v", "150", "-c:v", "libx265", "-preset", "fast", "-crf", "26",
                    "-x265-params", "log-level=error", path,
                ])
        }
    }

    /// Returns a clip with four faces side by side: 10 s, 1280x720. The faces are those of two people and their mirror
    /// images in another light; each has a camera of its own.
    func fourPeople() throws -> String {
        try clip("four-people.mp4") { path in
            let stills = [try portraitStill(), try secondStill()]
            let inputs = (0..<4).flatMap { looped(stills[$0 % 2]) }
            let tiles = (0..<4).map { index in
                let mirrored = index < 2 ? "" : "hflip,eq=gamma=0.8,"
                let camera = HandheldCamera(phase: 1.3 * Double(index))
                return "[\(index):v]" + mirrored + filmed("640:360", camera) + "[tile\(index)]"
            }
            let stacked = "[tile0][tile1][tile2][tile3]xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0," + Self.noise
            try ffmpeg(
                inputs + ["-filter_complex", (tiles + [stacked]).joined(separator: ";"), "-frames:v", "250"]
                    + Self.h264 + [path])
        }
    }

    /// Returns a JPEG picture with one face, 1920x1080.
    func portraitPicture() throws -> String {
        try clip("portrait.jpg") { path in
            try ffmpeg(["-i", try portrait1080(), "-frames:v", "1", "-q:v", "2", path])
        }
    }

    /// Returns a clip with one face whose end joins its start: 20 s, 1920x1080.
    private func portrait1080() throws -> String {
        try portrait("portrait-1080p.mp4", size: "1920:1080", frames: HandheldCamera.period)
    }

    private func portrait(_ name: String, size: String, frames: Int) throws -> String {
        try clip(name) { path in
            try ffmpeg(
                looped(try portraitStill())
                    + ["-vf", filmed(size, HandheldCamera()) + "," + Self.noise, "-frames:v", "\(frames)"]
                    + Self.h264 + [path])
        }
    }

    /// A frame of the sample in which a face is upright and large.
    func portraitStill() throws -> String { try still("portrait.png", at: "8.02") }

    /// The same of another person.
    func secondStill() throws -> String { try still("second-portrait.png", at: "10.5") }

    func looped(_ picture: String) -> [String] { ["-loop", "1", "-framerate", "25", "-i", picture] }

    func filmed(_ size: String, _ camera: HandheldCamera) -> String {
        "scale=\(size):flags=bicubic,format=yuv420p,\(camera.filter)"
    }
}
