/// Decides on packets, before decoding, what need not be decoded.
///
/// Packets go in as they are read (`push`) and come out in the same order with an action each (`next`). Between the two
/// the plan holds a bounded window of them, because two things are known only later: which frame is presented just
/// before this one (so whether a tick lies between), and whether a restart point comes before the next wanted frame (so
/// the rest of the group of pictures can be dropped).
///
/// The plan only ever errs towards decoding. What is taken is decided by `FrameSelector` on what comes out.
public struct SamplePlan: Sendable {
    public enum Action: Sendable, Equatable {
        /// The frame may be wanted, or its timestamps cannot be trusted: decode it whatever it is.
        /// `afterGap`: packets before it were dropped, so the decoder starts afresh here.
        case decode(afterGap: Bool)
        /// Not wanted itself: decode it only if others refer to it.
        case decodeIfReferenced(afterGap: Bool)
        /// Nothing that is wanted needs it.
        case drop
    }

    /// How much may be held back while looking ahead.
    public struct Window: Sendable {
        public var packets: Int
        public var bytes: Int

        public init(packets: Int = 600, bytes: Int = 24 << 20) {
            self.packets = packets
            self.bytes = bytes
        }
    }

    private enum Fate {
        case open
        /// Lies before a restart point that decoding resumes at.
        case inGap
        /// Follows a restart point but is presented before it; nothing after it leans on it.
        case leading
    }

    private struct Entry {
        var summary: PacketSummary
        var isUnwanted: Bool
        var fate = Fate.open
    }

    /// A presented frame's place on the time line: its timestamp, how many ticks it reaches, which packet it is.
    private struct Mark {
        var timestamp: Int64
        var ticks: Int64
        var sequence: Int
    }

    private let grid: SampleGrid
    private let window: Window
    /// Window entries; `entries[0]` is packet number `firstSequence`.
    private var entries: [Entry] = []
    private var firstSequence = 0
    private var heldBytes = 0
    /// Sorted by timestamp: every packet in the window and enough of those before it to know a frame's predecessor.
    private var marks: [Mark] = []
    /// No packet still to come is presented before this.
    private var horizon = Int64.min
    private var hasGap = false

    /// `false` once a packet's timestamps contradict themselves or `distrust` is called; from then on everything is decoded.
    public private(set) var isTrusted: Bool

    /// - Parameter mayPass: whether packets of this codec can be passed over at all.
    public init(grid: SampleGrid, window: Window = Window(), mayPass: Bool = true) {
        self.grid = grid
        self.window = window
        self.isTrusted = mayPass
    }

    /// Whether the window has no room left, so `next` answers without looking further ahead.
    public var isFull: Bool { entries.count >= window.packets || heldBytes >= window.bytes }

    /// Every packet from here on is presented at or after the grid's end.
    public var isPastEnd: Bool {
        guard isTrusted, let end = grid.end, horizon > .min else { return false }
        return grid.clock.isAtOrAfter(end, horizon)
    }

    public mutating func push(_ packet: PacketSummary) {
        var isUnwanted = false
        if let presentation = packet.presentation, grid.clock.isPlausible(presentation) {
            if let decoding = packet.decoding {
                if decoding > presentation || decoding < horizon { distrust() }
                horizon = max(horizon, decoding)
            }
            if packet.isHidden {
                isUnwanted = true
            } else if isTrusted {
                isUnwanted = place(presentation, sequence: firstSequence + entries.count)
            }
        } else {
            distrust()
        }
        entries.append(Entry(summary: packet, isUnwanted: isUnwanted && isTrusted))
        heldBytes += packet.byteCount
    }

    /// The action for the oldest packet in the window, which leaves it.
    ///
    /// - Parameter atEnd: no further packet will be pushed.
    /// - Returns: `nil` when more packets must be pushed first (or, at the end, when none is left).
    public mutating func next(atEnd: Bool) -> Action? {
        guard let head = entries.first else { return nil }
        let mustAnswer = atEnd || isFull
        if isTrusted, head.fate == .open {
            if head.isUnwanted {
                switch tail(mustAnswer: mustAnswer, atEnd: atEnd) {
                case .unknown: return nil
                case .needed: break
                case .unneeded(let count, let leading):
                    for index in 0..<count { entries[index].fate = .inGap }
                    for index in leading { entries[index].fate = .leading }
                }
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
        forgetOldMarks()
        switch head.fate {
        case .open: break
        case .leading: return .drop
        case .inGap:
            hasGap = true
            return .drop
        }
        if isTrusted, head.isUnwanted, head.summary.isDisposable { return .drop }
        let afterGap = hasGap
        hasGap = false
        return head.isUnwanted && isTrusted ? .decodeIfReferenced(afterGap: afterGap) : .decode(afterGap: afterGap)
    }

    private enum Tail {
        case unknown
        case needed
        /// The first `count` packets, and those at `leading`, serve nothing.
        case unneeded(count: Int, leading: [Int])
    }

    /// Looks for the next restart point with nothing wanted before it.
    private func tail(mustAnswer: Bool, atEnd: Bool) -> Tail {
        var index = 0
        while index < entries.count, index == 0 || !entries[index].summary.isRandomAccessPoint {
            guard entries[index].isUnwanted else { return .needed }
            index += 1
        }
        guard index < entries.count else {
            return atEnd ? .unneeded(count: index, leading: []) : mustAnswer ? .needed : .unknown
        }
        // Frames that follow the restart point but are presented before it lean on what would be dropped.
        guard let restart = entries[index].summary.presentation else { return .needed }
        guard horizon >= restart || atEnd else { return mustAnswer ? .needed : .unknown }
        var leading: [Int] = []
        for later in (index + 1)..<max(index + 1, entries.count) {
            guard let presentation = entries[later].summary.presentation, presentation < restart else { continue }
            guard entries[later].isUnwanted else { return .needed }
            leading.append(later)
        }
        return .unneeded(count: index, leading: leading)
    }

    /// Enters a frame on the time line.
    ///
    /// - Returns: whether it is certainly not wanted. Frames that come to lie between it and its predecessor later can
    ///   only confirm that.
    private mutating func place(_ timestamp: Int64, sequence: Int) -> Bool {
        let mark = Mark(timestamp: timestamp, ticks: grid.ticks(upTo: timestamp), sequence: sequence)
        var position = marks.count
        while position > 0, marks[position - 1].timestamp > timestamp { position -= 1 }
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

    /// Marks of packets that left long ago, presented before all that can still come, are nobody's predecessor but one.
    private mutating func forgetOldMarks() {
        guard marks.count > 2 * window.packets + 64 else { return }
        var settled = 0
        while settled + 1 < marks.count, marks[settled + 1].sequence < firstSequence,
            marks[settled + 1].timestamp <= horizon
        { settled += 1 }
        marks.removeFirst(settled)
    }

    /// From here on everything is decoded: what packets say cannot be relied on. A gap that has begun is still carried to its end: decoding cannot begin
    /// within it.
    public mutating func distrust() {
        isTrusted = false
        marks.removeAll()
    }
}
