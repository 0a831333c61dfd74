internal import Dispatch
internal import Glibc

/// A file or folder that one run writes, or has set aside, under a hidden name beside the final one.
///
/// The run holds a lock on it, which the kernel releases however the run ends. A process id would prove nothing:
/// another container or host has the same ones. Where a file system has no locks, and for runs on other hosts, whose
/// locks it may not show, the time of the last change is a lease that the owner renews.
package final class WorkingItem: Sendable {
    package enum Purpose: String, Sendable {
        /// Will get the final name.
        case partial
        /// Had the final name.
        case old
    }

    /// A lease is valid for this long after its last renewal.
    package static let leaseSeconds = 900

    private let folder: Folder
    package let name: String
    package let descriptor: Int32
    nonisolated(unsafe) private let renewal: any DispatchSourceTimer  // Dispatch sources may be used on any thread.

    /// Returns `nil` if another run holds the item or has already removed it.
    private init?(_ name: String, in folder: Folder, descriptor: Int32) {
        (self.folder, self.name, self.descriptor) = (folder, name, descriptor)
        let isHeldElsewhere = Self.lock(descriptor) == .held
        renewal = DispatchSource.makeTimerSource(queue: .global())
        renewal.schedule(deadline: .now() + .seconds(60), repeating: .seconds(60), leeway: .seconds(10))
        // UTIME_NOW and UTIME_OMIT: the file may already have the modification time that it is to keep.
        let times = [timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)]
        renewal.setEventHandler { futimens(descriptor, times) }
        // No renewal can be running when this handler runs.
        renewal.setCancelHandler { close(descriptor) }
        renewal.resume()
        if isHeldElsewhere || !isInPlace { return nil }
    }

    deinit { renewal.cancel() }

    /// Leaves the item if its name leads to something else by now.
    package func remove() { if isInPlace { try? folder.remove(name) } }

    /// Call it once the item has its final name.
    package func release() {
        flock(descriptor, LOCK_UN)
        renewal.cancel()
    }

    /// Leads to the item even if its name changes.
    package var path: String { "/proc/self/fd/\(descriptor)" }
    package var isInPlace: Bool { folder.leads(name, to: descriptor) }

    package static func file(for finalName: String, in folder: Folder) throws(SystemError) -> WorkingItem {
        try make(finalName, in: folder) { name throws(SystemError) in try folder.createFile(name) }
    }

    package static func folder(
        for finalName: String, in folder: Folder, isPrivate: Bool = false
    ) throws(SystemError) -> WorkingItem {
        try make(finalName, in: folder) { name throws(SystemError) in
            try folder.createFolder(name, isPrivate: isPrivate)
        }
    }

    /// A private folder for temporary files, which the caller removes.
    package static func temporaryFolder(in path: String) throws(VidscanError) -> WorkingItem {
        try VidscanError.writing(
            "cannot create a folder in \(path)", stage: .open,
            try folder(for: "vidscan", in: try Folder(path), isPrivate: true))
    }

    private static func make(
        _ finalName: String, in folder: Folder, create: (String) throws(SystemError) -> Int32
    ) throws(SystemError) -> WorkingItem {
        removeLeftovers(in: folder)
        var reason = SystemError(EBUSY)
        for _ in 0..<16 {
            let name = WorkingName(finalName, .partial).text
            // Until the new item is locked, another run can mistake it for a leftover and remove it.
            do {
                let descriptor = try create(name)
                if let item = WorkingItem(name, in: folder, descriptor: descriptor) { return item }
            } catch {
                guard error.number == ENOENT else { throw error }
                reason = error
            }
        }
        throw reason
    }

    /// Removes the unfinished items of runs that have ended. Ignores errors. `hasLocks`: `false` only in tests, for a
    /// file system that has none. `now`: in seconds since 1970.
    package static func removeLeftovers(in folder: Folder, hasLocks: Bool = true, now: Int = time(nil)) {
        for name in (try? folder.names()) ?? [] {
            guard let working = WorkingName(name), working.purpose == .partial else { continue }
            whileAbandoned(working, in: folder, hasLocks: hasLocks, now: now) { try? folder.remove(working.text) }
        }
    }

    /// Calls a closure if no run holds the item, and locks the item meanwhile.
    package static func whileAbandoned(
        _ working: WorkingName, in folder: Folder, hasLocks: Bool = true, now: Int = time(nil), _ body: () -> Void
    ) {
        guard let descriptor = folder.examine(working.text) else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT),
            status.st_uid == geteuid() || geteuid() == 0
        else { return }
        let lock = hasLocks ? lock(descriptor) : .unavailable
        let isOurs = working.machine == WorkingName.thisMachine && working.machine != WorkingName.unknownMachine
        let age = now - max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
        guard lock != .held, lock == .taken && isOurs || age > leaseSeconds, folder.leads(working.text, to: descriptor)
        else { return }
        body()
    }

    private enum Lock { case taken, held, unavailable }

    /// Takes the lock until the descriptor is closed, unless another one holds it.
    private static func lock(_ descriptor: Int32) -> Lock {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? .taken : errno == EWOULDBLOCK ? .held : .unavailable
    }
}

/// `.NAME.partial-MACHINE-RANDOM`: eight hexadecimal digits for the machine since its start, and sixteen random ones.
package struct WorkingName: Sendable {
    package let text: String
    package let purpose: WorkingItem.Purpose
    private let prefix: String
    let machine: String

    package init(_ finalName: String, _ purpose: WorkingItem.Purpose) {
        (self.purpose, machine, prefix) = (purpose, Self.thisMachine, Self.prefix(finalName, purpose))
        text = "\(prefix)\(machine)-\(NumberText.hexadecimal(UInt64.random(in: .min ... .max), digits: 16))"
    }

    /// Returns `nil` if it is another kind of name.
    package init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "."), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let digits = text.utf8.suffix(25)
        guard digits.count == 25, String(digits)?.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{16}/) != nil,
            let prefix = String(text.utf8.dropLast(25)), let machine = String(digits.prefix(8)),
            let purpose = [WorkingItem.Purpose.partial, .old].first(where: { prefix.hasSuffix(".\($0.rawValue)-") })
        else { return nil }
        (self.text, self.prefix, self.machine, self.purpose) = (text, prefix, machine, purpose)
    }

    package func isFor(_ finalName: String) -> Bool { prefix.utf8.elementsEqual(Self.prefix(finalName, purpose).utf8) }

    /// Cuts a long final name and adds a digest, because a name has at most 255 bytes.
    private static func prefix(_ finalName: String, _ purpose: WorkingItem.Purpose) -> String {
        var name = finalName
        if name.utf8.count > 180 {
            while name.utf8.count > 160 { name.removeLast() }
            name += "-" + NumberText.hexadecimal(FNV.hash(finalName.utf8), digits: 16)
        }
        return ".\(name).\(purpose.rawValue)-"
    }

    static let unknownMachine = "00000000"

    /// The running system. Its containers share it, and it changes when the machine restarts.
    static let thisMachine: String = {
        guard let text = FileSystem.text("/proc/sys/kernel/random/boot_id"), text.utf8.count >= 36
        else { return unknownMachine }
        return NumberText.hexadecimal(FNV.hash(text.utf8.prefix(36)) & 0xFFFF_FFFF, digits: 8)
    }()
}

/// FNV-1a, 64 bit (Fowler, Noll and Vo).
package enum FNV {
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
