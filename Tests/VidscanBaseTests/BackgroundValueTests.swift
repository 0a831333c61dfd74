import Synchronization
import Testing
import VidscanBase

@Suite("A background value is computed once")
struct BackgroundValueTests {
    private struct Failure: Error, Equatable {}

    /// Counts how often a value is computed.
    private final class Counter: Sendable {
        private let state = Mutex(0)

        func next() -> Int {
            state.withLock {
                $0 += 1
                return $0
            }
        }
    }

    @Test("All readers get the same value, whether they come before or after it is computed")
    func once() async {
        for _ in 0..<50 {
            let counter = Counter()
            let value = BackgroundValue<Int, Never>(thread: "value") { counter.next() }
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { value.get() } }
                for await found in group { #expect(found == 1) }
            }
            #expect(value.get() == 1)
            #expect(counter.next() == 2)
        }
    }

    @Test("Every reader gets the error of a computation that fails")
    func failure() {
        let value = BackgroundValue<Int, Failure>(thread: "value") { () throws(Failure) in throw Failure() }
        for _ in 0..<3 { #expect(throws: Failure()) { try value.get() } }
    }
}
