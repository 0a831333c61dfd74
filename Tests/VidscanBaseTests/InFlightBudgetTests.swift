import Synchronization
import Testing
import TestSupport
import VidscanBase

@Suite("The in-flight budget limits the work in progress")
struct InFlightBudgetTests {
    /// The work in flight, counted independently.
    private final class Counter: Sendable {
        private let state = Mutex((count: 0, bytes: 0))

        func add(count: Int, bytes: Int) -> (count: Int, bytes: Int) {
            state.withLock {
                $0.count += count
                $0.bytes += bytes
                return $0
            }
        }
    }

    /// Takes budget for each size in one task, and returns it in another.
    private func run(sizes: [Int], count: Int, bytes: Int, _ check: (Int, Int) -> Void) async throws -> InFlightBudget {
        let budget = InFlightBudget(count: count, bytes: bytes)
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for size in sizes {
                try await budget.take(bytes: size)
                let now = counter.add(count: 1, bytes: size)
                check(now.count, now.bytes)
                group.addTask {
                    await Task.yield()
                    _ = counter.add(count: -1, bytes: -size)
                    budget.giveBack(bytes: size)
                }
            }
            try await group.waitForAll()
        }
        return budget
    }

    @Test("The number of items in flight never exceeds the limit")
    func countIsBounded() async throws {
        _ = try await run(sizes: Array(repeating: 1, count: 3000), count: 4, bytes: 1000) { count, _ in
            #expect(count <= 4)
        }
    }

    @Test("The bytes in flight never exceed the limit, and the peak is recorded")
    func bytesAreBounded() async throws {
        var random = SeededGenerator(seed: 5)
        let sizes = (0..<3000).map { _ in Int.random(in: 1...100, using: &random) }
        let budget = try await run(sizes: sizes, count: 1000, bytes: 250) { _, bytes in #expect(bytes <= 250) }
        #expect((100...250).contains(budget.peakBytes))
    }

    @Test("An item larger than the whole budget is processed alone")
    func oversizedItem() async throws {
        let sizes = [10, 5000, 10, 10, 6000, 7000, 10]
        let budget = try await run(sizes: sizes, count: 10, bytes: 100) { count, bytes in
            #expect(bytes <= 100 || count == 1)
        }
        #expect(budget.peakBytes == 7000)
    }

    @Test("A cancelled task stops waiting and uses no budget")
    func cancellation() async throws {
        for round in 0..<500 {
            let budget = InFlightBudget(count: 1, bytes: 10)
            try await budget.take(bytes: 10)
            let waiter = Task { try await budget.take(bytes: 1) }
            if round.isMultiple(of: 2) { await Task.yield() }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            budget.giveBack(bytes: 10)
            try await budget.take(bytes: 10)
            #expect(budget.peakBytes == 10)
        }
    }
}
