import VidscanBase

/// Reads a model stream through a plan and a model decoder, as the real reader does with libavcodec.
///
/// The model decoder marks a frame as broken if one of its references was not decoded.
struct ModelReader {
    struct Sample: Equatable {
        var timestamp: Int64
        var index: Int64
    }

    private let stream: ModelStream
    private let grid: SampleGrid
    private var plan: SamplePlan
    private var selector: FrameSelector
    private var numbering = PresentationIndex()
    /// Some decoders are flushed before they continue after a gap.
    private let flushesAfterGap: Bool
    /// Some decoders output broken frames, others drop them.
    private let showsBrokenFrames: Bool

    /// Packets that the plan holds, oldest first.
    private var held: [Int] = []
    private var decoded: Set<Int> = []
    /// Frames that wait to be output in order.
    private var waiting: [(packet: Int, isWhole: Bool)] = []

    private(set) var samples: [Sample] = []
    private(set) var brokenSamples: [Sample] = []
    private(set) var actions: [SamplePlan.Action] = []
    private(set) var decodedCount = 0
    private(set) var maximumHeld = 0
    /// Whether decoding was restarted at a packet that is not a random access point.
    private(set) var beganAmiss = false

    init(
        _ stream: ModelStream, grid: SampleGrid, packets: Int = 600, bytes: Int = 24 << 20,
        allowsSkipping: Bool = true, flushesAfterGap: Bool = false, showsBrokenFrames: Bool = true
    ) {
        self.stream = stream
        self.grid = grid
        plan = SamplePlan(grid: grid, packets: packets, bytes: bytes, allowsSkipping: allowsSkipping)
        selector = FrameSelector(grid: grid)
        self.flushesAfterGap = flushesAfterGap
        self.showsBrokenFrames = showsBrokenFrames
    }

    mutating func run() {
        var next = 0
        var isAtEnd = false
        while true {
            if let action = plan.next(atEnd: isAtEnd) {
                actions.append(action)
                perform(action, on: held.removeFirst())
            } else if isAtEnd {
                break
            } else if next == stream.packets.count || plan.isPastEnd {
                isAtEnd = true
            } else {
                let packet = stream.packets[next]
                held.append(next)
                if !packet.summary.isHidden {
                    numbering.insert(packet.timestamp)
                    selector.skip(packet.timestamp)
                }
                plan.push(packet.summary)
                next += 1
                maximumHeld = max(maximumHeld, held.count)
            }
        }
        comeOut(keeping: 0)
    }

    private mutating func perform(_ action: SamplePlan.Action, on number: Int) {
        let packet = stream.packets[number]
        switch action {
        case .drop: return
        case .decode(let afterGap), .decodeIfReferenced(let afterGap):
            if afterGap { startAfresh(at: packet) }
            if case .decodeIfReferenced = action, !packet.isReferenced { return }
        }
        decodedCount += 1
        let isWhole = packet.references.allSatisfy(decoded.contains)
        if isWhole { decoded.insert(number) }
        if !packet.summary.isHidden, isWhole || showsBrokenFrames { waiting.append((number, isWhole)) }
        comeOut(keeping: stream.reordering)
    }

    private mutating func startAfresh(at packet: ModelStream.Packet) {
        if !packet.summary.isRandomAccessPoint { beganAmiss = true }
        guard flushesAfterGap else { return }
        comeOut(keeping: 0)
        decoded.removeAll()
    }

    /// Outputs the frames that need not wait any longer, in presentation order.
    private mutating func comeOut(keeping count: Int) {
        waiting.sort { stream.packets[$0.packet].timestamp < stream.packets[$1.packet].timestamp }
        while waiting.count > count {
            let frame = waiting.removeFirst()
            let timestamp = stream.packets[frame.packet].timestamp
            let index = numbering.index(of: timestamp)
            guard selector.selects(timestamp) else { continue }
            let sample = Sample(timestamp: timestamp, index: index)
            samples.append(sample)
            if !frame.isWhole { brokenSamples.append(sample) }
        }
    }

    /// Returns the samples of a reader that decodes every packet.
    static func samplesOfFullDecode(_ stream: ModelStream, grid: SampleGrid) -> [Sample] {
        var selector = FrameSelector(grid: grid)
        return stream.shown.enumerated().compactMap { index, number in
            let timestamp = stream.packets[number].timestamp
            return selector.selects(timestamp) ? Sample(timestamp: timestamp, index: Int64(index)) : nil
        }
    }
}
