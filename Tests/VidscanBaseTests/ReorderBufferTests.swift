import Testing
import TestSupport
import VidscanBase

@Suite("The reorder buffer restores the order of results")
struct ReorderBufferTests {
    @Test("Results that arrive in any order leave in sequence, as early as possible", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var buffer = ReorderBuffer<String>()
        var left: [String] = []
        var inserted: Set<Int> = []
        for sequence in (0..<100).shuffled(using: &random) {
            left += buffer.insert("result \(sequence)", sequence: sequence)
            inserted.insert(sequence)
            let inLine = (0...100).first { !inserted.contains($0) } ?? 101
            #expect(left.count == inLine)
            #expect(buffer.count == inserted.count - inLine)
        }
        #expect(left == (0..<100).map { "result \($0)" })
    }
}
