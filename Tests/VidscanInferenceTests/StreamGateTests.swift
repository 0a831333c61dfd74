import Synchronization
import Testing
import VidscanInference

@Suite("Requests wait until a stream of their model is free")
struct StreamGateTests {
    private struct Failure: Error {}

    /// Counts requests from the inside.
    private final class Counter: Sendable {
        private let state = Mutex((running: 0, most: 0, finished: 0))

        var most: Int { state.withLock { $0.most } }
        var finished: Int { state.withLock { $0.finished } }

        func enter() {
            state.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
        }

        func leave() {
            state.withLock {
                $0.running -= 1
                $0.finished += 1
            }
        }
    }

    @Test("No more requests run at the same time than there are streams", arguments: [1, 2, 4])
    func limit(streams: Int) async {
        let gate = StreamGate(streams: streams)
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        gate.run {
                            counter.enter()
                            counter.leave()
                        }
                    }
                }
            }
        }
        #expect(counter.finished == 1600)
        #expect(counter.most <= streams)
    }

    @Test("A request that fails leaves its stream to the next one")
    func failure() {
        let gate = StreamGate(streams: 1)
        for _ in 0..<3 {
            #expect(throws: Failure.self) { try gate.run { throw Failure() } }
        }
        #expect(gate.run { 5 } == 5)
        #expect(!gate.isCrowded)
    }

    @Test("A model is crowded if its requests wait for long, both in itself and in relation to the time of the process")
    func crowd() {
        var use = StreamUse()
        let isCrowded = { (milliseconds: Int) in use.isCrowded(within: .milliseconds(milliseconds)) }
        #expect(!isCrowded(0))
        // 90 requests of 10 ms, of which 30 wait for half of another one: 150 ms.
        for number in 0..<90 { use.add(.milliseconds(10), waited: number % 3 == 0) }
        #expect(!isCrowded(900))
        // Of 120 requests, 60: 300 ms.
        for _ in 0..<30 { use.add(.milliseconds(10), waited: true) }
        #expect(!isCrowded(1801))
        #expect(isCrowded(1800))
        // It stays so, so that no worker keeps the model.
        #expect(isCrowded(100_000))
    }

    @Test("Requests that never wait make no crowd")
    func noWaits() {
        var use = StreamUse()
        for _ in 0..<1000 { use.add(.milliseconds(10), waited: false) }
        let isCrowded = use.isCrowded(within: .seconds(10))
        #expect(!isCrowded)
    }
}
