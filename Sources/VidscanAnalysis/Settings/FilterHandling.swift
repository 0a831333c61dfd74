/// What happens to the filters in a file.
public enum FilterHandling: Sendable {
    /// They are checked, because they will run. Only the command line can allow them to access files, the network or devices.
    case run(allowsFiles: Bool)
    /// They stay text and never reach libavfilter, because nothing runs them: the file is the record of a run, or only other
    /// settings of it are used.
    case keep
}
