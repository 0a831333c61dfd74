/// Decides which packets need not be decoded.
///
/// Packets go in as they are read (`push`) and come out in the same order, each with an action (`next`). The plan looks
/// ahead over a bounded window, because two facts become known only later: which frame is presented just before this
/// one (so whether a tick lies between them), and whether a random access point comes before the next wanted frame (so
/// the rest of the group of pictures can be dropped). When in doubt, it decodes; `FrameSelector` selects the samples.
package struct SamplePlan: Sendable {
    package enum Action: Sendable, Equatable {
        /// The frame may be wanted. `afterGap`: packets before it were dropped, so the decoder must restart here.
        case decode(afterGap: Bool)
        /// The frame is not wanted: decode it only if other frames refer to it.
        case decodeIfReferenced(afterGap: Bool)
        /// No wanted frame needs this packet.
        case drop
    }

    private enum Fate {
        case open
        /// Before a random access point where decoding resumes.
        case inGap
        /// After a random access point but presented before it; no later packet depends on it.
        case leading
    }

    private struct Entry {
        var summary: PacketSummary
        var isUnwanted: Bool
        var fate = Fate.open
    }

    /// A frame on the timeline, with the number of ticks up to it and the number of its packet.
    private typealias Mark = (timestamp: Int64, ticks: Int64, sequence: Int)

    private let grid: SampleGrid
    /// The maximum size of the look-ahead window.
    private let packets, bytes: Int
    /// `entries[0]` is packet number `firstSequence`.
    private var entries: [Entry] = []
    private var firstSequence = 0, heldBytes = 0
    /// Sorted by timestamp: every packet in the window, and enough earlier ones to know each frame's predecessor.
    private var marks: [Mark] = []
    /// No packet still to come is presented before this timestamp.
    private var horizon = Int64.min
    private var hasGap = false

    /// Whether packets may be skipped. `false` for good once timestamps contradict themselves or after `distrust`.
    package private(set) var isTrusted: Bool

    /// - Parameter allowsSkipping: Whether packets of this codec can be skipped at all.
    package init(grid: SampleGrid, packets: Int = 600, bytes: Int = 24 << 20, allowsSkipping: Bool = true) {
        (self.grid, self.packets, self.bytes, isTrusted) = (grid, packets, bytes, allowsSkipping)
    }

    /// Whether `next` answers without further look-ahead.
    package var isFull: Bool { entries.count >= packets || heldBytes >= bytes }

    /// Whether every later packet is presented at or after the grid's end.
    package var isPastEnd: Bool {
        guard isTrusted, let end = grid.end, horizon > .min else { return false }
        return grid.clock.isAtOrAfter(end, horizon)
    }

    /// Adds the next packet in file order.
    package mutating func push(_ packet: PacketSummary) {
        var isUnwanted = false
        if let presentation = packet.presentation, grid.clock.isPlausible(presentation) {
            if let decoding = packet.decoding {
                if decoding > presentation || decoding < horizon { distrust() }
                horizon = max(horizon, decoding)
            }
            if packet.isHidden {
                isUnwanted = true
            } else if isTrusted {
                isUnwanted = insert(presentation, sequence: firstSequence + entries.count)
            }
        } else {
            distrust()
        }
        entries.append(Entry(summary: packet, isUnwanted: isUnwanted && isTrusted))
        heldBytes += packet.byteCount
    }

    /// Removes the oldest packet and returns its action; `nil` if more must come first or, at the end, none is left.
    package mutating func next(atEnd: Bool) -> Action? {
        guard let head = entries.first else { return nil }
        let mustAnswer = atEnd || isFull
        if isTrusted, head.fate == .open {
            if head.isUnwanted {
                if !markUnneeded(atEnd: atEnd), !mustAnswer { return nil }
            } else if !mustAnswer, let presentation = head.summary.presentation, presentation > horizon {
                return nil  // A frame presented before this one may still come, and serve its tick.
            }
        }
        return popFirst()
    }

    private mutating func popFirst() -> Action {
        let head = entries.removeFirst()
        firstSequence += 1
        heldBytes -= head.summary.byteCount
        removeOldMarks()
        if head.fate == .inGap { hasGap = true }
        if head.fate != .open || isTrusted && head.isUnwanted && head.summary.isDisposable { return .drop }
        let afterGap = hasGap
        hasGap = false
        return head.isUnwanted && isTrusted ? .decodeIfReferenced(afterGap: afterGap) : .decode(afterGap: afterGap)
    }

    /// Looks for the next random access point that no wanted frame precedes, and marks what no wanted frame needs then.
    /// Returns `false` if more packets must come first.
    private mutating func markUnneeded(atEnd: Bool) -> Bool {
        var restart = 0
        while restart < entries.count, restart == 0 || !entries[restart].summary.isRandomAccessPoint {
            guard entries[restart].isUnwanted else { return true }
            restart += 1
        }
        var leading: [Int] = []
        if restart < entries.count {
            guard let begin = entries[restart].summary.presentation else { return true }
            guard horizon >= begin || atEnd else { return false }
            // Frames after the random access point but presented before it depend on packets that would be dropped.
            for later in (restart + 1)..<entries.count {
                guard let presentation = entries[later].summary.presentation, presentation < begin else { continue }
                guard entries[later].isUnwanted else { return true }
                leading.append(later)
            }
        } else if !atEnd {
            return false
        }
        for index in 0..<restart { entries[index].fate = .inGap }
        for index in leading { entries[index].fate = .leading }
        return true
    }

    /// Returns whether the frame is certainly unwanted, which frames inserted later before it can only confirm.
    private mutating func insert(_ timestamp: Int64, sequence: Int) -> Bool {
        let mark: Mark = (timestamp, grid.ticks(upTo: timestamp), sequence)
        let position = marks.partitionIndex { $0.timestamp > timestamp }
        marks.insert(mark, at: position)
        if position + 1 < marks.count, isUnwanted(marks[position + 1], after: mark) {
            let index = marks[position + 1].sequence - firstSequence
            if index >= 0, index < entries.count { entries[index].isUnwanted = true }
        }
        return isUnwanted(mark, after: position > 0 ? marks[position - 1] : nil)
    }

    private func isUnwanted(_ mark: Mark, after predecessor: Mark?) -> Bool {
        if !grid.isInWindow(mark.timestamp) { return true }
        guard case .perSecond = grid.rate else { return false }
        return mark.ticks <= (predecessor?.ticks ?? 0)
    }

    /// Of the marks that have left the window and precede everything still to come, only the last can be a predecessor.
    private mutating func removeOldMarks() {
        guard marks.count > 2 * packets + 64 else { return }
        var settled = 0
        while settled + 1 < marks.count, marks[settled + 1].sequence < firstSequence,
            marks[settled + 1].timestamp <= horizon
        { settled += 1 }
        marks.removeFirst(settled)
    }

    /// From here on, decodes everything. Completes a gap that has begun, because decoding cannot start within it.
    package mutating func distrust() {
        isTrusted = false
        marks.removeAll()
    }
}
