internal import Foundation
internal import VidscanBase

/// What the script of a page with the video reads, apart from the rows of the faces.
struct ReviewData: Encodable {
    /// The video as the page shows it.
    struct Video: Encodable {
        /// The address relative to the page.
        var address: String
        var isPicture: Bool
        /// The name and the size in bytes of the analysed video, by which corrections recognise it.
        var name: String
        var bytes: Int64
        /// The size of the upright frame in pixels, in which positions are given.
        var width: Int
        var height: Int
        /// What to do if the browser cannot play it.
        var advice: String
    }

    struct Metric: Encodable {
        var name: String
        var unit: String
        var meaning: String
        var low: Double
        var high: Double
        /// Whether it has not been shown to measure what its name says.
        var isExperimental: Bool
    }

    struct Track: Encodable {
        var id: Int
        var person: Int?
        var personConfidence: Double?
        /// The mean score of the detector and the mesh, 0…1.
        var certainty: Double
        /// The first row and the number of rows.
        var row: Int
        var rows: Int
        var best: Double
        /// The resting level of each metric that has one, by the position of the metric.
        var rest: [String: Double]
    }

    /// The events as columns.
    struct Events: Encodable {
        var kinds: [String] = []
        var time: [Double] = []
        /// Positions in `kinds`.
        var kind: [Int] = []
        var face: [Int?] = []
        var value: [String] = []
        /// The share that was measured, in per cent.
        var measured: [Int?] = []
        /// How many there are, of which the page may have only the first.
        var count = 0
    }

    struct Cut: Encodable {
        var time: Double
        var isGradual: Bool
    }

    var video: Video
    /// The range of the timeline in seconds.
    var start: Double
    var end: Double
    /// The mean time between samples, in seconds.
    var interval: Double
    var stride: Int
    var samples: Int
    var rows: Int
    var columns: [ReviewRows.Column]
    var metrics: [Metric]
    var tracks: [Track]
    /// Pictures of faces as `data:` URLs, by face_id.
    var pictures: [String: String]
    var events: Events
    var cuts: [Cut]
    /// The corrections that the tables contain already.
    var corrections: [JSONValue]
    /// The pseudonyms, by person_id.
    var names: [String: String]
    /// The ranges of time that are left out, in seconds.
    var excluded: [[Double]]

    /// Returns the data as JSON that can be embedded in a script element.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = Printable.json(String(decoding: try encoder.encode(self), as: UTF8.self))
        // The text must not contain a tag that ends the script element.
        return text.replacing("<", with: "\\u003c")
    }
}
