extension BatchJournal.Item {
    /// Whether an earlier analysis left a finished result that a later one was to replace, and has not.
    ///
    /// The row then describes the later analysis, and the fields that start with `kept` what is different for the result.
    var hasKept: Bool { keptConfiguration != nil }

    /// Whether the folder has a finished result of the input, also while another one is being made.
    public var isFinished: Bool { status == .done || status == .running && hasKept }

    /// Whether an analysis is to start, or has started and not ended.
    var isUnfinished: Bool { status == .pending || status == .running }

    /// Remembers the finished result, because a new analysis is to replace it.
    mutating func keepResult() {
        keptConfiguration = configuration
        keptBytes = bytes
        keptModified = modified
        keptChanged = changed
        keptDigest = digest
        keptFinished = finished
    }

    /// Forgets the earlier result, because it was replaced or is gone.
    mutating func dropKept() {
        keptConfiguration = nil
        keptBytes = nil
        keptModified = nil
        keptChanged = nil
        keptDigest = nil
        keptFinished = nil
    }

    /// The item as it was before the later analysis was asked for; `nil` if there is no earlier result.
    private var kept: Self? {
        guard let keptConfiguration else { return nil }
        var item = self
        item.status = .done
        item.configuration = keptConfiguration
        item.bytes = keptBytes ?? bytes
        item.modified = keptModified ?? modified
        item.changed = keptChanged
        item.digest = keptDigest
        item.finished = keptFinished
        // That of the later analysis says nothing about this result.
        item.started = nil
        item.failures = 0
        item.due = 0
        item.owner = nil
        item.lease = nil
        item.error = nil
        item.progress = nil
        item.dropKept()
        return item
    }

    /// The item without an analysis that did not come to its end: its earlier result is still what it was.
    func settled(now: Double) -> Self {
        guard isUnfinished, !isLeased(now: now), let kept else { return self }
        return kept
    }

    /// The item that decides whether an input is due: the earlier result, unless the later analysis has ended and was of
    /// the same configuration and the same file.
    func relevant(to configuration: String, _ identity: FileIdentity, now: Double) -> Self {
        let hasFailed = [.failed, .quarantined, .skipped].contains(status)
        guard hasFailed, self.configuration != configuration || self.identity != identity, let kept else {
            return settled(now: now)
        }
        return kept
    }

    /// Records what the result was made from, if only the date of the file has changed.
    mutating func setSource(_ identity: FileIdentity, changed: Int64?, digest: String) {
        if hasKept {
            keptModified = identity.modified
            keptChanged = changed
            keptDigest = digest
        } else {
            modified = identity.modified
            self.changed = changed
            self.digest = digest
        }
    }
}
