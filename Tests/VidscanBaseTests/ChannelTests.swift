import Synchronization
import Testing
import VidscanBase

@Suite("A channel passes elements between tasks")
struct ChannelTests {
    @Test("Elements are received in the order in which they were sent")
    func order() async throws {
        let channel = Channel<Int>()
        async let sender: Void = {
            for number in 0..<1000 {
                channel.send(number)
                if number.isMultiple(of: 16) { await Task.yield() }
            }
            channel.finish()
        }()
        var received: [Int] = []
        while let number = try await channel.receive() { received.append(number) }
        await sender
        #expect(received == Array(0..<1000))
    }

    @Test("A budget limits what is in two channels and between them", arguments: [1, 3])
    func budget(count: Int) async throws {
        let budget = InFlightBudget(count: count, bytes: 1000)
        let (waiting, done) = (Channel<Int>(), Channel<Int>())
        let sent = Mutex(0)
        async let sending: Void = {
            for number in 0..<2000 {
                try await budget.take(bytes: 1)
                sent.withLock { $0 += 1 }
                waiting.send(number)
            }
            waiting.finish()
        }()
        async let working: Void = {
            while let number = try await waiting.receive() { done.send(number) }
            done.finish()
        }()
        var received = 0
        while try await done.receive() != nil {
            #expect(sent.withLock { $0 } <= received + count)
            received += 1
            if received.isMultiple(of: 3) { await Task.yield() }
            budget.giveBack(bytes: 1)
        }
        try await sending
        try await working
        #expect(received == 2000)
    }

    @Test("With many senders and receivers, each element is received exactly once")
    func manyTasks() async throws {
        let channel = Channel<Int>()
        let received = try await withThrowingTaskGroup(of: [Int].self) { group in
            for receiver in 0..<8 {
                group.addTask {
                    var mine: [Int] = []
                    while let number = try await channel.receive() {
                        mine.append(number)
                        if (number + receiver).isMultiple(of: 7) { await Task.yield() }
                    }
                    return mine
                }
            }
            await withTaskGroup(of: Void.self) { senders in
                for sender in 0..<8 {
                    senders.addTask {
                        for number in 0..<500 {
                            channel.send(sender * 500 + number)
                            if number.isMultiple(of: 5) { await Task.yield() }
                        }
                    }
                }
            }
            channel.finish()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.sorted() == Array(0..<4000))
    }

    @Test("Elements that were sent before the end can still be received, and later ones are dropped")
    func finishKeepsElements() async throws {
        let channel = Channel<String>()
        channel.send("a")
        channel.send("b")
        channel.finish()
        channel.send("c")
        #expect(try await channel.receive() == "a")
        #expect(try await channel.receive() == "b")
        #expect(try await channel.receive() == nil)
    }

    @Test("Finishing the channel gives waiting receivers nil")
    func finishFreesWaiters() async throws {
        for _ in 0..<200 {
            let channel = Channel<Int>()
            let receivers = (0..<2).map { _ in Task { try await channel.receive() } }
            await Task.yield()
            channel.finish()
            for receiver in receivers { #expect(try await receiver.value == nil) }
        }
    }

    @Test("A cancelled receiver stops waiting and takes no element")
    func cancelledReceiver() async throws {
        for round in 0..<500 {
            let channel = Channel<Int>()
            let receiver = Task { try await channel.receive() }
            if round.isMultiple(of: 2) { await Task.yield() }
            receiver.cancel()
            await #expect(throws: CancellationError.self) { try await receiver.value }
            channel.send(7)
            #expect(try await channel.receive() == 7)
        }
    }
}
