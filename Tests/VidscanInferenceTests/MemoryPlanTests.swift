import TestSupport
import Testing
import VidscanInference

@Suite("Memory that the tensors of a network share")
struct MemoryPlanTests {
    private static func plan(_ needs: [(Int, ClosedRange<Int>)]) -> MemoryPlan {
        MemoryPlan(needs.map { (count: $0.0, steps: $0.1) })
    }

    @Test("A chain takes as much as its two largest neighbours")
    func chain() {
        let plan = Self.plan([(64, 0...1), (32, 1...2), (48, 2...3), (16, 3...4)])
        #expect(plan.count == 96)
        #expect(plan.offsets == [0, 64, 0, 48])
    }

    @Test("What is read again later keeps its place")
    func kept() {
        let plan = Self.plan([(32, 0...3), (32, 1...2), (32, 2...3), (32, 3...4)])
        #expect(plan.offsets == [0, 32, 64, 32])
        #expect(plan.count == 96)
    }

    @Test("Each place begins with a cache line")
    func alignment() {
        let plan = Self.plan([(17, 0...1), (1, 1...2)])
        #expect(plan.offsets == [0, 32])
        #expect(plan.count == 48)
        #expect(Self.plan([]).count == 0)
    }

    @Test("Tensors that are needed at the same time never overlap")
    func overlaps() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let needs = (0..<Int.random(in: 1...25, using: &generator)).map { _ in
                let first = Int.random(in: 0...20, using: &generator)
                return (
                    Int.random(in: 1...300, using: &generator), first...Int.random(in: first...22, using: &generator)
                )
            }
            let plan = Self.plan(needs)
            for (index, one) in needs.enumerated() {
                #expect(plan.offsets[index] + one.0 <= plan.count)
                for (other, two) in needs.enumerated().dropFirst(index + 1) where one.1.overlaps(two.1) {
                    let (from, to) = (plan.offsets[index], plan.offsets[other])
                    #expect(from + one.0 <= to || to + two.0 <= from)
                }
            }
        }
    }
}
