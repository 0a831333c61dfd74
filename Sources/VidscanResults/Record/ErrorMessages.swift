package import VidscanBase
package import VidscanMedia

extension MediaError {
    package var message: String {
        switch remedy {
        case .raisePixelLimit?: "\(reason); --max-pixels raises the limit"
        case .raiseDurationLimit?: "\(reason); --max-duration raises the limit"
        case .permitFilters?: "\(reason); --allow-file-filters permits it"
        case .listFilters?: "\(reason); 'vidscan filters list' lists all filters"
        case .listOptions(let filter)?: "\(reason); 'vidscan filters show \(filter)' lists its options"
        case nil: reason
        }
    }
}

extension CancellationFlag {
    package func check() throws(VidscanError) { if isSet { throw VidscanError(.interrupted, "interrupted") } }
}

extension VidscanError {
    /// A file that cannot be used.
    package static func result(_ reason: String, input: String? = nil) -> VidscanError {
        VidscanError(.result, reason, input: input, stage: .open)
    }

    /// Runs a part of reading a result, and throws `result` with its error.
    package static func reading<Value>(
        _ action: String, input: String? = nil, _ work: @autoclosure () throws(SystemError) -> Value
    ) throws(VidscanError) -> Value {
        do throws(SystemError) { return try work() } catch { throw .result("\(action): \(error)", input: input) }
    }

    /// Runs work that reads or writes media, and adds the stage to its errors.
    package static func media<Value>(
        stage: VidscanError.Stage, _ work: () throws(MediaError) -> Value
    ) throws(VidscanError) -> Value {
        do { return try work() } catch {
            throw VidscanError(
                error.code == .cancelled ? .interrupted : .media(error.code), error.message, stage: stage)
        }
    }
}
