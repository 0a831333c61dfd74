import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The filter catalog")
struct FilterCatalogTests {
    /// Name, pads (`VV->V`) and flags of every filter that ffmpeg lists.
    private func listed() throws -> [(name: String, pads: String, flags: String)] {
        let made = try ChildProcess.run(["ffmpeg", "-v", "quiet", "-filters"])
        return made.output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            guard words.count > 3, words[2].contains("->"), words[0].count == 3 else { return nil }
            return (words[1], words[2], words[0])
        }
    }

    @Test("The catalog contains every filter with a video input or output, each with a category")
    func complete() throws {
        let all = try listed()
        #expect(all.count > 300)
        let names = Set(FilterCatalog.names)
        for filter in all where filter.pads.contains("V") {
            #expect(names.contains(filter.name), "\(filter.name) is missing")
        }
        for filter in all where !filter.pads.contains("V") && !filter.pads.contains("N") {
            #expect(!names.contains(filter.name), "\(filter.name) has no pictures")
        }
        // A filter that is newer than the table, or that the table lacks.
        #expect(FilterCatalog.names.filter { FilterCategory.of($0) == nil } == [])
    }

    @Test("No filter has two categories")
    func unambiguous() {
        let names = FilterCategory.table.map(\.filter)
        #expect(names.count > 400)
        #expect(Set(names).count == names.count)
        #expect(Set(FilterCategory.table.map(\.category)) == Set(FilterCategory.allCases))
    }

    @Test("Flags for slices and the timeline agree with ffmpeg")
    func flags() throws {
        var compared = 0
        for filter in try listed() {
            guard let own = FilterCatalog.named(filter.name) else { continue }
            compared += 1
            #expect(own.supportsTimeline == filter.flags.contains("T"), "\(filter.name)")
            #expect(own.isSliceable == filter.flags.contains("S"), "\(filter.name)")
        }
        #expect(compared > 200)
    }

    @Test(
        "Options agree with those that ffmpeg lists",
        arguments: ["eq", "unsharp", "drawtext", "crop", "hqdn3d", "overlay"])
    func options(name: String) throws {
        let help = try ChildProcess.run(["ffmpeg", "-v", "quiet", "-h", "filter=\(name)"]).output
        let filter = try #require(FilterCatalog.named(name))
        let lines = help.split(separator: "\n")
        for option in filter.options {
            let line = try #require(
                lines.first { $0.split(separator: " ").first.map(String.init) == option.name }, "\(option.name)")
            if let meaning = option.help { #expect(line.contains(meaning)) }
        }
        let own = help.components(separatedBy: " AVOptions:").dropFirst().first ?? ""
        let known = own.split(separator: "\n").filter { $0.firstMatch(of: /^ {1,3}\S+ +</) != nil }
        #expect(known.count == filter.options.count)
    }

    @Test("An option has its type, range, default and constants")
    func facts() throws {
        let eq = try #require(FilterCatalog.named("eq"))
        let evaluation = try #require(eq.options.first { $0.name == "eval" })
        #expect(evaluation.kind == .choice)
        #expect(evaluation.defaultText == "init")
        #expect(evaluation.choices.map(\.name) == ["init", "frame"])
        let noise = try #require(FilterCatalog.named("hqdn3d")?.options.first { $0.name == "luma_spatial" })
        #expect(noise.kind == .number)
        #expect(noise.range?.lowerBound == 0)
        let crop = try #require(FilterCatalog.named("crop"))
        #expect(crop.options.first { $0.name == "w" }?.aliasOf == "out_w")
        #expect(crop.category == .geometry && crop.isStateless)
        #expect(crop.inputs == ["video"] && crop.outputs == ["video"] && !crop.hasMoreInputs && !crop.hasMoreOutputs)
        #expect(FilterCatalog.named("drawtext")?.options.first { $0.name == "textfile" }?.reachesFiles == true)
    }

    private static let reaching = [
        "movie=a.mp4,nullsink;[in]null", "lut3d=a.cube", "lut3d=file=a.cube", "lut1d=a.cube", "drawtext=textfile=a.txt",
        "drawtext=a.ttf:x", "drawtext=text=x:fontfile=/a.ttf", "subtitles=a.srt", "ass=a.ass", "metadata=print:file=a",
        "curves=psfile=a.acv", "curves=plot=a.plt", "removelogo=a.png", "find_rect=a.pgm", "cover_rect=a.jpg",
        "signature=filename=a", "vidstabdetect", "vidstabdetect=result=a", "vidstabtransform", "deshake=filename=a",
        "zmq", "sendcmd=c='0 drawtext reinit textfile=a'", "frei0r=a", "sr=model=a", "derain=model=a", "hwupload",
        "scale_vaapi=10:10", "split[a][b];[a][b]psnr=f=a", "split[a][b];[a][b]psnr=stats_file=a",
        "split[a][b];[a]palettegen[c];[b][c]paletteuse=debug_kdtree=a", "nnedi", "fieldhint=hint=a",
        "hflip,lut3d@x=a.cube", " lut3d = a.cube", "lut3d='a.cube'", "selectivecolor=psfile=a",
    ]

    @Test("Filters that reach files, the network or devices are refused before they are created", arguments: reaching)
    func reach(chain: String) throws {
        let name = chain.split(separator: "=")[0]
        do {
            _ = try FilterChain(steps: [chain], allowsFiles: false)
            Issue.record("\(name) was allowed")
        } catch {
            #expect(error.code == .filter)
            let isUnknown = error.reason.hasPrefix("unknown filter")
            #expect(error.remedy == (isUnknown ? .listFilters : .permitFilters), "\(error.reason)")
        }
    }

    @Test("A permitted filter opens its file")
    func allowed() throws {
        let folder = try TemporaryFolder()
        try folder.write("LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n", to: "same.cube")
        let step = FilterChain.step("lut3d", options: [("file", folder.path + "/same.cube")])
        #expect(try FilterChain(steps: [step], allowsFiles: true).steps == [step])
    }

    private static let broken = [
        ("eqq=1", "unknown filter 'eqq'; did you mean 'eq'?"),
        ("eq=brightnes=1", "filter 'eq' has no option 'brightnes'; did you mean 'brightness'?"),
        ("eq=1:2:3:4:5:6:7:8:9:10", "filter 'eq' takes at most 9 options"),
        ("hflip=1", "filter 'hflip' takes at most 0 options"),
        ("eq=gamma=a b", "the filter chain cannot be built: "),
        ("hflip,,vflip", "'hflip,,vflip' is not a filter chain"),
        ("split", "the filter chain must have one video input and one video output"),
        ("color=red", "filter 'color' is a source of frames"),
        ("anull", "filter 'anull' is not only for video"),
        ("sws_flags=lanczos;null", "unknown filter 'sws_flags'"),
        ("yadif=mode=9", "the filter chain cannot be built: Value 9.000000 for parameter 'mode' out of range [0 - 3]"),
        ("", "'' is not a filter chain"),
    ]

    @Test("An error names what is wrong with a chain", arguments: broken)
    func wrong(chain: String, reason: String) {
        do {
            _ = try FilterChain(steps: [chain], allowsFiles: false)
            Issue.record("'\(chain)' was accepted")
        } catch {
            #expect(error.reason.hasPrefix(reason), "\(error.reason)")
        }
    }

    @Test("libavfilter reads written options unchanged")
    func quoting() throws {
        let text = #"a:b,c;d[e]'f' \ g=h %{pts}"#
        let step = FilterChain.step("drawtext", options: [("text", text), ("x", "10")])
        #expect(try FilterChain(steps: [step], allowsFiles: false).prefixes().count == 1)
        // The error of the library quotes the text as the library has read it.
        let plain = FilterChain.step("drawtext", options: [("text", "x"), ("expansion", "a:b")])
        do {
            _ = try FilterChain(steps: [plain], allowsFiles: false)
            Issue.record("no such expansion")
        } catch {
            #expect(error.reason.contains("'a:b'"), "\(error.reason)")
        }
    }
}
