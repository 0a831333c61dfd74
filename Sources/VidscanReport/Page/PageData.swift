internal import Foundation
internal import VidscanBase

/// What a page's script reads, apart from the packed rows.
struct PageData: Encodable {
    struct Video: Encodable {
        /// Corrections recognise the video by its name and its size in bytes.
        var name: String
        var bytes: Int64
        /// Pixels of the upright frame, for all positions.
        var width: Int
        var height: Int
        /// For a browser that cannot play the video; `nil` without one.
        var advice: String?
    }

    struct Metric: Encodable {
        var name: String
        var unit: String
        var meaning: String
        var low: Double
        var high: Double
        /// Whether nothing proves that it measures what its name says.
        var isExperimental: Bool
    }

    struct Track: Encodable {
        var id: Int
        var person: Int?
        var personConfidence: Double?
        /// The mean score of the detector and the mesh, 0…1.
        var certainty: Double
        var row: Int
        var rows: Int
        var best: Double
        /// The likely emotion on average, with its mean: `joy 62`.
        var mood: String?
        /// By the metric's index.
        var rest: [String: Double]
    }

    struct Events: Encodable {
        var kinds: [String] = []
        var time: [Double] = []
        /// Indices in `kinds`.
        var kind: [Int] = []
        var face: [Int?] = []
        var value: [String] = []
        /// The measured fraction, in per cent.
        var measured: [Int?] = []
        /// The page may have only the first ones.
        var count = 0
    }

    struct Cut: Encodable {
        var time: Double
        var isGradual: Bool
    }

    var video: Video
    /// The timeline, in seconds.
    var start: Double
    var end: Double
    /// Between samples, on average, in seconds.
    var interval: Double
    var stride: Int
    var samples: Int
    var rows: Int
    var columns: [PageRows.Column]
    var metrics: [Metric]
    var tracks: [Track]
    /// `data:` URLs, by face_id.
    var pictures: [String: String]
    var events: Events
    var cuts: [Cut]
    /// The tables contain these already.
    var corrections: [JSONValue]
    /// Pseudonyms, by person_id.
    var names: [String: String]
    /// Left-out times, in seconds.
    var excluded: [[Double]]

    func json() throws(VidscanError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let text = Printable.json(String(decoding: try encoder.encode(self), as: UTF8.self))
            // The text must not contain a tag that ends the script element.
            return text.replacing("<", with: "\\u003c")
        } catch { throw VidscanError(.result, "has a number that no page can show: \(error)", stage: .render) }
    }
}
