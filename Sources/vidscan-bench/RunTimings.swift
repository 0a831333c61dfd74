internal import VidscanResults

/// The timings and counts in the `run.json` of a result.
struct RunTimings {
    /// The seconds of the workers' threads per stage, by the name of the stage (`detect`, `resample`, …).
    let stageSeconds: [String: Double]
    let sampledFrames: Int
    let decodedFrames: Int
    let faces: Int
    let hardCuts: Int

    init(resultFolder: String) throws {
        let record = try RecordFile.decode(RunRecord.self, folder: resultFolder, name: "run.json")
        let timings = record.timings
        // The wall-clock time is measured from outside.
        stageSeconds = [
            "resample": timings.resampleSeconds, "detect": timings.detectSeconds, "crop": timings.cropSeconds,
            "mesh": timings.meshSeconds, "measure": timings.measureSeconds, "look": timings.lookSeconds,
            "embed": timings.embedSeconds ?? 0,
            "follow": timings.followSeconds, "table": timings.tableSeconds,
        ]
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
