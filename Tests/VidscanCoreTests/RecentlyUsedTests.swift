import Testing
import VidscanCore

@Suite("What was used recently")
struct RecentlyUsedTests {
    @Test("Stays, and what was not asked for the longest gives way")
    func order() {
        var kept = RecentlyUsed<String, Int>(capacity: 2)
        kept.insert(1, for: "a")
        kept.insert(2, for: "b")
        #expect(kept.value(for: "a") == 1)
        kept.insert(3, for: "c")
        #expect(kept.value(for: "b") == nil)
        #expect(kept.value(for: "a") == 1)
        #expect(kept.value(for: "c") == 3)
        #expect(kept.count == 2)
    }

    @Test("A key's new value takes the old one's place, and nobody else's")
    func replaced() {
        var kept = RecentlyUsed<String, Int>(capacity: 2)
        kept.insert(1, for: "a")
        kept.insert(2, for: "b")
        kept.insert(3, for: "b")
        #expect(kept.value(for: "a") == 1)
        #expect(kept.value(for: "b") == 3)
    }

    @Test("Room is made before there is something to put there, and only when there is none")
    func room() {
        var kept = RecentlyUsed<Int, Int>(capacity: 3)
        for number in 0..<2 { kept.insert(number, for: number) }
        kept.makeRoom()
        #expect(kept.count == 2)
        kept.insert(2, for: 2)
        kept.makeRoom()
        #expect(kept.count == 2)
        #expect(kept.value(for: 0) == nil)
    }

    @Test("However it is used, it holds the last distinct keys, as a list of them says", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var kept = RecentlyUsed<Int, Int>(capacity: 4)
        var recent: [Int] = []
        for step in 0..<300 {
            let key = Int.random(in: 0..<8, using: &random)
            let isThere = recent.suffix(4).contains(key)
            #expect((kept.value(for: key) != nil) == isThere)
            if !isThere { kept.insert(step, for: key) }
            recent.removeAll { $0 == key }
            recent.append(key)
        }
        #expect(kept.count == 4)
    }
}
