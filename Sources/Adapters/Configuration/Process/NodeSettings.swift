internal import Runtime

/// Section `node`: which process this is (Architecture 10).
package struct NodeSettings: Sendable {
    /// In events, logs and `pg_stat_activity`; 1–40 characters.
    package let name: String
    /// Loops, each on its own thread; 0 in the file means one per core, at most 64.
    package let workers: Int
    /// How long the process says that it is going to end before it takes no more connections.
    package let noticeSeconds: Int

    private static let workersMax = 64

    /// How many loops that are on this machine.
    package var loopCount: Int {
        workers > 0 ? workers : min(ThisProcess.coreCount, Self.workersMax)
    }

    /// Reads the section; findings go to its document.
    package init(_ root: Section, defaultName: String) {
        let node = root.section(.node)
        name = node.string("name", default: defaultName)
        workers = node.integer("workers", in: 0...Self.workersMax, default: 0)
        noticeSeconds = node.integer("shutdown_notice_seconds", in: 0...60, default: 5)
        if !(1...40 ~= name.utf8.count) { node.report("name", "must have 1 to 40 characters") }
    }
}
