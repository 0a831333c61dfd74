/// What becomes of the filters that a file names.
public enum FilterHandling: Sendable {
    /// They are checked, because they will run. Only the command line can permit them to reach files, the network or devices.
    case run(allowsFiles: Bool)
    /// They stay text, because nothing runs them: the file records what was done, or another part of it is used.
    /// libavfilter is given nothing of them.
    case keep
}
