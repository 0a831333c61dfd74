import Testing

/// A video decoded by ffmpeg into upright 8-bit 4:2:0 frames.
package struct RawVideo {
    package let width: Int
    package let height: Int
    private let bytes: [UInt8]

    /// - Parameter window: ffmpeg's options before the input.
    package init(_ path: String, width: Int, height: Int, window: [String] = []) throws {
        (self.width, self.height) = (width, height)
        let decoded = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error"] + window + [
                "-i", path, "-an", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
            ])
        try #require(decoded.status == 0, "\(decoded.errors)")
        bytes = decoded.outputBytes
        try #require(bytes.count % (width * height * 3 / 2) == 0)
    }

    package var frameCount: Int { bytes.count / (width * height * 3 / 2) }

    package func luma(_ frame: Int, _ x: Int, _ y: Int) -> Int {
        Int(bytes[frame * (width * height * 3 / 2) + y * width + x])
    }

    /// - Parameters:
    ///   - plane: 1 or 2.
    ///   - x, y: in samples of the plane.
    package func chroma(_ frame: Int, _ plane: Int, _ x: Int, _ y: Int) -> Int {
        let area = width * height
        return Int(bytes[frame * (area * 3 / 2) + area + (plane - 1) * (area / 4) + y * (width / 2) + x])
    }

    package func frame(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index * width * height * 3 / 2)..<((index + 1) * width * height * 3 / 2)]
    }

    /// The smallest box around all pixels whose luma differs from another video's by more than a threshold.
    package func difference(
        from other: RawVideo, frame: Int, threshold: Int
    ) -> (left: Int, top: Int, right: Int, bottom: Int)? {
        var found: (left: Int, top: Int, right: Int, bottom: Int)?
        for y in 0..<height {
            for x in 0..<width where abs(luma(frame, x, y) - other.luma(frame, x, y)) > threshold {
                guard let old = found else {
                    found = (x, y, x + 1, y + 1)
                    continue
                }
                found = (min(old.left, x), min(old.top, y), max(old.right, x + 1), max(old.bottom, y + 1))
            }
        }
        return found
    }
}
