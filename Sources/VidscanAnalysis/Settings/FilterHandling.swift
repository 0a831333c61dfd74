/// How to treat the filters in a file.
public enum FilterHandling: Sendable {
    /// Check them, because they will run. Only the command line can allow them to access files, the network or devices.
    case run(allowsFiles: Bool)
    /// Keep them as text that never reaches libavfilter, because nothing runs them: the file is the record of a run, or
    /// only its other settings are used.
    case keep
}
