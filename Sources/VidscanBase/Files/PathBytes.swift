/// A path or a name for comparison, as the kernel compares it: byte by byte.
///
/// Swift compares strings as text, so that the two spellings of `é`, one character or a letter and an accent, are equal.
/// They are the names of two files.
public struct PathBytes: Hashable, Comparable, Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    public static func == (one: Self, other: Self) -> Bool { one.path.utf8.elementsEqual(other.path.utf8) }

    public static func < (one: Self, other: Self) -> Bool {
        one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
