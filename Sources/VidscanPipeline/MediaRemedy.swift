public import VidscanMedia

extension MediaError {
    /// The reason, and what to do about it on the command line.
    public var message: String {
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
