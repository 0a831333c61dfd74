import Foundation
import VidscanBase
import VidscanMedia

/// The text of a filter chain. It is parsed and checked. A chain that needs no permission is run on a small video.
enum FilterFuzzing {
    private static let limits = MediaLimits(maximumPixels: 1 << 20)

    static func feed(_ bytes: ArraySlice<UInt8>, base: FuzzBase, scratch: FuzzScratch) {
        guard bytes.count <= 1024 else { return }
        // A filter that creates a file by a relative name creates it here.
        let folder = scratch.emptyFolder()
        demand(FileManager.default.changeCurrentDirectoryPath(folder), "no folder \(folder)")
        defer {
            let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            demand(found.isEmpty, "a filter that is allowed without permission made \(found)")
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            let chain = try? FilterChain(steps: [text], allowsFiles: false)
        else { return }
        guard ProcessInfo.processInfo.environment["VIDSCAN_FUZZ_GRAPHS"] != "0",
            let rate = Rational(2, 1)
        else { return }
        let options = FrameReader.Options(
            rate: .perSecond(rate), decoderThreads: 1, limits: limits, filters: chain)
        guard let reader = try? FrameReader(path: base.video, options: options) else { return }
        for _ in 0..<4 {
            guard let frame = try? reader.next() else { return }
            _ = try? frame.md5()
        }
    }
}
