import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanMedia

@Suite("Frames from damaged data are marked, and no others")
struct DamagedFrameTests {
    private struct Row: Equatable {
        let microseconds: Int64
        let md5: String
        let isDamaged: Bool
    }

    private static func rows(of path: String, threads: Int? = nil, keepsFrames: Bool = false) throws -> [Row] {
        let options = FrameReader.Options(rate: .everyFrame, decoderThreads: threads)
        let reader = try FrameReader(path: path, options: options)
        var rows: [Row] = []
        var kept: [SampledFrame] = []
        defer { withExtendedLifetime(kept) {} }
        while let frame = try reader.next() {
            if keepsFrames { kept.append(frame) }
            rows.append(Row(microseconds: frame.microseconds, md5: try frame.md5(), isDamaged: frame.isDamaged))
        }
        return rows
    }

    @Test("Frames that differ from those of the undamaged file are marked, with any number of threads")
    func marked() throws {
        let whole = try Self.rows(of: try Variants.path("opengop.ts"))
        let damaged = try Self.rows(of: try Variants.path("corrupt.ts"))
        #expect(whole.count == damaged.count)
        let differing = zip(whole, damaged).filter { $0.md5 != $1.md5 }.map(\.0.microseconds)
        #expect(differing.count > 10)
        #expect(damaged.filter(\.isDamaged).map(\.microseconds) == differing)
        for threads in [1, 2, 4, 8] {
            let again = try Self.rows(of: try Variants.path("corrupt.ts"), threads: threads)
            #expect(again == damaged, "\(threads) threads")
        }
    }

    @Test("Where frames are lost, the frames that are predicted from them are marked, up to the next keyframe")
    func lost() throws {
        let whole = try Dictionary(
            Self.rows(of: try Variants.path("opengop.mkv")).map { ($0.microseconds, $0.md5) },
            uniquingKeysWith: { first, _ in first })
        let damaged = try Self.rows(of: try Variants.path("corrupt.mkv"))
        for threads in [1, 2, 4, 8] {
            #expect(
                try Self.rows(of: try Variants.path("corrupt.mkv"), threads: threads) == damaged, "\(threads) threads")
        }
        let differing = damaged.filter { whole[$0.microseconds] != $0.md5 }
        #expect(!differing.isEmpty && differing.allSatisfy(\.isDamaged))
        #expect(damaged.last?.isDamaged == false)
        #expect(damaged.prefix(30).allSatisfy { !$0.isDamaged })
    }

    @Test("Threads that stop at damage and resume after much sound data change no frame")
    func resumed() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: URL(filePath: Variants.path("opengop.ts")))
        let damaged = try Data(contentsOf: URL(filePath: Variants.path("corrupt.ts")))
        let path = folder.path + "/joined.ts"
        try (damaged + (1...6).flatMap { _ in whole } + damaged).write(to: URL(filePath: path))
        let one = try Self.rows(of: path, threads: 1)
        #expect(one.count > 300 && one.prefix(50).contains { $0.isDamaged })
        #expect(one.suffix(50).contains { $0.isDamaged })
        for threads in [2, 3, 8] { #expect(try Self.rows(of: path, threads: threads) == one, "\(threads) threads") }
    }

    /// The decoders use one thread, frame threads and slice threads.
    @Test(
        "Damaged frames depend neither on the number of threads nor on what their memory held before",
        arguments: [
            ["mjpeg"], ["prores_ks"], ["ffv1"], ["ffv1", "-level", "3"], ["mpeg2video"], ["libvpx"],
            ["libx265", "-x265-params", "log-level=none"],
        ])
    func memory(encoder: [String]) throws {
        let folder = try TemporaryFolder()
        let (path, whole) = (folder.path + "/damaged.mkv", folder.path + "/whole.mkv")
        let noise = ["-bsf:v", "noise=amount='if(mod(n,12),400,0)'", path]
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:d=1", "-c:v"] + encoder
                + noise + ["-c:v"] + encoder + [whole])
        try #require(made.status == 0, "\(made.errors)")
        let one = try Self.rows(of: path, threads: 1)
        #expect(try Self.rows(of: whole, threads: 1) != one)
        for threads in [1, 2, 3, 8] {
            for keepsFrames in [false, true] {
                let again = try Self.rows(of: path, threads: threads, keepsFrames: keepsFrames)
                #expect(again == one, "\(threads) threads, keeps frames: \(keepsFrames)")
            }
        }
    }

    @Test("No frame of an undamaged file is marked", arguments: VariantList.decodable + VariantList.discontinuous)
    func undamaged(name: String) throws {
        let reader = try FrameReader(
            path: try Variants.path(name), options: FrameReader.Options(rate: .everyFrame))
        var count = 0
        while let frame = try reader.next() {
            #expect(!frame.isDamaged, "frame \(frame.index)")
            count += 1
        }
        #expect(count > 0)
    }
}
