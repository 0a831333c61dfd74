internal import Foundation

/// What a result's `run.json` says about where its time went.
struct RunTimings {
    /// `detect`, `resample`, …: seconds of the workers' threads, by name.
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
                // The wall clock is measured from outside.
                guard name.hasSuffix(suffix), name != "wall_seconds" else { return nil }
                return (String(name.dropLast(suffix.count)), seconds)
            })
        sampledFrames = max(1, record.counts["sampled_frames"] ?? 1)
        decodedFrames = record.counts["decoded_frames"] ?? 0
    }
}
