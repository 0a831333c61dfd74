internal import CZlib
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The rows of `faces.csv` for a page, by face, then by time, in positions of the video.
struct PageRows {
    /// Beyond this, rows are thinned out, so that a browser can hold the page.
    private static let maximumRows = 400_000
    private static let measures: [FaceField] = TrackTable.measures.filter { field in
        if case .metric(let metric) = field { !metric.isFlag } else { true }
    }
    private static let speech: [FaceField] = [.speaking, .speechMovement]

    /// They say why a score is missing, for which coarse steps are enough.
    private static let covers: [FaceField] = [.mouthCovered, .eyesCovered]

    /// For the page's script: the name of each, its width in bytes and, unless it has whole numbers, its quantization.
    /// One whose numbers are coded like those of an earlier column has that one's name instead of bytes of its own.
    private(set) var columns: [JSONValue] = []
    /// The numbers that the page can show as curves.
    let metrics: [FaceField]
    private var bytes: [UInt8] = []
    private(set) var ranges: [Int: Range<Int>] = [:]
    /// The mean score of the detector and the mesh, 0…1, by face_id.
    let certainty: [Int: Double]
    /// The page has every `stride`-th sample.
    let stride: Int

    /// `samples`: all of them. `expected`: about the number of rows. `size`: the video's upright frame, in pixels.
    /// `map`: from positions in the tables to those in the video; `nil` if they are the same.
    init(
        _ folder: String, faces: Set<Int>, leftOut: Set<Int>, samples: SampleTimes, expected: Int,
        size: (width: Int, height: Int), map: VidscanBase.AffineTransform?
    ) throws(VidscanError) {
        stride = max(1, (expected + Self.maximumRows - 1) / Self.maximumRows)
        let table = try TableReader(folder: folder, name: "faces.csv")
        let speech = Self.speech.filter { table.optionalColumn($0.name) != nil }
        let columns = try FaceColumns(
            [.confidence, .presence] + FaceField.points + FaceField.box + Self.measures + Self.covers + speech,
            of: table)
        let (time, id) = (try table.column("time"), try table.column("face_id"))
        let times = samples.microseconds
        var numbers = Self.numbers(of: size, Self.measures + speech)
        var (faceIDs, samplesOfRows): ([Int], [Int]) = ([], [])
        var scores: [Int: (sum: Double, count: Int)] = [:]
        var sample = 0
        while try table.next() {
            let microseconds = try table.microseconds(time)
            while sample < times.count, times[sample] < microseconds { sample += 1 }
            try table.require(sample < times.count && times[sample] == microseconds, "its time is not in frames.csv")
            let face = try table.integer(id, in: ReadLimits.ids)
            if leftOut.contains(face) { continue }
            try table.require(faces.contains(face), "face_id \(face) is not in tracks.csv")
            var row = try columns.numbers(in: table)
            let score = ((row[.confidence] ?? 0) + (row[.presence] ?? 0)) / 2
            let isNew = scores[face] == nil
            scores[face, default: (0, 0)].sum += score
            scores[face, default: (0, 0)].count += 1
            guard isNew || sample % stride == 0 else { continue }
            try table.require(faceIDs.count < 2 * Self.maximumRows, "is one of too many rows for a page")
            if let map { row.move(by: map) }
            faceIDs.append(face)
            samplesOfRows.append(sample)
            for index in numbers.indices {
                numbers[index].codes.append(numbers[index].quantization.code(row[numbers[index].field]))
            }
        }
        // Without --speech, there is nothing to show of it.
        numbers.removeAll { speech.contains($0.field) && $0.codes.allSatisfy { $0 == 0 } }
        metrics = numbers.map(\.field).filter { Self.measures.contains($0) || speech.contains($0) }
        certainty = scores.mapValues { $0.sum / Double($0.count) }

        // By face, then by time, so that neighbours are alike.
        let order = faceIDs.indices.sorted { (faceIDs[$0], $0) < (faceIDs[$1], $1) }
        for (row, index) in order.enumerated() {
            ranges[faceIDs[index]] = (ranges[faceIDs[index]]?.lowerBound ?? row)..<(row + 1)
        }
        append(samples.microseconds.map { UInt64(bitPattern: $0) }, "time")
        append(samples.frames.map { UInt32(truncatingIfNeeded: $0) }, "frame")
        let voice = Quantization(0...100, step: 1)
        let voices = samples.voices.map { UInt8(truncatingIfNeeded: voice.code($0)) }
        if voices.contains(where: { $0 > 0 }) { append(voices, "voice", voice) }
        append(order.map { UInt32(truncatingIfNeeded: samplesOfRows[$0]) }, "sample")
        var firstNames: [[UInt16]: String] = [:]
        for (field, quantization, codes) in numbers {
            if let first = firstNames[codes] {
                self.columns.append(
                    .object(["name": .text(field.name), "same": .text(first), "quantization": quantization.json]))
                continue
            }
            firstNames[codes] = field.name
            if quantization.largest <= UInt8.max {
                append(order.map { UInt8(truncatingIfNeeded: codes[$0]) }, field.name, quantization)
            } else {
                append(order.map { codes[$0] }, field.name, quantization)
            }
        }
    }

    var count: Int { ranges.values.reduce(0) { $0 + $1.count } }

