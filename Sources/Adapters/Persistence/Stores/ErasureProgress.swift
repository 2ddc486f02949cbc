internal import Domain
internal import Runtime

/// How far the destruction of one user's data has come: whatever lies before is done.
struct ErasureProgress: Sendable {
    /// Whether the keys are; what is left then are contexts and snapshots.
    let areKeysGone: Bool
    /// The streams that are next.
    var streams: [StreamID]
    /// Of these and all before them the subject's events lie up to this position.
    var reach: Int64 = 0
    /// Of the first batch of `streams` the events up to this version are done.
    var version: Int32 = 0
    /// Where that was: at another server it says nothing.
    let server: Int

    /// The begin of one of the two walks.
    init(of subject: SubjectID, at server: Int, areKeysGone: Bool = false) {
        self.server = server
        self.areKeysGone = areKeysGone
        streams = [subject.stream]
    }
}

/// The erasures that a process is about, so that a pass goes on where the one before it ended.
///
/// Also for some time after a walk is done: what is recorded behind it may need more passes.
struct ErasuresInProgress: Sendable {
    /// As many as come with one page of ends; each is 16 KiB at most.
    private static let subjectsMax = 100
    private static let keptFor = Duration.seconds(600)

    private struct Entry: Sendable {
        var progress: ErasureProgress
        var keptAt: MonotonicInstant
    }

    private var entries: [SubjectID: Entry] = [:]
    private var server = 0

    /// PostgreSQL may be as it was before: what was destroyed may be there again.
    mutating func beginServer() {
        server += 1
        entries = [:]
    }

    /// Whether PostgreSQL is the one still at which a pass began.
    func isCurrent(_ progress: ErasureProgress) -> Bool { progress.server == server }

    /// Where a pass begins.
    func progress(of subject: SubjectID, at now: MonotonicInstant) -> ErasureProgress {
        guard let entry = entries[subject], now.since(entry.keptAt) < Self.keptFor else {
            return ErasureProgress(of: subject, at: server)
        }
        return entry.progress
    }

    /// Where the next one begins, unless that was at another server.
    mutating func keep(
        _ progress: ErasureProgress,
        of subject: SubjectID,
        at now: MonotonicInstant
    ) {
        guard isCurrent(progress) else { return }
        entries[subject] = Entry(progress: progress, keptAt: now)
        guard entries.count > Self.subjectsMax else { return }
        let oldest = entries.min { $0.value.keptAt < $1.value.keptAt }
        if let oldest { entries[oldest.key] = nil }
    }
}
