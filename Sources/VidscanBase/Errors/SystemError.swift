internal import Glibc

/// The reason why a system call failed: an error number with the system's text for it.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// The error of the latest call on this thread.
    package static var current: SystemError { SystemError(errno) }

    /// Whether the disk or the user's quota is full.
    package var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }

    /// For example `No space left on device`.
    package var description: String { String(cString: strerror(number)) }
}
