internal import Dispatch
internal import Glibc

/// A file or folder that one run writes, or has set aside, under a hidden name beside the final one:
/// `.NAME.partial-MACHINE-RANDOM`.
///
/// The run owns it by a lock on the file or folder itself, which the kernel releases when the run ends, however it ends.
/// A process id would prove nothing: another container or host has the same ones. Where a file system has no locks, and
/// for runs on other hosts, whose locks it may not show, the time of the last change is a lease that the owner renews.
package final class WorkingItem: Sendable {
    package enum Purpose: String, Sendable {
        /// Becomes the file or folder with the final name.
        case partial
        /// Had the final name.
        case old
    }

    /// How long after its last renewal a lease is valid.
    package static let leaseSeconds = 900

    private let folder: Folder
    package let name: String
    /// Open for the file or folder, and holding the lock on it.
    package let descriptor: Int32
    nonisolated(unsafe) private let renewal: any DispatchSourceTimer  // Dispatch sources may be used on any thread.

    /// Takes possession of a new file or folder.
    ///
    /// - Returns: `nil` if another run holds it, or has removed it already.
    private init?(_ name: String, in folder: Folder, descriptor: Int32, locks: Locks) {
        self.folder = folder
        self.name = name
        self.descriptor = descriptor
        let isHeldElsewhere = locks.lock(descriptor) == .held
        renewal = DispatchSource.makeTimerSource(queue: .global())
        renewal.schedule(deadline: .now() + .seconds(60), repeating: .seconds(60), leeway: .seconds(10))
        renewal.setEventHandler { futimens(descriptor, nil) }
        // No renewal can be running then.
        renewal.setCancelHandler { close(descriptor) }
        renewal.resume()
        if isHeldElsewhere || !isInPlace { return nil }
    }

    deinit { renewal.cancel() }

    /// Removes the file or folder, unless its name stands for something else by now.
    package func remove() { if isInPlace { try? folder.remove(name) } }

    /// Gives up the lock of what has its final name now.
    package func release() {
        flock(descriptor, LOCK_UN)
        renewal.cancel()
    }

    /// A path that leads to the file or folder even if its name changes.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    /// Whether the name still stands for this file or folder.
    package var isInPlace: Bool { folder.leads(name, to: descriptor) }

    /// Creates a file, which only its name in `folder` tells from the finished one.
    package static func file(
        for finalName: String, in folder: Folder, locks: Locks = .system
    ) throws(SystemError) -> WorkingItem {
        try make(finalName, in: folder, locks) { name throws(SystemError) in try folder.createFile(name) }
    }

    /// Creates a folder.
    ///
    /// - Parameter isPrivate: Whether only the user may read it.
    package static func folder(
        for finalName: String, in folder: Folder, isPrivate: Bool = false, locks: Locks = .system
    ) throws(SystemError) -> WorkingItem {
        try make(finalName, in: folder, locks) { name throws(SystemError) in
            try folder.createFolder(name, isPrivate: isPrivate)
        }
    }

    private static func make(
        _ finalName: String, in folder: Folder, _ locks: Locks,
        create: (String) throws(SystemError) -> Int32
    ) throws(SystemError) -> WorkingItem {
        removeLeftovers(in: folder, locks: locks)
        var reason = SystemError(EBUSY)
        for _ in 0..<16 {
            let name = WorkingName(finalName, .partial).text
            // Another run that removes leftovers can take a new folder for one until it is locked.
            do {
                let descriptor = try create(name)
                if let item = WorkingItem(name, in: folder, descriptor: descriptor, locks: locks) { return item }
            } catch {
                guard error.number == ENOENT else { throw error }
                reason = error
            }
        }
        throw reason
    }

    /// Removes what runs that have ended left unfinished in a folder. A folder that cannot be read or changed is left as it
    /// is.
    ///
    /// - Parameter now: In seconds since 1970.
    package static func removeLeftovers(in folder: Folder, locks: Locks = .system, now: Int = time(nil)) {
        for name in (try? folder.names()) ?? [] {
            guard let working = WorkingName(name), working.purpose == .partial else { continue }
            whileAbandoned(working, in: folder, locks: locks, now: now) { try? folder.remove(working.text) }
        }
    }

    /// Calls a closure if no run holds a file or folder, and keeps others from taking it meanwhile.
    package static func whileAbandoned(
        _ working: WorkingName, in folder: Folder, locks: Locks = .system, now: Int = time(nil), _ body: () -> Void
    ) {
        guard let descriptor = folder.examine(working.text) else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT),
            status.st_uid == geteuid() || geteuid() == 0
        else { return }
        let lock = locks.lock(descriptor)
        let isOurs = working.machine == WorkingName.thisMachine && working.machine != nil
        let age = now - max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
        guard lock != .held, lock == .taken && isOurs || age > leaseSeconds, folder.leads(working.text, to: descriptor)
        else { return }
        body()
    }

    /// The locks of the file system. Tests replace them with those of a file system that has none.
    package struct Locks: Sendable {
        package enum Outcome: Sendable {
            /// This process has the lock until the descriptor is closed.
            case taken
            /// Another descriptor has it.
            case held
            /// The file system has no locks.
            case unavailable
        }

        package var lock: @Sendable (Int32) -> Outcome

        package init(lock: @escaping @Sendable (Int32) -> Outcome) { self.lock = lock }

        package static let system = Locks { descriptor in
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return .taken }
            return errno == EWOULDBLOCK ? .held : .unavailable
        }
    }
}

