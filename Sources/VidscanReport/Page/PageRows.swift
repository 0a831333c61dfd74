internal import CZlib
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The rows of `faces.csv` for a page, by face, then by time, in positions of the video.
struct PageRows {
    /// Beyond this, rows are thinned out, so that a browser can hold the page.
    private static let maximumRows = 400_000
    private static let points: [FacePoint] = FacePoint.allCases.filter { $0 != .mouth }
    /// Of positions, in pixels of the video.
    private static let positionStep = 0.25

    static let metrics: [FaceField] = TrackTable.measures.filter { field in
        if case .metric(let metric) = field { !metric.isFlag } else { true }
    }

    /// They say why a score is missing, for which coarse steps are enough.
    private static let covers: [FaceField] = [.mouthCovered, .eyesCovered]
    private static let coverStep = 10.0

    /// For the page's script: the name of each, its width in bytes and, unless it has whole numbers, its quantization.
    private(set) var columns: [JSONValue] = []
    private var bytes: [UInt8] = []
    /// By face_id.
    private(set) var ranges: [Int: Range<Int>] = [:]
    /// The mean score of the detector and the mesh, 0…1, by face_id.
    let certainty: [Int: Double]
    /// The page has every `stride`-th sample.
    let stride: Int

    /// - Parameters:
    ///   - samples: All of them.
    ///   - expected: About the number of rows.
    ///   - size: The video's upright frame, in pixels.
    ///   - map: From positions in the tables to those in the video; `nil` if they are the same.
    init(
        _ folder: String, faces: Set<Int>, leftOut: Set<Int>, samples: SampleTimes, expected: Int,
        size: (width: Int, height: Int), map: VidscanBase.AffineTransform?
    ) throws(VidscanError) {
        stride = max(1, (expected + Self.maximumRows - 1) / Self.maximumRows)
        let table = try TableReader(folder: folder, name: "faces.csv")
        let columns = try FaceColumns(
            [.confidence, .presence] + FaceField.points + FaceField.box + Self.metrics + Self.covers, of: table)
        let (time, id) = (try table.column("time"), try table.column("face_id"))
        let times = samples.microseconds
        var numbers = Self.numbers(of: size)
        var (faceIDs, samplesOfRows): ([Int], [Int]) = ([], [])
        var scores: [Int: (sum: Double, count: Int)] = [:]
        var sample = 0
        while try table.next() {
            let microseconds = try table.microseconds(time)
            while sample < times.count, times[sample] < microseconds { sample += 1 }
            guard sample < times.count, times[sample] == microseconds else {
                throw table.problem("its time is not in frames.csv")
            }
            let face = try table.integer(id, in: ReadLimits.ids)
            if leftOut.contains(face) { continue }
            guard faces.contains(face) else { throw table.problem("face_id \(face) is not in tracks.csv") }
            var row = try columns.numbers(in: table)
            let score = ((row[.confidence] ?? 0) + (row[.presence] ?? 0)) / 2
            let isNew = scores[face] == nil
            scores[face, default: (0, 0)].sum += score
            scores[face, default: (0, 0)].count += 1
            guard isNew || sample % stride == 0 else { continue }
            guard faceIDs.count < 2 * Self.maximumRows else {
                throw table.problem("is one of too many rows for a page")
            }
            if let map { row.move(by: map) }
            faceIDs.append(face)
            samplesOfRows.append(sample)
            for index in numbers.indices {
                numbers[index].codes.append(numbers[index].quantization.code(row[numbers[index].field]))
            }
        }
        certainty = scores.mapValues { $0.sum / Double($0.count) }

        // By face, then by time, so that neighbours are alike.
        let order = faceIDs.indices.sorted { (faceIDs[$0], $0) < (faceIDs[$1], $1) }
        for (row, index) in order.enumerated() {
            ranges[faceIDs[index]] = (ranges[faceIDs[index]]?.lowerBound ?? row)..<(row + 1)
        }
        append(samples.microseconds.map { UInt64(bitPattern: $0) }, "time")
        append(samples.frames.map { UInt32(truncatingIfNeeded: $0) }, "frame")
        append(order.map { UInt32(truncatingIfNeeded: samplesOfRows[$0]) }, "sample")
        for (field, quantization, codes) in numbers {
            if quantization.isByte {
                append(order.map { UInt8(truncatingIfNeeded: codes[$0]) }, field.name, quantization)
            } else {
                append(order.map { codes[$0] }, field.name, quantization)
            }
        }
    }

    var count: Int { ranges.values.reduce(0) { $0 + $1.count } }

    private static func numbers(
        of size: (width: Int, height: Int)
    ) -> [(field: FaceField, quantization: Quantization, codes: [UInt16])] {
        // Faces may lie partly outside the frame.
        let longer = Double(max(size.width, size.height))
        let step = max(positionStep, 3 * longer / 65_000)
        let positions = FaceField.box + points.flatMap { [FaceField.x($0), .y($0)] }
        return positions.map { ($0, Quantization(-longer...2 * longer, step: step), []) }
            + metrics.map { metric in
                // A tenth of a degree for angles; a byte is enough for scores.
                let extent = metric.range.upperBound - metric.range.lowerBound
                return (metric, Quantization(metric.range, step: metric.unit == "degrees" ? 0.1 : extent / 250), [])
            } + covers.map { ($0, Quantization($0.range, step: coverStep), []) }
    }

    /// Appends whole numbers as their differences, split into bytes, all lowest bytes first. Neighbouring samples differ
    /// little, so these compress well.
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
            let isNegative = difference >> (Value.bitWidth - 1) == 1
            return (difference << 1) ^ (isNegative ? Value.max : 0)
        }
        for byte in 0..<width { bytes += folded.map { UInt8(truncatingIfNeeded: $0 >> (8 * byte)) } }
    }

    /// In the zlib format (RFC 1950), which browsers decompress.
    func compressed() throws(VidscanError) -> [UInt8] {
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

    var json: JSONValue { .object(["low": .number(low), "step": .number(step), "largest": .integer(largest)]) }

    var isByte: Bool { largest <= Int(UInt8.max) }

    /// Clamps the number to the range.
    func code(_ value: Double?) -> UInt16 {
        guard let value, !value.isNaN else { return 0 }
        return UInt16(1 + min(max(((value - low) / step).rounded(), 0), Double(largest - 1)))
    }
}
