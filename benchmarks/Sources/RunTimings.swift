internal import Foundation

/// The timings and counts in the `run.json` of a result.
struct RunTimings {
    /// What the benchmark reads of `run.json`.
    private struct Record: Decodable {
        struct Counts: Decodable {
            let sampledFrames: Int
            let decodedFrames: Int
            let faces: Int
            let hardCuts: Int
        }

        let counts: Counts
        let timings: [String: Double]
    }

    /// The seconds of the workers' threads per stage, by the name of the stage (`detect`, `resample`, …).
    let stageSeconds: [String: Double]
    let sampledFrames: Int
    let decodedFrames: Int
    let faces: Int
    let hardCuts: Int

    init(resultFolder: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: resultFolder + "/run.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let record = try decoder.decode(Record.self, from: data)
        // The wall-clock time is measured from outside.
        stageSeconds = Dictionary(
            uniqueKeysWithValues: record.timings.compactMap { key, seconds in
                // The decoder leaves the keys of dictionaries as they are.
                key.hasSuffix("_seconds") && key != "wall_seconds"
                    ? (String(key.dropLast("_seconds".count)), seconds) : nil
            })
        sampledFrames = max(1, record.counts.sampledFrames)
        decodedFrames = record.counts.decodedFrames
        faces = record.counts.faces
        hardCuts = record.counts.hardCuts
    }

    /// Returns the time of some stages per sampled frame.
    func milliseconds(of stages: [String]) -> Double {
        stages.reduce(0) { $0 + (stageSeconds[$1] ?? 0) } * 1000 / Double(sampledFrames)
    }
}
