import Foundation
import Testing
import VidscanBase
import VidscanMedia

@Suite("The map from filtered pictures to the source")
struct FilterGeometryTests {
    /// Bright squares on black. Their positions show how the filters move the content.
    private struct Squares {
        static let size = PictureSize(width: 320, height: 240)
        static let centers = [Point(x: 120, y: 90), Point(x: 200, y: 100), Point(x: 150, y: 160)]
        static let levels = ["0xffffff", "0xb0b0b0", "0x707070"]

        static let source = [
            "-f", "lavfi", "-i", "color=black:s=320x240:r=1",
        ]
        static let filter =
            zip(centers, levels).map { "drawbox=\(Int($0.x) - 8):\(Int($0.y) - 8):16:16:\($1):fill" }
            .joined(separator: ",") + ",format=yuv420p"
    }

    private static let chains = [
        "crop=200:160:70:50", "crop=201:161", "crop=200:160:71:51:exact=1", "scale=480:200", "hflip", "vflip",
        "transpose=0", "transpose=1", "transpose=2", "transpose=3", "transpose=1:passthrough=landscape",
        "pad=400:300:31:21", "pad=iw*2:ih*2:(ow-iw)/2:(oh-ih)/2", "rotate=0.3",
        "rotate=PI/6:ow=rotw(PI/6):oh=roth(PI/6)",
        "crop=240:200,hflip,scale=iw*2:ih,transpose=clock,pad=iw+20:ih+10:5:3", "setsar=2,crop=200:160:70:50",
        "eq=gamma=1.1,boxblur=2,unsharp", "format=rgb24,crop=200:160:71:51", "hqx=2",
    ]

    /// A reader of the squares through a chain.
    private static func reader(through chain: String, needsMap: Bool = false) throws -> FrameReader {
        let video = try GeneratedVideo(
            "squares.mkv", source: Squares.source, filter: Squares.filter, encoding: ["-c:v", "ffv1"])
        var options = FrameReader.Options(
            rate: .everyFrame, filters: try FilterChain(steps: [chain], allowsFiles: false))
        options.needsMapToSource = needsMap
        return try FrameReader(path: video.path, options: options)
    }

    @Test("The map leads every square back to its position in the source", arguments: chains)
    func squares(chain: String) throws {
        let reader = try Self.reader(through: chain)
        let frame = try #require(try reader.next())
        let filtering = try #require(reader.filtering)
        let map = try #require(filtering.toSource, "\(chain)")
        #expect(filtering.sourceSize == Squares.size)
        let found = try Self.centers(in: frame)
        for (center, expected) in zip(found, Squares.centers) {
            let back = map.apply(to: center)
            // Half a chroma sample, and the effect of blurring and rotation on the edges of a square.
            #expect(abs(back.x - expected.x) < 0.75, "\(chain): \(back) for \(expected)")
            #expect(abs(back.y - expected.y) < 0.75, "\(chain): \(back) for \(expected)")
        }
    }

    @Test("The map is right for every orientation", arguments: 1...8)
    func orientations(orientation: Int) throws {
        let video = try GeneratedVideo.turned(orientation, size: PictureSize(width: 320, height: 180))
        let reader = try FrameReader(
            path: video.path,
            options: FrameReader.Options(
                rate: .everyFrame, filters: try FilterChain(steps: ["crop=100:80:60:40"], allowsFiles: false)))
        let frame = try #require(try reader.next())
        #expect(frame.geometry.displaySize == PictureSize(width: 100, height: 80))
        let map = try #require(reader.filtering?.toSource)
        #expect(map.apply(to: Point(x: 0, y: 0)) == Point(x: 60, y: 40))
        #expect(map.apply(to: Point(x: 100, y: 80)) == Point(x: 160, y: 120))
    }

    @Test(
        "There is no map for filters that move the content in other ways, or frames in time",
        arguments: [
            "perspective=10:10", "lenscorrection=k1=0.1", "crop=100:100:x=t*10", "rotate=t", "tile=2x1",
            "rotate=0.3:enable='lt(t,1)'", "split[a][b];[a][b]hstack", "v360=e:flat", "setpts=2*PTS", "tpad=1",
            "loop=1:1",
        ])
    func unknown(chain: String) throws {
        let reader = try Self.reader(through: chain)
        _ = try #require(try reader.next())
        #expect(try #require(reader.filtering).toSource == nil)
        #expect(throws: MediaError.self) { _ = try Self.reader(through: chain, needsMap: true).next() }
    }

    /// The centre of each square on the display, the brightest first.
    private static func centers(in frame: SampledFrame) throws -> [Point] {
        let size = frame.geometry.displaySize
        var tensor = [Float](repeating: 0, count: 3 * size.width * size.height)
        try tensor.withUnsafeMutableBufferPointer { buffer in
            let base = try #require(buffer.baseAddress)
            try AreaResampler().resample(frame, pictureSize: size, tensorSize: size, into: base)
        }
        // Clusters of bright pixels, by flood fill.
        var seen = [Bool](repeating: false, count: size.width * size.height)
        var clusters: [(level: Float, center: Point)] = []
        for start in seen.indices where !seen[start] && tensor[start] > 40 {
            var stack = [start]
            seen[start] = true
            var (sumX, sumY, weight, maximum) = (0.0, 0.0, 0.0, Float(0))
            while let pixel = stack.popLast() {
                let (x, y) = (pixel % size.width, pixel / size.width)
                let value = Double(tensor[pixel])
                sumX += value * (Double(x) + 0.5)
                sumY += value * (Double(y) + 0.5)
                weight += value
                maximum = max(maximum, tensor[pixel])
                for (nextX, nextY) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
                where (0..<size.width).contains(nextX) && (0..<size.height).contains(nextY) {
                    let next = nextY * size.width + nextX
                    if !seen[next], tensor[next] > 40 {
                        seen[next] = true
                        stack.append(next)
                    }
                }
            }
            if weight > 2000 { clusters.append((maximum, Point(x: sumX / weight, y: sumY / weight))) }
        }
        try #require(clusters.count == Squares.centers.count)
        return clusters.sorted { $0.level > $1.level }.map(\.center)
    }
}
