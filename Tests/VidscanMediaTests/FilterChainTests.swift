import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("Filter chains")
struct FilterChainTests {
    /// The frames that `ffmpeg -vf` gives, with their times on the file's own timeline.
    private struct Golden {
        var rows: [(microseconds: Int64, md5: String)] = []

        init(_ path: String, chain: String) throws {
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-copyts",
                "-vf", chain, "-enc_time_base", "1:1000000", "-f", "framemd5", "-",
            ])
            try #require(made.status == 0, "\(made.errors)")
            for line in made.output.split(separator: "\n") where !line.hasPrefix("#") {
                let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                rows.append((try #require(Int64(fields[2])), fields[5]))
            }
            try #require(!rows.isEmpty)
        }
    }

    /// At least one filter of each category with one input and one output, and combinations.
    private static let chains = [
        "gblur=sigma=2", "eq=brightness=0.06:saturation=1.3", "hue=h=40", "drawbox=20:30:100:50:red@0.5:t=4",
        "lenscorrection=k1=-0.2:k2=0.05", "crop=iw/2:ih/2:13:7,pad=iw+40:ih+20:11:9:gray", "transpose=clock,hflip",
        "rotate=0.2:ow=rotw(0.2):oh=roth(0.2)", "scale=300:-2,setsar=1", "unsharp=5:5:1.2", "edgedetect=mode=colormix",
        "yadif", "yadif=mode=send_field,scale=iw/2:ih/2", "hqdn3d,format=gray", "tmix=frames=3",
        "split[a][b];[a]boxblur=4[c];[c][b]blend=all_mode=average", "curves=preset=vintage,vflip",
        "lutyuv=y=negval,pixelize=w=8:h=8", "fade=in:0:20", "tile=2x1",
        "hqdn3d=4,eq=gamma=1.2,crop=200:100,unsharp",
    ]

    @Test("Filtered pictures equal those of ffmpeg -vf, bit for bit", arguments: chains)
    func equalToTheCommandLine(chain: String) throws {
        try compare(try Variants.path("bpyramid.mp4"), chain: chain, rates: [.everyFrame, try .of("5")])
    }

    private static let variants = [
        "vfr.mp4", "starttime.ts", "sar.mp4", "oddsize.webm", "opengop.ts", "hevc.mp4", "mjpeg.avi", "ffv1.mkv",
        "tenbit.mp4", "yuv444.mp4", "rgb.mkv", "gray.mp4", "fullrange.mp4", "bt601.mp4", "interlaced.ts", "still.png",
        "still_exif.jpg", "anim.gif", "orient1.mp4", "orient2.mp4", "orient3.mp4", "orient4.mp4", "orient5.mp4",
        "orient6.mp4", "orient7.mp4", "orient8.mp4",
    ]

    @Test("Filtered pictures equal those of ffmpeg for every kind of video", arguments: variants)
    func equalOnVariants(name: String) throws {
        let path = try Variants.path(name)
        try compare(path, chain: "crop=iw*3/4:ih/2,eq=contrast=1.2,scale=160:100", rates: [try .of("5")])
    }

    @Test(
        "A chain that needs every frame gives the pictures of ffmpeg",
        arguments: [
            "vfr.mp4", "starttime.ts", "sar.mp4", "oddsize.webm", "opengop.ts", "tenbit.mp4", "rgb.mkv",
            "interlaced.ts", "still.png", "anim.gif", "orient6.mp4",
        ])
    func everyFrameOnVariants(name: String) throws {
        try compare(try Variants.path(name), chain: "bwdif,unsharp", rates: [try .of("5")])
    }

    /// Compares every sampled picture with ffmpeg's picture of the same time. The times must be those of the sampling grid.
    private func compare(_ path: String, chain: String, rates: [SampleGrid.Rate]) throws {
        let golden = try Golden(path, chain: chain)
        for rate in rates { try compare(path, chain: chain, rate: rate, with: golden) }
    }

