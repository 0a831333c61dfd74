import Testing
import TestSupport
import VidscanBase

@Suite("The cache keeps what was used most recently")
struct RecentlyUsedTests {
    @Test("A full cache evicts the least recently used value")
    func order() {
        var kept = RecentlyUsed<String, Int>(capacity: 2)
        kept.insert(1, for: "a", weight: 1)
        kept.insert(2, for: "b", weight: 1)
        #expect(kept.value(for: "a") == 1)
        kept.insert(3, for: "c", weight: 1)
        #expect(kept.value(for: "b") == nil)
        #expect(kept.value(for: "a") == 1)
        #expect(kept.value(for: "c") == 3)
    }

    @Test("A new value for a key replaces only that key's value")
    func replaced() {
        var kept = RecentlyUsed<String, Int>(capacity: 2)
        kept.insert(1, for: "a", weight: 1)
        kept.insert(2, for: "b", weight: 1)
        kept.insert(3, for: "b", weight: 1)
        #expect(kept.value(for: "a") == 1)
        #expect(kept.value(for: "b") == 3)
    }

    @Test("The total weight stays within the capacity, unless one value alone exceeds it")
    func heavy() {
        var kept = RecentlyUsed<String, Int>(capacity: 10)
        for (number, key) in ["a", "b", "c"].enumerated() { kept.insert(number, for: key, weight: 3) }
        kept.insert(3, for: "d", weight: 4)
        #expect([kept.value(for: "a"), kept.value(for: "b"), kept.value(for: "c")] == [nil, 1, 2])
        kept.makeRoom(for: 6)
        #expect([kept.count, kept.weight] == [1, 3])
        kept.insert(4, for: "e", weight: 11)
        #expect(kept.count == 1)
        #expect(kept.value(for: "e") == 4)
        kept.insert(5, for: "f", weight: 1)
        #expect(kept.value(for: "e") == nil)
    }

    @Test("After any sequence of uses, the cache holds the most recent distinct keys", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var kept = RecentlyUsed<Int, Int>(capacity: 4)
        var recent: [Int] = []
        for step in 0..<300 {
            let key = Int.random(in: 0..<8, using: &random)
            let isThere = recent.suffix(4).contains(key)
            #expect((kept.value(for: key) != nil) == isThere)
            if !isThere { kept.insert(step, for: key, weight: 1) }
            recent.removeAll { $0 == key }
            recent.append(key)
        }
        #expect(kept.count == 4)
    }
}
