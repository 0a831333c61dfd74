/// Seconds that a worker spent in each step.
package struct StageTimes: Sendable, Codable {
    package var resample = 0.0
    package var detect = 0.0
    package var crop = 0.0
    package var mesh = 0.0
    package var measure = 0.0
    package var look = 0.0
    package var embed = 0.0

    package init() {}

    package mutating func measure<Result, Failure: Error>(
        _ part: WritableKeyPath<StageTimes, Double>, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = ContinuousClock()
        let begin = clock.now
        defer { self[keyPath: part] += begin.duration(to: clock.now) / .seconds(1) }
        return try work()
    }

    package mutating func add(_ other: StageTimes) {
        resample += other.resample
        detect += other.detect
        crop += other.crop
        mesh += other.mesh
        measure += other.measure
        look += other.look
        embed += other.embed
    }
}
