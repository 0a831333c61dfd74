import AnalysisSupport
import VidscanResults
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase

@Suite("Merged segments equal a run over the whole video")
struct SegmentMergerTests {
    private static let files = [
        "faces.csv", "frames.csv", "tracks.csv", "events.csv", "episodes.csv", "quality.csv", "faces.json",
        "faces.jsonl", "landmarks.npy", "blendshapes.csv", "embeddings.npy", "openface.csv", "pyfeat.csv",
    ]

    private static func set(_ settings: inout Settings) {
        settings.write.formats = [.csv, .json, .jsonl, .openface, .pyfeat]
        settings.write.landmarks = true
        settings.write.blendshapes = true
        settings.track.keepsEmbeddings = true
    }

    /// Segments that are analysed separately, the last one first.
    private struct Parts {
        let runs: [AnalysisRun]

        init(of path: String, count: Int, configure: (inout Settings) throws -> Void) async throws {
            var runs: [AnalysisRun] = []
            for index in (0..<count).reversed() {
                runs.append(
                    try await AnalysisRun(path) {
                        SegmentMergerTests.set(&$0)
                        try configure(&$0)
                        $0.detect.workers = 1 + index % 2
                        $0.segment = VideoSegment(index: index, count: count)
                    })
            }
            self.runs = runs.reversed()
        }

        /// The folders in order. They are removed with the runs.
        var paths: [String] { runs.map { $0.folder.path + "/" + AnalysisRun.resultName } }
    }

    private func joined(_ paths: [String], in folder: TemporaryFolder) async throws -> RunOutcome {
        let sets = try SegmentMerger.sets(of: paths)
        try #require(sets.count == 1)
        return try await SegmentMerger(observer: Recorder()).run(
            sets[0], resultPath: folder.path + "/joined.vidscan", replaces: false)
    }

