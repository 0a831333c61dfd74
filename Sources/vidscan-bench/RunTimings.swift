internal import Foundation

/// The timings and counts in the `run.json` of a result.
struct RunTimings {
    /// The seconds of the workers' threads per stage, by the name of the stage (`detect`, `resample`, …).
    let stageSeconds: [String: Double]
    let sampledFrames: Int
    let decodedFrames: Int

    private struct Record: Decodable {
        var timings: [String: Double]
        var counts: [String: Int]
    }

    init(resultFolder: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: resultFolder + "/run.json"))
        let record = try JSONDecoder().decode(Record.self, from: data)
        let suffix = "_seconds"
        stageSeconds = Dictionary(
            uniqueKeysWithValues: record.timings.compactMap { name, seconds in
                // The wall-clock time is measured from outside.
                guard name.hasSuffix(suffix), name != "wall_seconds" else { return nil }
                return (String(name.dropLast(suffix.count)), seconds)
            })
        sampledFrames = max(1, record.counts["sampled_frames"] ?? 1)
        decodedFrames = record.counts["decoded_frames"] ?? 0
    }
}