/// The hidden name of a `WorkingItem`: `.NAME.partial-MACHINE-RANDOM`, with eight digits for the machine since its start, and
/// sixteen random ones.
package struct WorkingName: Sendable {
    package let text: String
    package let purpose: WorkingItem.Purpose
    /// What comes before the digits.
    private let prefix: String
    /// `nil` if the machine could not tell.
    let machine: String?

    /// Makes a new name.
    package init(_ finalName: String, _ purpose: WorkingItem.Purpose) {
        self.purpose = purpose
        machine = Self.thisMachine
        prefix = Self.prefix(finalName, purpose)
        text =
            prefix + (machine ?? Self.unknownMachine) + "-"
            + Self.hexadecimal(UInt64.random(in: .min ... .max), digits: 16)
    }

    /// Reads a name; `nil` if it is not one of these.
    package init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "."), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let digits = text.utf8.suffix(25)
        guard digits.count == 25, String(digits)?.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{16}/) != nil,
            let prefix = String(text.utf8.dropLast(25)),
            let purpose = [WorkingItem.Purpose.partial, .old].first(where: { prefix.hasSuffix(".\($0.rawValue)-") })
        else { return nil }
        self.text = text
        self.prefix = prefix
        self.purpose = purpose
        let machine = String(text.utf8.dropLast(17).suffix(8))
        self.machine = machine == Self.unknownMachine ? nil : machine
    }

    /// Whether this is a name for a file or folder with this final name.
    package func isFor(_ finalName: String) -> Bool { prefix.utf8.elementsEqual(Self.prefix(finalName, purpose).utf8) }

    /// A long final name is cut and gets a digest, because a name has at most 255 bytes.
    private static func prefix(_ finalName: String, _ purpose: WorkingItem.Purpose) -> String {
        var name = finalName
        if name.utf8.count > 180 {
            while name.utf8.count > 160 { name.removeLast() }
            name += "-" + hexadecimal(FNV.hash(finalName.utf8), digits: 16)
        }
        return ".\(name).\(purpose.rawValue)-"
    }

    private static let unknownMachine = "00000000"

    /// The running system: its containers share it, and it changes when the machine starts again.
    static let thisMachine: String? = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var identity = [UInt8](repeating: 0, count: 36)
        guard read(file, &identity, identity.count) == identity.count else { return nil }
        return hexadecimal(FNV.hash(identity) & 0xFFFF_FFFF, digits: 8)
    }()

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}

/// FNV-1a, 64 bit (Fowler, Noll and Vo).
package enum FNV {
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
