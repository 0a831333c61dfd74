internal import Glibc
package import VidscanBase

/// Gives a finished folder its final name, in place of an older one, so that one of them survives any failure: in one
/// step where the file system can exchange names, otherwise (NFS, exFAT, FAT) in two; the next run repairs a half step.
package struct FolderReplacement: Sendable {
    /// What happens to an older result.
    package enum Policy: Sendable {
        /// It stays; replacing it is an error.
        case keep
        /// Removes it, or renames it if it has corrections or files that the analysis did not write.
        case replace
        /// Removes it, because the new one has everything that is in it.
        case absorb
    }

    /// An older result that got another name.
    package struct Previous: Sendable, Equatable {
        package let name: String
        /// What in it was worth keeping.
        package let contents: ResultContents

        /// Returns one sentence for the user; `path` is that of the new result.
        package func notice(_ path: String) -> String {
            let corrections = "\(name)/\(ResultFiles.originals)/\(ResultFiles.corrections)"
            return "the result that was there is now \(name), because \(contents.words)"
                + (contents.hasCorrections
                    ? "; to correct the new one: vidscan apply \(FilePath.shellWord(path))"
                        + " \(FilePath.shellWord(FilePath.sibling(of: path, named: corrections)))" : "")
        }
    }

    /// Return 0 or an error number. Tests replace them to make them fail.
    package struct Calls: Sendable {
        package var exchange: @Sendable (Folder, String, String) -> Int32
        /// Fails if the new name exists.
        package var rename: @Sendable (Folder, String, String) -> Int32
        package var sync: @Sendable (Folder) -> Int32

        package static let system = Calls(
            exchange: { folder, a, b in number { () throws(SystemError) in try folder.exchange(a, with: b) } },
            rename: { folder, old, new in number { () throws(SystemError) in try folder.renameToFree(old, to: new) } },
            sync: { folder in number { () throws(SystemError) in try folder.sync() } })

        private static func number(_ call: () throws(SystemError) -> Void) -> Int32 {
            do { try call() } catch { return error.number }
            return 0
        }
    }

    private let folder: Folder
    private let name: String
    /// For messages.
    private let path: String
    private let kind: ResultFolder.Kind
    private let policy: Policy
    private let calls: Calls

    /// `folder` holds the result.
    package init(
        in folder: Folder, name: String, path: String, kind: ResultFolder.Kind = .result, policy: Policy,
        calls: Calls = .system
    ) {
        (self.folder, self.name, self.path) = (folder, name, path)
        (self.kind, self.policy, self.calls) = (kind, policy, calls)
    }

    /// Throws if something has the final name, unless it is a result that may be replaced.
    package func check() throws(VidscanError) {
        guard let entry = folder.entry(name) else { return }
        try require(entry != .link, .exists, "\(path) is a symbolic link; it is not replaced", stage: .write)
        try require(
            entry == .folder && isResult(name), .exists,
            "\(path) exists and is not a vidscan \(kind.noun); it is not replaced", stage: .write)
        try require(policy != .keep, .exists, "the \(kind.noun) \(path) exists; --force replaces it", stage: .write)
    }

    private func isResult(_ name: String) -> Bool { (try? folder.folder(name))?.entry(kind.record) != nil }

    /// Returns the older result if it got another name. `newName` is the folder's present name.
    package func put(_ newName: String) throws(VidscanError) -> Previous? {
        var previous: Previous?
        // Other runs may take or leave the final name at any time.
        for _ in 0..<16 {
            try check()
            guard let old = try? folder.folder(name) else {
                let result = calls.rename(folder, newName, name)
                if [EEXIST, ENOTEMPTY].contains(result) { continue }
                if result != 0, let previous { _ = calls.rename(folder, previous.name, name) }
                try check(result)
                try check(calls.sync(folder))
                return previous
            }
            // It appeared after the check, which refuses it now.
            if policy == .keep { continue }
            if policy == .replace, let contents = ResultContents(old, kind: kind, new: try? folder.folder(newName)) {
                previous = try setAside(contents)
                continue
            }
            if policy == .absorb { try checkAbsorbed(old, by: newName) }
            let result = calls.exchange(folder, newName, name)
            switch result {
            case 0:
                try check(calls.sync(folder))
                try? folder.remove(newName)
                return previous
            case ENOENT: continue
            case EINVAL, ENOSYS, ENOTSUP: if try putInTwoSteps(newName) { return previous }
            default: throw failure(result)
            }
        }
        throw VidscanError(.output, "cannot move the result to \(path): other runs keep replacing it", stage: .write)
    }

    /// Throws if the old folder has something that the new one lacks, because it was added meanwhile.
    private func checkAbsorbed(_ old: Folder, by newName: String) throws(VidscanError) {
        let names: Set<[UInt8]>
        do throws(SystemError) { names = Set(try old.names()).subtracting(try folder.folder(newName).names()) } catch {
            throw failure(error.number)
        }
        let missing = names.first {
            WorkingName($0) == nil && !ResultContents.isWritten(String(decoding: $0, as: UTF8.self), kind: kind)
        }
        guard let missing else { return }
        throw VidscanError(
            .changed,
            "\(path) changed meanwhile: \(Printable.line(String(decoding: missing, as: UTF8.self))) is new; run the"
                + " command again", stage: .write)
    }

    /// Takes the first free name: `a.mp4.vidscan.previous-1`.
    private func setAside(_ contents: ResultContents) throws(VidscanError) -> Previous {
        for number in 1...100_000 {
            let newName = "\(name)\(ResultPaths.previousEnding)\(number)"
            let result = calls.rename(folder, name, newName)
            if [EEXIST, ENOTEMPTY].contains(result) { continue }
            try check(result)
            return Previous(name: newName, contents: contents)
        }
        throw VidscanError(.output, "cannot set \(path) aside: every name is taken", stage: .write)
    }

    /// Returns `false` if another run has taken the final name meanwhile.
    private func putInTwoSteps(_ newName: String) throws(VidscanError) -> Bool {
        let aside = WorkingName(name, .old).text
        try check(calls.rename(folder, name, aside))
        // Keeps other runs from restoring it.
        let lock = folder.examine(aside)
        if let lock { flock(lock, LOCK_EX | LOCK_NB) }
        defer { if let lock { close(lock) } }
        // Otherwise a machine that crashes now might not keep the old folder's other name.
        var result = calls.sync(folder)
        if result == 0 { result = calls.rename(folder, newName, name) }
        if [EEXIST, ENOTEMPTY].contains(result) {
            try? folder.remove(aside)
            return false
        }
        guard result == 0 else {
            guard calls.rename(folder, aside, name) == 0 else {
                throw VidscanError(
                    .output,
                    "cannot replace \(path): \(SystemError(result)); the old one is at"
                        + " \(FilePath.sibling(of: path, named: aside))", stage: .write)
            }
            throw failure(result)
        }
        try check(calls.sync(folder))
        try? folder.remove(aside)
        return true
    }

    private func check(_ result: Int32) throws(VidscanError) { guard result == 0 else { throw failure(result) } }

    private func failure(_ number: Int32) -> VidscanError {
        .writing("cannot move the \(kind.noun) to \(path)", SystemError(number))
    }

    /// Repairs a half step: moves the old folder back, or removes it if the new one is in place. Skips live runs.
    package func recover() {
        for bytes in (try? folder.names()) ?? [] {
            guard let working = WorkingName(bytes), working.purpose == .old, working.isFor(name) else { continue }
            WorkingItem.whileAbandoned(working, in: folder) {
                guard isResult(working.text) else { return }
                if folder.entry(name) == nil {
                    _ = calls.rename(folder, working.text, name)
                } else if isResult(name) {
                    try? folder.remove(working.text)
                }
            }
        }
    }
}
