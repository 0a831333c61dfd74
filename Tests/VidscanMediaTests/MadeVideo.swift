import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

/// A lossless video of one picture that ffmpeg makes for a test, and the planes that ffmpeg decodes from it.
struct MadeVideo {
    let path: String
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - source: an input of ffmpeg's, before its filters.
    ///   - encoding: what makes a lossless file of it.
    init(_ name: String, source: [String] = MadeVideo.face, filter: String, encoding: [String]) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/" + name
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error"] + source + ["-frames:v", "1", "-vf", filter] + encoding + [path])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// A picture of the sample clip: a face, cloth, a smooth background.
    static let face = ["-ss", "2", "-i", Checkout.clip]

    static func color(_ color: String) -> [String] { ["-f", "lavfi", "-i", "color=\(color):s=64x48:r=1"] }

    /// Turned so that the file's display matrix turns it back; numbered as EXIF does.
    static func turned(_ orientation: Int, size: PictureSize) throws -> MadeVideo {
        let filters = [
            "null", "hflip", "hflip,vflip", "vflip", "transpose=cclock_flip", "transpose=cclock",
            "transpose=clock_flip", "transpose=clock",
        ]
        // Chroma as fine as luma, so that no turn moves it against luma.
        let video = try MadeVideo(
            "turned.mp4",
            filter: "scale=\(size.width):\(size.height),format=yuv444p,\(filters[orientation - 1])",
            encoding: ["-c:v", "libx264", "-qp", "0", "-preset", "ultrafast"])
        let marked = try ChildProcess.run([
            "python3", Checkout.samples + "/set_display_matrix.py", video.path, "\(orientation)",
        ])
        try #require(marked.status == 0, "\(marked.errors)")
        return video
    }

    /// The file's first frame as vidscan reads it.
    func frame() throws -> SampledFrame {
        let reader = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
        return try #require(try reader.next())
    }

    /// The first frame's bytes as ffmpeg decodes it, in this pixel format.
    func bytes(_ pixelFormat: String) throws -> [UInt8] {
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", path, "-frames:v", "1", "-f", "rawvideo",
            "-pix_fmt", pixelFormat, "-",
        ])
        try #require(decoded.status == 0, "\(decoded.errors)")
        return decoded.outputBytes
    }

    /// The first frame in a tensor, whose first plane is R', the others G' and B'.
    func tensor(picture: PictureSize, tensor size: PictureSize) throws -> [Float] {
        let frame = try frame()
        return try [Float](unsafeUninitializedCapacity: 3 * size.width * size.height) { buffer, count in
            // What is not written would show.
            buffer.initialize(repeating: -1)
            let base = try #require(buffer.baseAddress)
            try AreaResampler().resample(frame, pictureSize: picture, tensorSize: size, into: base)
            count = buffer.count
        }
    }
}
