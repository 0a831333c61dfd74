import TestSupport
import VidscanBase

/// A synthetic compressed video: packets in decoding order, with the references of each.
struct ModelStream {
    struct Packet {
        var summary: PacketSummary
        /// The true presentation time, even if the container does not give it.
        var timestamp: Int64
        /// The indices, in decoding order, of the packets that must be decoded first.
        var references: [Int] = []
        var isReferenced = false
    }

    /// The properties in which streams differ.
    struct Traits {
        var openGroups = false
        var recoveryPoints = false
        var maximumReordering = 3
        var hasPyramids = false
        var irregularTimes = false
        var missingDecodingTimes = 0.0
        var marksDisposable = false
        var hidesPackets = false
        var longestGroup = 40
    }

    private(set) var packets: [Packet] = []
    /// The number of frames that a decoder holds back for reordering.
    private(set) var reordering = 0

    /// The frames that are shown, in presentation order.
    var shown: [Int] {
        packets.indices.filter { !packets[$0].summary.isHidden }.sorted {
            packets[$0].timestamp < packets[$1].timestamp
        }
    }

    init(traits: Traits, groups: Int, using random: inout SeededGenerator) {
        // Display positions of the packets, in decoding order.
        var positions: [Int] = []
        var shownCount = 0
        for group in 0..<groups {
            let isOpen = group > 0 && traits.openGroups && Bool.random(using: &random)
            let isRestart = group == 0 || !traits.recoveryPoints || Bool.random(using: &random)
            var anchor: Int?
            let length = Int.random(in: 1...traits.longestGroup, using: &random)
            let begin = packets.count
            while packets.count - begin < length {
                let isFirst = anchor == nil
                let between =
                    isFirst && !isOpen ? 0 : Int.random(in: 0...traits.maximumReordering, using: &random)
                let previous = anchor ?? (isOpen ? lastAnchor(before: begin) : nil)
                let isIntra = isFirst || (traits.recoveryPoints && Int.random(in: 0..<10, using: &random) == 0)
                let number = append(
                    references: isIntra ? [] : [previous].compactMap { $0 }, position: shownCount + between,
                    to: &positions)
                packets[number].summary.isRandomAccessPoint = isFirst && isRestart
                anchor = number
                let sides = [previous, number].compactMap { $0 }
                appendBetween(
                    shownCount..<shownCount + between, references: sides, isPyramid: traits.hasPyramids, to: &positions)
                shownCount += between + 1
            }
        }
        for packet in packets { for reference in packet.references { packets[reference].isReferenced = true } }
        setTimes(positions, traits: traits, using: &random)
        flag(traits: traits, using: &random)
    }

    private var anchors: [Int] = []

    private func lastAnchor(before number: Int) -> Int? { anchors.last { $0 < number } }

    private mutating func append(references: [Int], position: Int, to positions: inout [Int]) -> Int {
        packets.append(
            Packet(summary: PacketSummary(presentation: nil, decoding: nil), timestamp: 0, references: references))
        positions.append(position)
        anchors.append(packets.count - 1)
        return packets.count - 1
    }

    /// Appends B-frames between two anchors. In a pyramid, the middle frame is decoded first, and both halves refer to
    /// it.
    private mutating func appendBetween(
        _ range: Range<Int>, references: [Int], isPyramid: Bool, to positions: inout [Int]
    ) {
        guard !range.isEmpty else { return }
        let middle = isPyramid ? (range.lowerBound + range.upperBound) / 2 : range.lowerBound
        let number = packets.count
        packets.append(
            Packet(summary: PacketSummary(presentation: nil, decoding: nil), timestamp: 0, references: references))
        positions.append(middle)
        let inner = isPyramid ? references + [number] : references
        appendBetween(range.lowerBound..<middle, references: inner, isPyramid: isPyramid, to: &positions)
        appendBetween(middle + 1..<range.upperBound, references: inner, isPyramid: isPyramid, to: &positions)
    }

    private mutating func setTimes(_ positions: [Int], traits: Traits, using random: inout SeededGenerator) {
        var times: [Int64] = []
        var time: Int64 = traits.irregularTimes ? Int64.random(in: -20...2000, using: &random) : 0
        for _ in positions {
            times.append(time)
            let isGap = traits.irregularTimes && Int.random(in: 0..<50, using: &random) == 0
            time += traits.irregularTimes ? Int64.random(in: isGap ? 500...9000 : 1...90, using: &random) : 40
        }
        reordering = positions.enumerated().map { $0.offset - $0.element }.max() ?? 0
        for (number, position) in positions.enumerated() {
            packets[number].timestamp = times[position]
            packets[number].summary.presentation = times[position]
            // The decoding time is as early as the reordering requires.
            let decoding = number - reordering
            packets[number].summary.decoding = decoding >= 0 ? times[decoding] : times[0] + Int64(decoding) * 40
            if Double.random(in: 0..<1, using: &random) < traits.missingDecodingTimes {
                packets[number].summary.decoding = nil
            }
            packets[number].summary.byteCount = Int.random(in: 1...2000, using: &random)
        }
    }

    private mutating func flag(traits: Traits, using random: inout SeededGenerator) {
        // An edit list hides the first frames; other hidden reference frames may be anywhere.
        let hiddenFirst = traits.hidesPackets ? Int.random(in: 0...min(30, packets.count / 2), using: &random) : 0
        for number in shown.prefix(hiddenFirst) { packets[number].summary.isHidden = true }
        for number in packets.indices {
            if traits.hidesPackets, packets[number].isReferenced, Int.random(in: 0..<12, using: &random) == 0 {
                packets[number].summary.isHidden = true
            }
            // Containers never mark random access points as disposable.
            let mayBeMarked = !packets[number].isReferenced && !packets[number].summary.isRandomAccessPoint
            if traits.marksDisposable, mayBeMarked, Bool.random(using: &random) {
                packets[number].summary.isDisposable = true
            }
        }
    }

    /// Removes a packet's presentation timestamp, as some containers do.
    mutating func forgetPresentation(of number: Int) {
        packets[number].summary.presentation = nil
    }
}