    private static func numbers(
        of size: (width: Int, height: Int), _ metrics: [FaceField]
    ) -> [(field: FaceField, quantization: Quantization, codes: [UInt16])] {
        // Faces may lie partly outside the frame.
        let longer = Double(max(size.width, size.height))
        // A quarter of a pixel, of the video or of a screen that is 2,560 pixels wide.
        let step = max(0.25, longer / 10_240)
        let positions = -longer...2 * longer
        let dots = FacePoint.allCases.filter { $0 != .mouth }.flatMap { [FaceField.x($0), .y($0)] }
        return FaceField.box.map { ($0, Quantization(positions, step: step), []) }
            // Points are drawn as dots.
            + dots.map { ($0, Quantization(positions, step: 2 * step), []) }
            + metrics.map { metric in
                // The page shows whole degrees, and the curves of scores are about 200 pixels high.
                let extent = metric.range.upperBound - metric.range.lowerBound
                return (metric, Quantization(metric.range, step: metric.unit == "degrees" ? 0.5 : extent / 200), [])
            } + covers.map { ($0, Quantization($0.range, step: 10), []) }
    }

    /// Appends whole numbers as their differences, split into bytes, all lowest first: small differences compress well.
    private mutating func append<Value: FixedWidthInteger & UnsignedInteger>(
        _ values: [Value], _ name: String, _ quantization: Quantization? = nil
    ) {
        let width = Value.bitWidth / 8
        var column: [String: JSONValue] = ["name": .text(name), "width": .integer(width)]
        column["quantization"] = quantization?.json
        columns.append(.object(column))
        var previous: Value = 0
        let folded = values.map { value in
            let difference = value &- previous
            previous = value
            // Small differences of either sign become small: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
            return (difference << 1) ^ (difference >> (Value.bitWidth - 1) == 1 ? Value.max : 0)
        }
        for byte in 0..<width { bytes += folded.map { UInt8(truncatingIfNeeded: $0 >> (8 * byte)) } }
    }

    /// The rows, followed by a text, in the zlib format (RFC 1950), which browsers decompress.
    func compressed(with text: String) throws(VidscanError) -> [UInt8] {
        let bytes = bytes + text.utf8
        var size = compressBound(uLong(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&compressed, &size, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
            throw VidscanError(.output, "not enough memory to compress the page's data", stage: .render)
        }
        compressed.removeLast(compressed.count - Int(size))
        return compressed
    }
}

private struct Quantization {
    /// Has code 1; code 0 is a missing number.
    let low: Double
    let step: Double
    let largest: Int

    init(_ range: ClosedRange<Double>, step: Double) {
        (low, self.step) = (range.lowerBound, step)
        largest = Int(((range.upperBound - range.lowerBound) / step).rounded()) + 1
    }

    var json: JSONValue { .object(["low": .number(low), "step": .number(step)]) }

    /// Clamps the number to the range.
    func code(_ value: Double?) -> UInt16 {
        guard let value, !value.isNaN else { return 0 }
        // 0.6325 of 0…1 has the code of 63.25 of 0…100.
        return UInt16(1 + min(max(((value - low) / step + 1e-6).rounded(), 0), Double(largest - 1)))
    }
}

struct ReportedFace {
    var id: Int
    var personID: Int?
    /// The certainty of `personID`, 0…1; `nil` if the table does not say.
    var personConfidence: Double?
    var firstSeconds, lastSeconds, visibleSeconds: Double
    var samples, appearances: Int
    var bestMicroseconds: Int64
    /// For a thumbnail if no box is available at that time.
    var box: Rectangle
    /// Per minute in which blinks can be seen; `nil` without any.
    var blinkRate: Double?
    /// By metric. The samples are those behind the mean; `nil` if the table does not say.
    var measures: [String: (mean: Double?, samples: Int?, rest: Double?)]

    static func read(_ folder: String) throws(VidscanError) -> [ReportedFace] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (id, person) = (try table.column("face_id"), try table.column("person_id"))
        let personConfidence = table.optionalColumn("person_confidence")
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let (samples, appearances) = (try table.column("samples"), try table.column("appearances"))
        let box = try FaceColumns(FaceField.box, of: table)
        let blinkRate = table.optionalColumn("blink_rate")
        let columns = try TrackTable.measures.filter { $0.range != 0...1 }.map { measure throws(VidscanError) in
            let (samples, rest) = ("\(measure.name)_samples", "\(measure.name)_rest")
            return (
                measure, try table.column("\(measure.name)_mean"), table.optionalColumn(samples),
                table.optionalColumn(rest)
            )
        }
        var ids: Set<Int> = []
        var faces: [ReportedFace] = []
        while try table.next() {
            let face = try table.integer(id, in: ReadLimits.ids)
            try table.require(ids.insert(face).inserted, "face_id \(face) appears twice")
            let limit = ReadLimits.tracks
            try table.require(faces.count < limit, "is one of more than \(limit) faces, too many for a page")
            let begin = try table.number(first, in: ReadLimits.seconds)
            let end = try table.number(last, in: ReadLimits.seconds)
            try table.require(begin <= end, "last_time is before first_time")
            var measures: [String: (mean: Double?, samples: Int?, rest: Double?)] = [:]
            for (measure, mean, samples, rest) in columns {
                measures[measure.name] = (
                    try table.optionalNumber(mean, in: measure.range), try samples.map(table.count),
                    try table.optionalNumber(rest, in: measure.range)
                )
            }
            faces.append(
                ReportedFace(
                    id: face, personID: try table.optionalInteger(person, in: ReadLimits.ids),
                    personConfidence: try table.optionalNumber(personConfidence, in: 0...1), firstSeconds: begin,
                    lastSeconds: end, visibleSeconds: try table.number(visible, in: ReadLimits.durations),
                    samples: try table.count(samples), appearances: try table.count(appearances),
                    bestMicroseconds: try table.microseconds(best), box: try box.numbers(in: table).box,
                    blinkRate: try table.optionalNumber(blinkRate, in: ReadLimits.durations), measures: measures))
        }
        return faces
    }
}
