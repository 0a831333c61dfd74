/// A file that a batch is to analyse, and the path of its result.
public struct BatchInput: Sendable, Hashable {
    /// Absolute path of the file.
    public var path: String
    /// Path of its result, relative to the batch's folder: `interviews/a.mp4.vidscan`. Two inputs may have the same path
    /// until they are registered in the journal, which then gives one of them another.
    public var resultPath: String
    public var identity: FileIdentity
    /// When the file system last recorded a change of the content or attributes (`st_ctime`), in nanoseconds since 1970.
    /// Unlike the modification time, a user cannot set it. `nil` if it is not known.
    public var changed: Int64?
    /// Whether the user or a list named the file, so that it was not only found in a folder. Such a file must be a video.
    public var isNamed: Bool

    public init(path: String, resultPath: String, identity: FileIdentity, changed: Int64? = nil, isNamed: Bool) {
        self.path = path
        self.resultPath = resultPath
        self.identity = identity
        self.changed = changed
        self.isNamed = isNamed
    }
}

/// The size and modification time of a file, which change when the file is edited.
public struct FileIdentity: Sendable, Hashable {
    public var bytes: Int64
    /// Nanoseconds since 1970.
    public var modified: Int64

    public init(bytes: Int64, modified: Int64) {
        self.bytes = bytes
        self.modified = modified
    }
}
