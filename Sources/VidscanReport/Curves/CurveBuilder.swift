internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Collects the time series of a report from `faces.csv`. Each series consists of means over the cells of a time grid.
/// The grid is as fine as the sampling, unless the page would become too large.
struct CurveBuilder {
    /// The maximum number of values on a page, over all faces and metrics.
    private static let maximumValues = 800_000
    /// The number of colours in the page's palette.
    static let colors = 8

    private struct Sums {
        var first: Int
        var sums: [[Float]]
        var counts: [[UInt16]]
    }

    let faces: [ReportedFace]
    let events: [ReportedEvent]
    /// The times of the first and the last sample, in seconds.
    let range: ClosedRange<Double>
    /// The mean time between samples, in seconds.
    let interval: Double

    static let measures: [FaceField] = TrackTable.measures.filter { $0.range != 0...1 }

    /// Reads the series of all faces from the result folder.
    func build(_ folder: String) throws(VidscanError) -> ReportCurves {
        let span = max(range.upperBound - range.lowerBound, interval)
        let seen = faces.reduce(0) { $0 + max($1.lastSeconds - $1.firstSeconds, interval) }
        let finest = seen * Double(Self.measures.count) / Double(Self.maximumValues)
        let step = max(interval, finest, 1e-3)
        var sums = Dictionary(
            uniqueKeysWithValues: faces.map { face in
                let first = cell(face.firstSeconds, step)
                let count = cell(face.lastSeconds, step) - first + 1
                return (
                    face.id,
                    Sums(
                        first: first,
                        sums: Array(repeating: Array(repeating: 0, count: count), count: Self.measures.count),
                        counts: Array(repeating: Array(repeating: 0, count: count), count: Self.measures.count))
                )
            })
        try read(folder, step: step, into: &sums)
        let eventsOfFaces = Dictionary(grouping: events, by: \.faceID)
        return ReportCurves(
            start: range.lowerBound, end: range.lowerBound + span, step: step,
            metrics: Self.measures.map { measure in
                ReportCurves.Metric(
                    name: measure.name, unit: measure.unit, meaning: measure.meaning,
                    range: measure.range)
            },
            cuts: events.filter { $0.kind == "shot_cut" }.map {
                ReportCurves.Cut(time: $0.seconds, isGradual: $0.value == "gradual")
            },
            faces: faces.enumerated().map { index, face in
                curve(face, color: index % Self.colors, sums[face.id], eventsOfFaces[face.id] ?? [])
            })
    }

    private func cell(_ seconds: Double, _ step: Double) -> Int {
        max(0, Int(((seconds - range.lowerBound) / step).rounded()))
    }

    private func read(_ folder: String, step: Double, into sums: inout [Int: Sums]) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "faces.csv")
        let (time, id) = (try table.column("time"), try table.column("face_id"))
        var columns: [Int] = []
        for measure in Self.measures { columns.append(try table.column(measure.name)) }
        while try table.next() {
            let seconds = try table.number(time, in: ReadLimits.seconds)
            let face = try table.integer(id, in: ReadLimits.ids)
            for (measure, column) in columns.enumerated() {
                guard let value = try table.optionalNumber(column, in: Self.measures[measure].range),
                    let first = sums[face]?.first
                else { continue }
                let cell = cell(seconds, step) - first
                guard let count = sums[face]?.counts[measure].count, (0..<count).contains(cell) else { continue }
                sums[face]?.sums[measure][cell] += Float(value)
                sums[face]?.counts[measure][cell] &+= 1
            }
        }
    }

    private func curve(
        _ face: ReportedFace, color: Int, _ sums: Sums?, _ own: [ReportedEvent]
    ) -> ReportCurves.Face {
        var spans: [ClosedRange<Double>] = []
        var begin: Double?
        for event in own {
            if event.kind == "face_started" { begin = event.seconds }
            if event.kind == "face_stopped", let from = begin {
                spans.append(from...max(from, event.seconds + interval))
                begin = nil
            }
        }
        var curve = ReportCurves.Face(
            id: face.id, color: color, spans: spans, firstCell: sums?.first ?? 0,
            series: sums.map { sums in
                zip(sums.sums, sums.counts).map { values, counts in
                    zip(values, counts).map { $1 > 0 ? Double($0) / Double($1) : nil }
                }
            } ?? [])
        let told: Set = ["blink", "eyes_closed", "smile_started", "look_away"]
        curve.marks = own.filter { told.contains($0.kind) }.map { ($0.seconds, $0.kind) }
        return curve
    }
}
