/// A file that a batch is to do, and where its result goes.
public struct BatchInput: Sendable, Hashable {
    /// Absolute path of the file.
    public var path: String
    /// Where its result goes, relative to the batch's folder: `interviews/a.mp4.vidscan`. As long as the journal has
    /// not seen it, where it would like to go: two inputs may ask for one place.
    public var place: String
    public var identity: FileIdentity
    /// When its content or attributes last changed by the file system's own account (`st_ctime`), in nanoseconds since
    /// 1970; unlike the other date it cannot be set. `nil` where it is not known.
    public var changed: Int64?
    /// Named by the user, or by a list; not only found in a folder. What was named must be a video.
    public var isNamed: Bool

    public init(path: String, place: String, identity: FileIdentity, changed: Int64? = nil, isNamed: Bool) {
        self.path = path
        self.place = place
        self.identity = identity
        self.changed = changed
        self.isNamed = isNamed
    }
}

/// What tells that a file is still the one that was analysed.
public struct FileIdentity: Sendable, Hashable {
    public var bytes: Int64
    /// Nanoseconds since 1970.
    public var modified: Int64

    public init(bytes: Int64, modified: Int64) {
        self.bytes = bytes
        self.modified = modified
    }
}
