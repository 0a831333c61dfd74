import Foundation
import Testing
import TestSupport
import Vidscan

@Suite("An analysis delivers what it finds while it runs")
struct UpdateTests {
    @Test("Samples and frames come in time order, between the opening and the end")
    func order() async throws {
        let updates = try await VideoAnalyzer(settings: Library.settings()).updates(for: Checkout.clip).collect()
        guard case .opened(let info) = try #require(updates.first) else {
            Issue.record("the first update is \(updates[0])")
            return
        }
        #expect(info.codec == "h264" && info.codedSize.width == 640)
        let summary = try #require(updates.last?.summary)
        #expect(summary.tracks.map(\.id) == [1, 2])
        let samples = updates.compactMap(\.sample).map(\.microseconds)
        let frames = updates.compactMap(\.frame).map(\.microseconds)
        #expect(samples == samples.sorted() && Set(samples).count == samples.count && samples.count == 100)
        #expect(frames == samples)
        let lastSample = try #require(updates.lastIndex { $0.sample != nil })
        let firstFrame = try #require(updates.firstIndex { $0.frame != nil })
        #expect(lastSample < firstFrame)
    }

    @Test("Every face that appears is lost once, and is in samples only in between")
    func balance() async throws {
        let settings = Library.settings {
            $0.sample.rate = .perSecond(12)
            $0.sample.end = 12_400_000
        }
        let updates = try await VideoAnalyzer(settings: settings).updates(for: Checkout.clip).collect()
        var inSight: [Int: Int64] = [:]
        var appeared: [Int] = []
        for (position, update) in updates.enumerated() {
            switch update {
            case .faceAppeared(let id, let microseconds):
                #expect(inSight.updateValue(microseconds, forKey: id) == nil)
                appeared.append(id)
                let next = updates[position...].lazy.compactMap(\.sample).first
                #expect(next?.microseconds == microseconds && next?.faces.contains { $0.id == id } == true)
            case .faceLost(let id, let microseconds):
                #expect(inSight.removeValue(forKey: id) == microseconds)
            case .sample(let frame):
                for face in frame.faces {
                    #expect(inSight[face.id] != nil)
                    inSight[face.id] = frame.microseconds
                }
            case .frame: #expect(inSight.isEmpty, "faces are lost before the second pass")
            case .opened, .finished: break
            }
        }
        #expect(inSight.isEmpty)
        #expect(Set(appeared).count == appeared.count && appeared.count >= 2)
        #expect(appeared == Array(1...appeared.count))
    }

    @Test("A slow consumer gets the same updates as a fast one")
    func slowConsumer() async throws {
        let analyzer = try VideoAnalyzer(settings: Library.settings())
        var samples: [Int64] = []
        var frames: [Int64] = []
        for try await update in analyzer.updates(for: Checkout.clip) {
            for _ in 0..<200 { await Task.yield() }
            if let sample = update.sample { samples.append(sample.microseconds) }
            if let frame = update.frame { frames.append(frame.microseconds) }
        }
        let expected = try await Library.analysis.value.frames.map(\.microseconds)
        #expect(samples == expected)
        #expect(frames == expected)
    }

    @Test("An analysis waits for its consumer instead of storing what it finds")
    func waiting() async throws {
        let folder = try TemporaryFolder()
        let settings = Library.settings { $0.sample.end = 8_000_000 }
        var iterator = try Library.analyzer(in: folder, settings: settings).updates(for: Checkout.clip)
            .makeAsyncIterator()
        for _ in 0..<5 { _ = try await iterator.next() }
        // Meanwhile, another one runs from the beginning to the end. If the first one did not wait, it would be as far.
        _ = try await VideoAnalyzer(settings: settings).analyze(Checkout.clip)
        #expect(folder.entries.contains { $0.hasSuffix("/.frames") })
        #expect(!folder.entries.contains { $0.hasSuffix("/.tracks") }, "the second pass begins with this file")
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest > 70)
    }

    @Test("Two analyses at once do not disturb each other")
    func twoAtOnce() async throws {
        let analyzer = try VideoAnalyzer(settings: Library.settings { $0.sample.end = 4_000_000 })
        let expected = try await boxes(analyzer.analyze(Checkout.clip))
        try #require(expected.count > 15)
        async let first = analyzer.analyze(Checkout.clip)
        async let second = analyzer.analyze(Checkout.clip)
        #expect(try await boxes(first) == expected)
        #expect(try await boxes(second) == expected)
    }

    private func boxes(_ analysis: VideoAnalysis) -> [Rectangle] { analysis.frames.flatMap { $0.faces.map(\.box) } }

    @Test("Landmarks and blendshapes come with the faces if the settings request them")
    func extras() async throws {
        let settings = Library.settings {
            $0.write.landmarks = true
            $0.write.blendshapes = true
            $0.measure.metrics = [.smile]
        }
        let analyzer = try VideoAnalyzer(settings: settings)
        let updates = try await analyzer.updates(for: try Variants.path("still.png")).collect()
        let faces = updates.compactMap { $0.sample ?? $0.frame }.flatMap(\.faces)
        #expect(faces.count == 2)
        for face in faces {
            #expect(face.mesh?.coordinates.count == 3 * 478)
            #expect(try face.blendshapes?.count == analyzer.blendshapeNames().count)
            #expect(face[.smile] != nil && face[.joy] == nil)
        }
    }
}
