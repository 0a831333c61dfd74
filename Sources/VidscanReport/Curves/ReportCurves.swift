internal import Foundation
internal import VidscanBase

/// The time series that a report draws: for each face and metric a value per cell of a common grid in time.
public struct ReportCurves: Sendable {
    public struct Metric: Sendable {
        public var name: String
        public var unit: String
        public var meaning: String
        public var range: ClosedRange<Double>

        public init(name: String, unit: String, meaning: String, range: ClosedRange<Double>) {
            self.name = name
            self.unit = unit
            self.meaning = meaning
            self.range = range
        }
    }

    public struct Cut: Sendable, Encodable {
        /// Seconds.
        public var time: Double
        public var gradual: Bool

        public init(time: Double, isGradual: Bool) {
            self.time = time
            gradual = isGradual
        }
    }

    public struct Face: Sendable {
        public var id: Int
        /// Of the palette, from 0.
        public var color: Int
        /// When it is seen, in seconds.
        public var spans: [ClosedRange<Double>]
        /// What happens to it: seconds and kind.
        public var marks: [(seconds: Double, kind: String)] = []
        /// The first cell of its series.
        public var firstCell: Int
        /// Means of the samples in each cell, from `firstCell` on, in the order of the metrics; `nil` where there is none.
        public var series: [[Double?]]

        public init(id: Int, color: Int, spans: [ClosedRange<Double>], firstCell: Int, series: [[Double?]]) {
            self.id = id
            self.color = color
            self.spans = spans
            self.firstCell = firstCell
            self.series = series
        }
    }

    /// Seconds.
    public var start: Double
    public var end: Double
    /// Of the grid, in seconds.
    public var step: Double
    public var metrics: [Metric]
    public var cuts: [Cut]
    public var faces: [Face]

    public init(
        start: Double, end: Double, step: Double, metrics: [Metric], cuts: [Cut] = [], faces: [Face] = []
    ) {
        self.start = start
        self.end = end
        self.step = step
        self.metrics = metrics
        self.cuts = cuts
        self.faces = faces
    }

    /// As the page's script reads it; safe inside a script element.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = Data(
            start: start, end: end, step: step,
            metrics: metrics.map {
                .init(
                    name: $0.name, unit: $0.unit, meaning: $0.meaning,
                    range: [$0.range.lowerBound, $0.range.upperBound])
            }, cuts: cuts,
            faces: faces.map { face in
                .init(
                    id: face.id, color: face.color, spans: face.spans.map { [$0.lowerBound, $0.upperBound] },
                    marks: face.marks.map { .init(seconds: $0.seconds, kind: $0.kind) }, first: face.firstCell,
                    series: face.series.map { $0.contains { $0 != nil } ? Series(values: $0) : nil })
            })
        let text = Printable.json(String(decoding: try encoder.encode(data), as: UTF8.self))
        // Nothing in it may end the script element.
        return text.replacingOccurrences(of: "<", with: "\\u003c")
    }

    private struct Data: Encodable {
        package struct Metric: Encodable {
            package var name, unit, meaning: String
            package var range: [Double]
        }
        struct Face: Encodable {
            package var id, color: Int
            package var spans: [[Double]]
            package var marks: [Mark]
            package var first: Int
            package var series: [Series?]
        }
        package struct Mark: Encodable {
            package var seconds: Double
            package var kind: String

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(seconds)
                try container.encode(kind)
            }
        }
        package var start, end, step: Double
        package var metrics: [Metric]
        package var cuts: [Cut]
        package var faces: [Face]
    }

    /// Numbers with one decimal.
    private struct Series: Encodable {
        package var values: [Double?]

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for value in values {
                guard let value else {
                    try container.encodeNil()
                    continue
                }
                let tenths = (value * 10).rounded()
                // Whole numbers are shorter.
                if tenths.truncatingRemainder(dividingBy: 10) == 0 {
                    try container.encode(Int(tenths / 10))
                } else {
                    try container.encode(tenths / 10)
                }
            }
        }
    }
}
