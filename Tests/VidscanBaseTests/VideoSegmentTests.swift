import Foundation
import Testing
import TestSupport
import VidscanBase

@Suite("Segments divide a window evenly")
struct VideoSegmentTests {
    @Test("Segments are contiguous, open-ended where the window is, and equally long but for whole chunks")
    func chain() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...40, using: &generator)
            let duration =
                Bool.random(using: &generator) ? Int64.random(in: 0...400_000_000_000, using: &generator) : nil
            let start = Bool.random(using: &generator) ? Int64.random(in: 0...10_000_000, using: &generator) : nil
            let end =
                duration == nil || Bool.random(using: &generator)
                ? (start ?? 0) + Int64.random(in: 1...1_000_000_000, using: &generator) : nil
            let windows = try (0..<count).map { index in
                try #require(
                    VideoSegment(index: index, count: count)?.window(start: start, end: end, duration: duration))
            }
            #expect(windows.first?.start == start)
            #expect(windows.last?.end == end)
            for (one, next) in zip(windows, windows.dropFirst()) {
                #expect(one.end != nil && one.end == next.start)
            }
            let borders = [start ?? 0] + windows.dropLast().compactMap(\.end)
            let whole = max(0, min(end ?? .max, duration ?? .max) - (start ?? 0))
            for (index, border) in borders.enumerated() {
                let exact = Double(start ?? 0) + Double(whole) * Double(index) / Double(count)
                #expect(abs(Double(border) - exact) <= Double(AnchorSchedule.chunkMicroseconds) / 2 + 1)
                let isInside = border > start ?? 0 && border < (start ?? 0) + whole
                #expect(!isInside || border.isMultiple(of: AnchorSchedule.chunkMicroseconds))
            }
        }
    }

    @Test("A window without an end cannot be divided")
    func endless() throws {
        let segment = try #require(VideoSegment(index: 0, count: 2))
        #expect(segment.window(start: 5, end: nil, duration: nil) == nil)
        #expect(segment.window(start: nil, end: 8_000_000, duration: nil)?.end == 3_000_000)
    }

    @Test("Segments are numbered from 0", arguments: [(-1, 2), (2, 2), (0, 0), (0, -1)])
    func numbers(index: Int, count: Int) {
        #expect(VideoSegment(index: index, count: count) == nil)
    }

    @Test("Impossible segments and fractions are not decoded from JSON")
    func decoding() throws {
        let decoder = JSONDecoder()
        let whole = try decoder.decode(VideoSegment.self, from: Data(#"{"index":1,"count":2}"#.utf8))
        #expect(whole == VideoSegment(index: 1, count: 2))
        #expect(try decoder.decode(VideoSegment.self, from: JSONEncoder().encode(whole)) == whole)
        for text in [#"{"index":2,"count":2}"#, #"{"index":-1,"count":2}"#, #"{"index":0,"count":0}"#] {
            #expect(throws: DecodingError.self) { try decoder.decode(VideoSegment.self, from: Data(text.utf8)) }
        }
        for text in [#"{"numerator":1,"denominator":0}"#, #"{"numerator":1,"denominator":-3}"#] {
            #expect(throws: DecodingError.self) { try decoder.decode(Rational.self, from: Data(text.utf8)) }
        }
    }
}
