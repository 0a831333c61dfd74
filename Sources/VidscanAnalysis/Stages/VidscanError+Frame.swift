internal import VidscanBase
internal import VidscanMedia

extension VidscanError {
    /// Does work on a frame and adds the frame's time to its errors.
    static func locating<Value>(_ frame: SampledFrame, _ work: () throws -> Value) throws(VidscanError) -> Value {
        do {
            return try work()
        } catch {
            let cause = Analysis.describe(error)
            throw VidscanError(
                cause.code, cause.reason, stage: cause.stage ?? .analyze,
                microseconds: cause.microseconds ?? frame.microseconds)
        }
    }
}
