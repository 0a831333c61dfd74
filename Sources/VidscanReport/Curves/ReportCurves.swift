internal import Foundation
internal import VidscanBase

/// The time series that a report draws: for each face and metric, one value per cell of a common time grid.
public struct ReportCurves: Sendable {
    /// A metric and its range of values.
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

    /// A cut between shots.
    public struct Cut: Sendable, Encodable {
        /// The time in seconds.
        public var time: Double
        public var gradual: Bool

        public init(time: Double, isGradual: Bool) {
            self.time = time
            gradual = isGradual
        }
    }

    /// The curves of one face.
    public struct Face: Sendable {
        public var id: Int
        /// The index of the colour in the palette, from 0.
        public var color: Int
        /// When the face is visible, in seconds.
        public var spans: [ClosedRange<Double>]
        /// The events of the face: time in seconds and kind.
        public var marks: [(seconds: Double, kind: String)] = []
        /// The index of the first grid cell of the series.
        public var firstCell: Int
        /// The means of the samples in each cell, starting at `firstCell`, for each metric in order; `nil` for a cell
        /// without samples.
        public var series: [[Double?]]

        public init(id: Int, color: Int, spans: [ClosedRange<Double>], firstCell: Int, series: [[Double?]]) {
            self.id = id
            self.color = color
            self.spans = spans
            self.firstCell = firstCell
            self.series = series
        }
    }

    /// The range of the grid in seconds.
    public var start: Double
    public var end: Double
    /// The width of a grid cell in seconds.
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

    /// Returns the data as JSON for the page's script. The text can be embedded in a script element.
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
        // The text must not contain a tag that ends the script element.
        return text.replacingOccurrences(of: "<", with: "\\u003c")
    }

    private struct Data: Encodable {
        struct Metric: Encodable {
            var name, unit, meaning: String
            var range: [Double]
        }
        struct Face: Encodable {
            var id, color: Int
            var spans: [[Double]]
            var marks: [Mark]
            var first: Int
            var series: [Series?]
        }
        struct Mark: Encodable {
            var seconds: Double
            var kind: String

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(seconds)
                try container.encode(kind)
            }
        }
        var start, end, step: Double
        var metrics: [Metric]
        var cuts: [Cut]
        var faces: [Face]
    }

    /// Encodes values with one decimal.
    private struct Series: Encodable {
        var values: [Double?]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for value in values {
                guard let value else {
                    try container.encodeNil()
                    continue
                }
                let tenths = (value * 10).rounded()
                // Whole numbers are shorter without a fraction.
                if tenths.truncatingRemainder(dividingBy: 10) == 0 {
                    try container.encode(Int(tenths / 10))
                } else {
                    try container.encode(tenths / 10)
                }
            }
        }
    }
}
