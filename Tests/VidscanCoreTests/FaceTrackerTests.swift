import Testing
import VidscanCore

@Suite("The tracker")
struct FaceTrackerTests {
    private func box(_ x: Double, _ y: Double = 0, side: Double = 100) -> Rectangle {
        Rectangle(x: x, y: y, width: side, height: side)
    }

    @Test("Ids count from 1 in order of first appearance, surest face first")
    func firstAppearance() {
        var tracker = FaceTracker()
        #expect(tracker.update(boxes: [], seconds: 0) == [])
        #expect(tracker.update(boxes: [box(500), box(0)], seconds: 0.2) == [1, 2])
        #expect(tracker.update(boxes: [box(0), box(1000), box(500)], seconds: 0.4) == [2, 3, 1])
        #expect(tracker.identityCount == 3)
    }

    @Test("A face that moves further than its own width between two samples keeps its id, once its way is known")
    func prediction() {
        var tracker = FaceTracker()
        // It sets off slowly enough to overlap, then each step is longer than the box.
        let positions: [Double] = [0, 60, 170, 290, 400, 520]
        for (step, x) in positions.enumerated() {
            #expect(tracker.update(boxes: [box(x)], seconds: Double(step) * 0.2) == [1])
        }
    }

    @Test("Two faces that pass each other keep their ids")
    func crossing() {
        var tracker = FaceTracker()
        for step in 0...20 {
            let offset = Double(step) * 40
            let boxes = [box(offset, 0), box(800 - offset, 60)]
            // The order in which the detector names them says nothing.
            let ids = tracker.update(
                boxes: step.isMultiple(of: 2) ? boxes : boxes.reversed(), seconds: Double(step) * 0.2)
            #expect(ids == (step.isMultiple(of: 2) ? [1, 2] : [2, 1]))
        }
    }

    @Test("A face out of sight keeps its id for the gap, and gets a new one after it")
    func gap() {
        var tracker = FaceTracker(options: FaceTracker.Options(maximumGapSeconds: 1))
        #expect(tracker.update(boxes: [box(0)], seconds: 0) == [1])
        #expect(tracker.update(boxes: [], seconds: 0.5) == [])
        #expect(tracker.update(boxes: [box(0)], seconds: 1) == [1])
        #expect(tracker.update(boxes: [box(0)], seconds: 2.01) == [2])
        #expect(tracker.update(boxes: [box(0)], seconds: 3.02) == [3])
        #expect(tracker.identityCount == 3)
    }

    @Test("No two faces of a picture share an id")
    func distinct() {
        var random = SeededGenerator(seed: 2)
        var tracker = FaceTracker()
        for step in 0..<300 {
            let boxes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                box(.random(in: 0...300, using: &random), .random(in: 0...300, using: &random))
            }
            let ids = tracker.update(boxes: boxes, seconds: Double(step) * 0.2)
            #expect(ids.count == boxes.count)
            #expect(Set(ids).count == ids.count)
            #expect(ids.allSatisfy { $0 >= 1 && $0 <= tracker.identityCount })
        }
    }
}
