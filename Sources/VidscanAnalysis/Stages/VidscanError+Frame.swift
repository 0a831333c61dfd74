internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

extension VidscanError {
    /// Does work on a frame and adds the frame's time to its errors.
    static func locating<Value>(_ frame: SampledFrame, _ work: () throws -> Value) throws(VidscanError) -> Value {
        do {
            return try work()
        } catch let error as MediaError {
            throw VidscanError(
                .media(error.code), error.message, stage: .analyze, microseconds: frame.microseconds)
        } catch {
            throw VidscanError(.inference, "\(error)", stage: .analyze, microseconds: frame.microseconds)
        }
    }
}