    private func compare(_ path: String, chain: String, rate: SampleGrid.Rate, with golden: Golden) throws {
        let filters = try FilterChain(steps: [chain], allowsFiles: false)
        let reading = try FrameReading(path, FrameReader.Options(rate: rate, filters: filters))
        let start = reading.info.containerStartMicroseconds
        var expected: [(microseconds: Int64, md5: String)] = []
        var lastTick: Int64 = -1
        for row in golden.rows {
            let time = row.microseconds - start
            if case .perSecond(let rate) = rate {
                // A time counts as on the grid if only rounding moves it off.
                let tick = ((Double(time) + 0.5) / 1e6 * rate.value).rounded(.down)
                guard time >= 0, Int64(tick) > lastTick else { continue }
                lastTick = Int64(tick)
            }
            expected.append((time, row.md5))
        }
        let got = reading.rows
        #expect(got.map(\.md5) == expected.map(\.md5), "\(chain) on \((path as NSString).lastPathComponent)")
        for (row, truth) in zip(got, expected) { #expect(abs(row.microseconds - truth.microseconds) <= 1) }
    }

    @Test("A chain needs every frame only if one of its filters has memory")
    func memory() throws {
        for chain in Self.chains {
            let remembers = ["yadif", "hqdn3d", "tmix", "fade", "tile", "split"].contains { chain.contains($0) }
            #expect(try FilterChain(steps: [chain], allowsFiles: false).needsEveryFrame == remembers, "\(chain)")
        }
        // The number of a frame is right only if the filter gets all frames.
        for chain in ["rotate=n*0.1", "geq=lum='p(X,Y)+N'", "eq=brightness=0.1:enable='gt(n,3)'"] {
            #expect(try FilterChain(steps: [chain], allowsFiles: false).needsEveryFrame, "\(chain)")
        }
        #expect(try !FilterChain(steps: ["rotate=t*0.1"], allowsFiles: false).needsEveryFrame)
    }

    @Test("A chain without memory decodes no more frames than the samples need")
    func cost() throws {
        let path = try Variants.path("bpyramid.mp4")
        let rate = try SampleGrid.Rate.of("5")
        let plain = try FrameReading(path, FrameReader.Options(rate: rate)).statistics
        let chain = try FilterChain(steps: ["eq=gamma=1.2"], allowsFiles: false)
        let filtered = try FrameReading(path, FrameReader.Options(rate: rate, filters: chain)).statistics
        #expect(filtered == plain)
        let remembering = try FilterChain(steps: ["hqdn3d"], allowsFiles: false)
        let whole = try FrameReading(path, FrameReader.Options(rate: rate, filters: remembering)).statistics
        #expect(whole.framesDecoded == 75)
        #expect(plain.framesDecoded < 65)
    }

    @Test(
        "A window gives the same filtered frames as the whole video",
        arguments: ["eq=gamma=1.2", "hqdn3d,eq=gamma=1.2", "yadif"])
    func window(chain: String) throws {
        let path = try Variants.path("longgop.mp4")
        let filters = try FilterChain(steps: [chain], allowsFiles: false)
        let rate = try SampleGrid.Rate.of("7")
        let whole = try FrameReading(path, FrameReader.Options(rate: rate, filters: filters)).rows
        let part = try FrameReading(
            path, FrameReader.Options(rate: rate, start: 900_000, end: 2_100_000, filters: filters)
        ).rows
        #expect(part == whole.filter { (900_000..<2_100_000).contains($0.microseconds) })
        #expect(part.count > 5)
    }

    @Test(
        "Filters that never end give the frames of the window", .timeLimit(.minutes(1)),
        arguments: ["loop=-1:size=1", "tpad=stop=-1"])
    func endless(chain: String) throws {
        let video = try GeneratedVideo(
            "one.mkv", source: GeneratedVideo.color("red"), filter: "null", encoding: ["-c:v", "ffv1"])
        let filters = try FilterChain(steps: [chain], allowsFiles: false)
        let options = FrameReader.Options(rate: .everyFrame, end: 3_000_000, filters: filters)
        #expect(try Set(FrameReading(video.path, options).rows.map(\.microseconds)) == [0, 1_000_000, 2_000_000])
    }

    /// A second of 320 x 180 pixels, then one of 160 x 120.
    private func changingSize(in folder: TemporaryFolder) throws -> String {
        var both = Data()
        for (size, offset) in [("320:180", "0"), ("160:120", "1")] {
            let part = folder.path + "/part.ts"
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "2", "-t", "1", "-i", Checkout.clip, "-an", "-vf",
                "scale=\(size)", "-c:v", "mpeg2video", "-q:v", "3", "-output_ts_offset", offset, part,
            ])
            try #require(made.status == 0, "\(made.errors)")
            both += try folder.bytes("part.ts")
        }
        let path = folder.path + "/both.ts"
        try both.write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(
        "No frame is lost when the frame size changes", arguments: ["hflip", "hqdn3d", "yadif,unsharp"])
    func changedSize(chain: String) throws {
        let folder = try TemporaryFolder()
        let path = try changingSize(in: folder)
        let plain = try FrameReading(path, FrameReader.Options(rate: .everyFrame)).rows
        let reader = try FrameReader(
            path: path,
            options: FrameReader.Options(
                rate: .everyFrame, filters: try FilterChain(steps: [chain], allowsFiles: false)))
        var frames: [(index: Int64, microseconds: Int64, size: PictureSize)] = []
        while let frame = try reader.next() {
            frames.append((frame.index, frame.microseconds, frame.geometry.displaySize))
        }
        #expect(frames.map(\.index) == plain.map(\.index))
        #expect(frames.map(\.microseconds) == plain.map(\.microseconds))
        #expect(frames.first?.size == PictureSize(width: 320, height: 180))
        #expect(frames.last?.size == PictureSize(width: 160, height: 120))
    }

