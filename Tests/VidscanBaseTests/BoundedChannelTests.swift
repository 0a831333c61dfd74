import Synchronization
import Testing
import VidscanBase

@Suite("A bounded channel makes its senders wait when it is full")
struct BoundedChannelTests {
    @Test("Elements are received in the order in which they were sent", arguments: [1, 2, 16])
    func order(capacity: Int) async throws {
        let channel = BoundedChannel<Int>(capacity: capacity)
        async let sending: Void = {
            for number in 0..<1000 { try await channel.send(number) }
            channel.finish()
        }()
        var received: [Int] = []
        while let number = try await channel.receive() { received.append(number) }
        try await sending
        #expect(received == Array(0..<1000))
    }

    @Test("The channel never holds more elements than its capacity", arguments: [1, 3])
    func capacity(capacity: Int) async throws {
        let channel = BoundedChannel<Int>(capacity: capacity)
        let sent = Mutex(0)
        async let sending: Void = {
            for number in 0..<2000 {
                try await channel.send(number)
                sent.withLock { $0 += 1 }
            }
            channel.finish()
        }()
        var received = 0
        while try await channel.receive() != nil {
            received += 1
            #expect(sent.withLock { $0 } <= received + capacity)
            if received.isMultiple(of: 3) { await Task.yield() }
        }
        try await sending
        #expect(received == 2000)
    }

    @Test("With many senders and receivers, each element is received exactly once")
    func manyTasks() async throws {
        let channel = BoundedChannel<Int>(capacity: 3)
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
            try await withThrowingTaskGroup(of: Void.self) { senders in
                for sender in 0..<8 {
                    senders.addTask {
                        for number in 0..<500 { try await channel.send(sender * 500 + number) }
                    }
                }
                try await senders.waitForAll()
            }
            channel.finish()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.sorted() == Array(0..<4000))
    }

    @Test("Elements that were sent before the end can still be received")
    func finishKeepsElements() async throws {
        let channel = BoundedChannel<String>(capacity: 2)
        try await channel.send("a")
        try await channel.send("b")
        channel.finish()
        #expect(try await channel.receive() == "a")
        #expect(try await channel.receive() == "b")
        #expect(try await channel.receive() == nil)
        await #expect(throws: CancellationError.self) { try await channel.send("c") }
    }

    @Test("Finishing the channel gives waiting receivers nil and waiting senders an error")
    func finishFreesWaiters() async throws {
        for _ in 0..<200 {
            let empty = BoundedChannel<Int>(capacity: 1)
            let full = BoundedChannel<Int>(capacity: 1)
            try await full.send(0)
            let receiver = Task { try await empty.receive() }
            let sender = Task { try await full.send(1) }
            await Task.yield()
            empty.finish()
            full.finish()
            #expect(try await receiver.value == nil)
            await #expect(throws: CancellationError.self) { try await sender.value }
        }
    }

    @Test("A cancelled receiver stops waiting and takes no element")
    func cancelledReceiver() async throws {
        for round in 0..<500 {
            let channel = BoundedChannel<Int>(capacity: 1)
            let receiver = Task { try await channel.receive() }
            if round.isMultiple(of: 2) { await Task.yield() }
            receiver.cancel()
            await #expect(throws: CancellationError.self) { try await receiver.value }
            try await channel.send(7)
            #expect(try await channel.receive() == 7)
        }
    }

    @Test("A cancelled sender stops waiting and adds no element")
    func cancelledSender() async throws {
        for round in 0..<500 {
            let channel = BoundedChannel<Int>(capacity: 1)
            try await channel.send(1)
            let sender = Task { try await channel.send(2) }
            if round.isMultiple(of: 2) { await Task.yield() }
            sender.cancel()
            await #expect(throws: CancellationError.self) { try await sender.value }
            channel.finish()
            #expect(try await channel.receive() == 1)
            #expect(try await channel.receive() == nil)
        }
    }
}
