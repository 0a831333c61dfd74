internal import Foundation
package import VidscanBase
package import VidscanFaces

/// The settings of a run in `run.json`: all as JSON, and those that later steps need as the types that wrote them.
package struct RecordedSettings: Codable, Sendable {
    package struct Sample: Decodable, Sendable {
        package let rate: SampleGrid.Rate
        package let start, end: Double?
    }

    package struct Detect: Decodable, Sendable {
        package let accuracy: DetectorAccuracy
        package let faces: FaceSize
        package let minFace, minConfidence: Double
        package let stride: Int?
    }

    package struct Track: Decodable, Sendable {
        package let maxFaces: Int?
        package let minTrack: Int
        package let smoothing: Bool
        /// Whether face embeddings recognised people; missing in early versions.
        package let person: Bool?
    }

    package struct Write: Decodable, Sendable {
        /// Whether the tables stayed in the result; `nil` if the settings did not say.
        package let tables: Bool?
    }

    package struct Render: Decodable, Sendable {
        /// The method of hiding faces. Readers only need to know whether there is one.
        package let anonymize: String?
        private let keep, hide, keepFaces, hideFaces: JSONValue?

        /// Whether somebody was chosen to stay visible, or to be hidden.
        package var namesSomebody: Bool { [keep, hide, keepFaces, hideFaces].contains { $0 != nil } }
    }

    package let sample: Sample
    package let detect: Detect
    package let track: Track
    package let write: Write?
    package let render: Render?
    /// Whether it was found out who speaks; missing in early versions.
    package let speech: Bool?
    /// All settings that affect the results, structured like a pipeline file: `--pipeline run.json` repeats the run.
    package let all: JSONValue

    private enum CodingKeys: CodingKey { case sample, detect, track, write, render, speech }

    package init(from decoder: any Decoder) throws {
        let sections = try decoder.container(keyedBy: CodingKeys.self)
        sample = try sections.decode(Sample.self, forKey: .sample)
        detect = try sections.decode(Detect.self, forKey: .detect)
        track = try sections.decode(Track.self, forKey: .track)
        write = try sections.decodeIfPresent(Write.self, forKey: .write)
        render = try sections.decodeIfPresent(Render.self, forKey: .render)
        speech = try sections.decodeIfPresent(Bool.self, forKey: .speech)
        all = try JSONValue(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }

    /// Throws if a later step could not read the settings.
    package init(_ all: JSONValue) throws(VidscanError) {
        do { self = try RecordFile.decoder.decode(Self.self, from: JSONEncoder().encode(all)) } catch {
            throw VidscanError(.output, "cannot write run.json: \(RecordFile.reason(error))", stage: .write)
        }
    }
}
