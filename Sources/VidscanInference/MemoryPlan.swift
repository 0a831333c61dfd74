/// Where the tensors of a network lie in one piece of memory, in which those that are never needed at the same time share
/// their place.
package struct MemoryPlan {
    /// What one tensor needs.
    package struct Need {
        /// The number of values.
        package var count: Int
        /// The steps of the network from the one that writes the tensor to the last one that reads it.
        package var steps: ClosedRange<Int>

        package init(count: Int, steps: ClosedRange<Int>) {
            self.count = count
            self.steps = steps
        }
    }

    /// The offsets of the tensors, in the order of the needs.
    package let offsets: [Int]
    /// The number of values of all the memory.
    package let count: Int

    /// Places the largest tensors first, each as far ahead as it fits.
    package init(_ needs: [Need]) {
        // Each begins with a cache line.
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
