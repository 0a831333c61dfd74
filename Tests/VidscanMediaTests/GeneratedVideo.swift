import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

/// A lossless video of one picture, made with ffmpeg, and the planes that ffmpeg decodes from it.
struct GeneratedVideo {
    let path: String
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - source: options for the input of ffmpeg.
    ///   - encoding: options for a lossless encoder.
    init(_ name: String, source: [String] = GeneratedVideo.face, filter: String, encoding: [String]) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/" + name
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error"] + source + ["-frames:v", "1", "-vf", filter] + encoding + [path])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// A picture of the sample clip with a face, cloth and a smooth background.
    static let face = ["-ss", "2", "-i", Checkout.clip]

    static func color(_ color: String) -> [String] { ["-f", "lavfi", "-i", "color=\(color):s=64x48:r=1"] }

    /// Stored in one of the eight EXIF orientations. The display matrix turns the picture upright.
    static func turned(_ orientation: Int, size: PictureSize) throws -> GeneratedVideo {
        let filters = [
            "null", "hflip", "hflip,vflip", "vflip", "transpose=cclock_flip", "transpose=cclock",
            "transpose=clock_flip", "transpose=clock",
        ]
        // Without chroma subsampling, so that rotation does not move chroma relative to luma.
        let video = try GeneratedVideo(
            "turned.mp4",
            filter: "scale=\(size.width):\(size.height),format=yuv444p,\(filters[orientation - 1])",
            encoding: ["-c:v", "libx264", "-qp", "0", "-preset", "ultrafast"])
        let marked = try ChildProcess.run([
            "python3", Checkout.samples + "/set_display_matrix.py", video.path, "\(orientation)",
        ])
        try #require(marked.status == 0, "\(marked.errors)")
        return video
    }

    /// The first frame, from `FrameReader`.
    func frame() throws -> SampledFrame {
        let reader = try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame))
        return try #require(try reader.next())
    }

    /// The bytes of the first frame in a pixel format, from ffmpeg.
    func bytes(_ pixelFormat: String) throws -> [UInt8] {
        let decoded = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", path, "-frames:v", "1", "-f", "rawvideo",
            "-pix_fmt", pixelFormat, "-",
        ])
        try #require(decoded.status == 0, "\(decoded.errors)")
        return decoded.outputBytes
    }

    /// The first frame in a tensor with the planes R', G' and B'.
    func tensor(picture: PictureSize, tensor size: PictureSize) throws -> [Float] {
        let frame = try frame()
        return try [Float](unsafeUninitializedCapacity: 3 * size.width * size.height) { buffer, count in
            // Makes unwritten values visible.
            buffer.initialize(repeating: -1)
            let base = try #require(buffer.baseAddress)
            try AreaResampler().resample(frame, pictureSize: picture, tensorSize: size, into: base)
            count = buffer.count
        }
    }
}