    @Test("A filter that never ends gives its frames when the frame size changes")
    func endlessBeforeChange() async throws {
        let folder = try TemporaryFolder()
        let (path, cancellation) = (try changingSize(in: folder), CancellationFlag())
        var options = FrameReader.Options(rate: .everyFrame, end: 2_500_000)
        options.filters = try FilterChain(steps: ["tpad=stop=-1"], allowsFiles: false)
        let limit = Task {
            try await Task.sleep(for: .seconds(30))
            cancellation.set()
        }
        defer { limit.cancel() }
        let reader = try FrameReader(path: path, options: options, cancellation: cancellation)
        var count = 0
        while let frame = try reader.next() {
            #expect(frame.geometry.displaySize == PictureSize(width: 320, height: 180))
            count += 1
        }
        #expect(count > 60)
    }
}

@Suite("Filters without memory")
struct StatelessFilterTests {
    /// Options without which a filter fails or does nothing.
    private static let options = [
        "alphaextract": "format=yuva420p,alphaextract", "colormatrix": "colormatrix=bt601:bt709",
        "colorspace": "setparams=colorspace=bt709:color_trc=bt709:color_primaries=bt709,colorspace=bt601-6-625",
        "crop": "crop=100:100", "delogo": "delogo=10:10:40:40", "drawtext": "drawtext=text=%{pts}",
        "floodfill": "floodfill=d0=9", "format": "format=gray", "geq": "geq=lum='p(X,Y)+T'", "lut3d": "",
        "noformat": "noformat=yuv420p", "pad": "pad=800:600", "premultiply": "", "rotate": "rotate=t",
        "scale": "scale=100:100", "setfield": "setfield=tff", "swaprect": "swaprect=20:20:0:0:50:50",
        "tonemap": "format=gbrpf32le,tonemap", "zscale": "zscale=100:100", "v360": "v360=e:flat",
        "xbr": "scale=64:64,xbr", "hqx": "scale=64:64,hqx", "super2xsai": "scale=64:64,super2xsai",
        "nlmeans": "scale=64:36,nlmeans", "dctdnoiz": "scale=64:36,dctdnoiz=4.5",
    ]

    private static let names = FilterCatalog.all.filter { $0.isStateless && options[$0.name] != "" }.map(\.name)

    @Test("The output does not depend on earlier frames", arguments: names)
    func stateless(name: String) throws {
        let path = try Variants.path("mjpeg.avi")
        let chain = try FilterChain(steps: [Self.options[name] ?? name], allowsFiles: false)
        // With the sampled frames only, and with all frames, of the first 1.1 s.
        let sampled = try FrameReading(
            path, FrameReader.Options(rate: try .of("3"), end: 1_100_000, filters: chain)
        ).rows
        let all = try FrameReading(
            path, FrameReader.Options(rate: .everyFrame, end: 1_100_000, filters: chain)
        ).rows
        #expect(sampled.count == 4)
        #expect(sampled == all.filter { row in sampled.contains { $0.index == row.index } })
    }

    @Test("Common filters are among them")
    func common() {
        #expect(Self.names.count > 60)
        for name in ["scale", "crop", "eq", "unsharp", "gblur", "hflip", "curves", "drawtext"] {
            #expect(Self.names.contains(name))
        }
    }
}