    @Test(
        "Merged segments give the tables of one run, byte for byte",
        arguments: [
            ("faces.mp4", 7, "2"), ("blinks.mp4", 2, "12"), ("vfr.mp4", 5, "12"), ("opengop.ts", 4, "12"),
            ("hevc_opengop.mkv", 3, "every-frame"), ("editlist.mp4", 3, "12"), ("starttime.ts", 3, "5"),
            ("corrupt.ts", 4, "12"),
        ])
    func whole(name: String, count: Int, rate: String) async throws {
        let path = name == "faces.mp4" ? Checkout.clip : try Variants.path(name)
        let configure: (inout Settings) throws -> Void = {
            $0.sample.rate = try .of(rate == "every-frame" ? nil : rate)
        }
        let whole = try await AnalysisRun(path) {
            Self.set(&$0)
            try configure(&$0)
        }
        try #require(whole.summary.counts.faces > 0)
        let parts = try await Parts(of: path, count: count, configure: configure)
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: UInt64(count))
        let summary = try await joined(parts.paths.shuffled(using: &generator), in: folder)
        #expect(summary.counts.sampledFrames == whole.summary.counts.sampledFrames)
        #expect(parts.runs.map(\.summary.counts.sampledFrames).reduce(0, +) == whole.summary.counts.sampledFrames)
        for file in Self.files {
            #expect(try folder.bytes("joined.vidscan/" + file) == whole.bytes(file), "\(file)")
        }
    }

    @Test("Segments divide a window, even if there are more segments than samples")
    func window() async throws {
        let configure: (inout Settings) throws -> Void = {
            $0.sample.start = 9_300_000
            $0.sample.end = 11_000_000
        }
        let whole = try await AnalysisRun(Checkout.clip) {
            Self.set(&$0)
            try configure(&$0)
        }
        try #require(whole.summary.counts.faces > 0)
        let parts = try await Parts(of: Checkout.clip, count: 12, configure: configure)
        let folder = try TemporaryFolder()
        _ = try await joined(parts.paths, in: folder)
        #expect(parts.runs.contains { $0.summary.counts.sampledFrames == 0 })
        for file in Self.files {
            #expect(try folder.bytes("joined.vidscan/" + file) == whole.bytes(file), "\(file)")
        }
    }

    @Test("A change of the picture's size is a warning, also in merged segments")
    func sizes() async throws {
        let folder = try TemporaryFolder()
        var both = Data()
        for (size, offset) in [("320:180", "0"), ("160:90", "1")] {
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "2", "-t", "1", "-i", Checkout.clip, "-an", "-vf",
                "scale=\(size)", "-c:v", "mpeg2video", "-output_ts_offset", offset, folder.path + "/part.ts",
            ])
            try #require(made.status == 0, "\(made.errors)")
            both += try folder.bytes("part.ts")
        }
        let path = folder.path + "/both.ts"
        try both.write(to: URL(fileURLWithPath: path))
        let warning =
            "the picture changes from 320x180 to 160x90; positions are in pixels of the picture at that time"
        let whole = try await AnalysisRun(path)
        #expect(whole.summary.warnings.contains(warning), "\(whole.summary.warnings)")
        for count in [2, 3] {
            let parts = try await Parts(of: path, count: count) { _ in }
            defer { withExtendedLifetime(parts) {} }
            let merged = try await joined(parts.paths, in: TemporaryFolder())
            #expect(merged.warnings.contains(warning), "\(count) segments: \(merged.warnings)")
        }
    }

    @Test("Segments that do not belong together or are incomplete are refused by name")
    func refused() async throws {
        let shared: (inout Settings) throws -> Void = {
            $0.sample.rate = try .of("2")
            $0.sample.end = 6_000_000
        }
        let halves = try await Parts(of: Checkout.clip, count: 2, configure: shared)
        let others = try await Parts(of: Checkout.clip, count: 2) {
            $0.sample.rate = try .of("1")
            $0.sample.end = 6_000_000
        }
        let thirds = try await Parts(of: Checkout.clip, count: 3, configure: shared)
        let ofAnother = try await Parts(of: Variants.path("vfr.mp4"), count: 2, configure: shared)
        defer { withExtendedLifetime([halves, others, thirds, ofAnother]) {} }
        let (half, otherHalf) = (halves.paths[0], halves.paths[1])
        let short = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: otherHalf, toPath: short.path + "/part")
        let intermediate = short.path + "/part/faces.record"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: intermediate))
        try bytes.dropLast(1000).write(to: URL(fileURLWithPath: intermediate))
        let folder = try TemporaryFolder()
        for (paths, message) in [
            ([half], "\(Checkout.clip): segment 1/2 is missing"),
            ([thirds.paths[1]], "\(Checkout.clip): segments 0/3, 2/3 are missing"),
            (
                [half, others.paths[1]],
                "\(others.paths[1]): does not belong to \(half): it was made with other settings"
            ),
            (
                [half, thirds.paths[1]],
                "\(thirds.paths[1]): does not belong to \(half): it is one of 3 segments, not of 2"
            ),
            (
                [half, ofAnother.paths[1]],
                "\(ofAnother.paths[1]): does not belong to \(half): it is from another video"
            ),
            (
                [otherHalf, half, otherHalf],
                "\(otherHalf): is segment 1/2, as \(otherHalf) is"
            ),
            (
                [half, short.path + "/part"],
                "\(short.path)/part: faces.record has changed since it was written: its SHA-256 differs from part.json;"
                    + " analyse the segment again"
            ),
        ] {
            do {
                _ = try await joined(paths, in: folder)
                Issue.record("joined though \(message)")
            } catch let error as VidscanError {
                #expect("\(error)" == message)
            }
            #expect(folder.entries.isEmpty, "\(message)")
        }
    }

    @Test("A video of unknown duration cannot be divided")
    func noDuration() async throws {
        let path = try Variants.path("raw.h264")
        await #expect {
            _ = try await Parts(of: path, count: 2) { _ in }
        } throws: { error in
            "\(error)" == "\(path): has no known duration, so it cannot be divided into segments"
        }
    }
}
