package import Publishing
internal import Runtime

/// `chancery.revocations` in memory: the last value per key, as a compacted topic keeps it.
package final class InMemoryRevocationTopic: RevocationSink {
    struct Contents {
        var values: [String: [UInt8]] = [:]
        var watermarks: [LogWatermark] = []
        var isDown = false
    }

    private let contents = Guarded(Contents())

    package init() {}

    /// The value under each key.
    package var values: [String: [UInt8]] { contents.withLock { $0.values } }

    /// Every watermark published.
    package var watermarks: [LogWatermark] { contents.withLock { $0.watermarks } }

    /// Lets the brokers go away, or come back.
    package func setDown(_ isDown: Bool) { contents.withLock { $0.isDown = isDown } }

    /// As on another cluster: nothing is there.
    package func wipe() {
        contents.withLock {
            $0.values = [:]
            $0.watermarks = []
        }
    }

    package func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble) {
        try contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            for record in records { contents.values[record.key] = record.value }
        }
    }

    package func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            for key in keys { contents.values[key] = nil }
        }
    }

    package func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try contents.withLock { contents throws(ProjectionTrouble) in
            guard !contents.isDown else { throw .unavailable }
            contents.watermarks.append(watermark)
        }
    }
}
