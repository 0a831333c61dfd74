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

    @Test("Items that take their credit before their size is known keep both limits, and an oversized one passes alone")
    func lateSizes() async throws {
        var random = SeededGenerator(seed: 9)
        let sizes = (0..<2000).map { _ in
            Int.random(in: 0..<20, using: &random) == 0 ? 150 : Int.random(in: 1...60, using: &random)
        }
        let budget = InFlightBudget(count: 4, bytes: 100)
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for size in sizes {
                try await budget.take(bytes: 0)
                let begun = counter.add(count: 1, bytes: 0)
                #expect(begun.count <= 4)
                try await budget.add(bytes: size)
                let now = counter.add(count: 0, bytes: size)
                #expect(now.bytes <= 100 || now.bytes == size)
                group.addTask {
                    await Task.yield()
                    _ = counter.add(count: -1, bytes: -size)
                    budget.giveBack(bytes: size)
                }
            }
            try await group.waitForAll()
        }
        #expect(budget.peakBytes == 150)
    }

    @Test("A task that is cancelled while its bytes do not fit keeps its credit without them")
    func cancelledAddition() async throws {
        let budget = InFlightBudget(count: 3, bytes: 10)
        try await budget.take(bytes: 8)
        try await budget.take(bytes: 0)
        let waiter = Task { try await budget.add(bytes: 5) }
        await Task.yield()
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(budget.peakBytes == 8)
        budget.giveBack(bytes: 8)
        try await budget.add(bytes: 12)
        #expect(budget.peakBytes == 12)
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
