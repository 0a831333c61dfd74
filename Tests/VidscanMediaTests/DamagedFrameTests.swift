import TestSupport
import Testing
import VidscanBase
import VidscanMedia

@Suite("Frames from damaged data are marked, and no others")
struct DamagedFrameTests {
    private struct Row {
        let microseconds: Int64
        let md5: String
        let isDamaged: Bool
    }

    private static func rows(of path: String, threads: Int? = nil) throws -> [Row] {
        let options = FrameReader.Options(rate: .everyFrame, decoderThreads: threads)
        let reader = try FrameReader(path: path, options: options)
        var rows: [Row] = []
        while let frame = try reader.next() {
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
            #expect(again.map(\.isDamaged) == damaged.map(\.isDamaged), "\(threads) threads")
        }
    }

    @Test("Where frames are lost, the frames that are predicted from them are marked, up to the next keyframe")
    func lost() throws {
        let whole = try Dictionary(
            Self.rows(of: try Variants.path("opengop.mkv")).map { ($0.microseconds, $0.md5) },
            uniquingKeysWith: { first, _ in first })
        let damaged = try Self.rows(of: try Variants.path("corrupt.mkv"))
        let differing = damaged.filter { whole[$0.microseconds] != $0.md5 }
        #expect(!differing.isEmpty && differing.allSatisfy(\.isDamaged))
        #expect(damaged.last?.isDamaged == false)
        #expect(damaged.prefix(30).allSatisfy { !$0.isDamaged })
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
