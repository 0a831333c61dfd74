/// Places a network's tensors in one piece of memory. Tensors that are never needed at the same time share it.
package struct MemoryPlan {
    /// The values of a tensor, and the steps from the one that writes it to the last one that reads it.
    package typealias Need = (count: Int, steps: ClosedRange<Int>)

    /// In the order of the needs.
    package let offsets: [Int]
    /// In values.
    package let count: Int

    /// Places the largest tensors first, each as early as it fits.
    package init(_ needs: [Need]) {
        // Each tensor begins at a cache line.
        let counts = needs.map { ($0.count + 15) & ~15 }
        var offsets = [Int](repeating: 0, count: needs.count)
        var placed: [Int] = []
        for index in needs.indices.sorted(by: { (counts[$1], $0) < (counts[$0], $1) }) {
            let rivals = placed.filter { needs[$0].steps.overlaps(needs[index].steps) }
                .sorted { offsets[$0] < offsets[$1] }
            var offset = 0
            for rival in rivals {
                if offsets[rival] >= offset + counts[index] { break }
                offset = max(offset, offsets[rival] + counts[rival])
            }
            offsets[index] = offset
            placed.append(index)
        }
        self.offsets = offsets
        count = needs.indices.map { offsets[$0] + counts[$0] }.max() ?? 0
    }
}
