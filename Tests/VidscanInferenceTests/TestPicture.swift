import Testing
import TestSupport
import VidscanBase

/// A picture of the sample clip as a model's input: planes of R', G', B' in 0…255.
struct TestPicture {
    let size: PictureSize
    let planes: [Float]

    /// - Parameters:
    ///   - seconds: into the clip.
    ///   - filter: ffmpeg's, that brings the picture to `size`.
    init(seconds: Double, filter: String, size: PictureSize) throws {
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-ss", "\(seconds)", "-i", Checkout.clip, "-frames:v", "1", "-vf",
            filter,
            "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
        ])
        let area = size.width * size.height
        try #require(decoded.outputBytes.count == 3 * area, "\(decoded.errors)")
        self.size = size
        planes = (0..<3).flatMap { channel in (0..<area).map { Float(decoded.outputBytes[3 * $0 + channel]) } }
    }

    /// The whole picture at 0.7 of its size, in the upper 252 rows.
    static func whole(seconds: Double) throws -> TestPicture {
        try TestPicture(
            seconds: seconds, filter: "scale=448:252:flags=area,pad=448:256",
            size: PictureSize(width: 448, height: 256))
    }

    func fill(_ tensor: UnsafeMutablePointer<Float>) {
        for (index, value) in planes.enumerated() { tensor[index] = value }
    }
}
