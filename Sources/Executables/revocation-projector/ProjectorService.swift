internal import Domain
internal import EventFormat
internal import Messaging
internal import Persistence
internal import Publishing
internal import Runtime

// @unchecked: touched on `loop` alone, except `shown`, which is guarded.
/// Keeps the revocation read model up to date while this process has the lead, else stands by.
final class ProjectorService: @unchecked Sendable {
    enum Role: Equatable {
        case standby
        case active
        /// Nothing is applied until somebody acts; looked at again every ten seconds.
        case halted(String)
    }

    struct Status {
        var role = Role.standby
        var frontier: Int64 = -1
        var completeThrough: Instant?
    }

    private struct Halt: Error { var reason: String }

    /// A read model staler than this makes the process unready.
    private static let lagSecondsMax: Int64 = 30

    let shown = Guarded(Status())
    private let model: PostgresProjection
    private let reader: EventReader
    private let topic: RevocationTopic
    private let projects: SettingsCatalogue
    private let eventsTopic: String
    private let allowsDevelopmentBroker: Bool
    private let clock: LoopClock
    private let times = SystemClock()
    private let log: Log
    private let loop: Loop
    private let ended: LoopSignal
    private var isRunning = false

    init(
        _ model: PostgresProjection,
        _ reader: EventReader,
        _ topic: RevocationTopic,
        _ projects: SettingsCatalogue,
        eventsTopic: String,
        allowsDevelopmentBroker: Bool,
        on loop: Loop,
        log: Log
    ) {
        self.model = model
        self.reader = reader
        self.topic = topic
        self.projects = projects
        self.eventsTopic = eventsTopic
        self.allowsDevelopmentBroker = allowsDevelopmentBroker
        self.loop = loop
        self.log = log
        clock = LoopClock(on: loop)
        ended = LoopSignal(on: loop)
    }

    /// What is wrong, for readiness; standing by is right.
    var problem: String? {
        let status = shown.current
        switch status.role {
        case .halted(let reason): return reason
        case .standby: return nil
        case .active:
            guard let through = status.completeThrough else { return "not complete yet" }
            let lag = times.now.millisecondsSince(through) / 1000
            return lag > Self.lagSecondsMax ? "\(lag) s behind" : nil
        }
    }

    func start() {
        isRunning = true
        loop.spawn { [self] in await run() }
    }

    /// Ends in order: gives the lead back, so that a standby has it within a second.
    func stop() async {
        clock.stop()
        let limit = MonotonicInstant.now().advanced(by: .seconds(5))
        while isRunning, MonotonicInstant.now() < limit { await ended.wait(until: limit) }
        topic.close()
    }

    private func run() async {
        while !clock.isStopping {
            do {
                guard try await model.lead() else {
                    show(.standby)
                    await clock.pause(.seconds(1))
                    continue
                }
                try await follow()
            } catch let halt as Halt {
                show(.halted(halt.reason))
                await clock.pause(.seconds(10))
            } catch {
                // Database or brokers away: the lead goes, and everything begins again.
                if case .active = shown.current.role { show(.standby) }
                await clock.pause(.seconds(1))
            }
            reader.stop()
            model.resign()
        }
        isRunning = false
        ended.raise()
    }

    /// Reads until something fails.
    private func follow() async throws {
        let (cluster, lows) = try await ends()
        guard var progress = try await model.progress(on: eventsTopic, of: cluster, lows: lows)
        else { throw Halt(reason: "the topic no longer has its first records: rebuild") }
        try reader.start(from: progress.offsets, onCluster: cluster)
        show(.active, progress)
        var nextWatermark = MonotonicInstant.now()
        var nextLook = MonotonicInstant.now().advanced(by: .seconds(5))
        while !clock.isStopping {
            let limit = MonotonicInstant.now().advanced(by: .milliseconds(500))
            let items = try await read(until: limit)
            if !items.isEmpty {
                let batch = try await batch(of: items, after: progress)
                try await model.apply(batch, from: eventsTopic, of: cluster)
                progress = batch.progress
                show(.active, progress)
            }
            try await publish()
            if MonotonicInstant.now() >= nextWatermark, let complete = progress.complete {
                try await topic.publish(complete)
                nextWatermark = MonotonicInstant.now().advanced(by: .seconds(1))
            }
            if MonotonicInstant.now() >= nextLook {
                nextLook = MonotonicInstant.now().advanced(by: .seconds(5))
                try await model.dropOld()
                // Another log under the same address: begin there, numbers stay.
                guard try await ends().cluster.utf8.elementsEqual(cluster.utf8) else { return }
            }
        }
    }

    private func ends() async throws -> (cluster: String, lows: [Int32: Int64]) {
        do throws(EventReader.Failure) {
            let ends = try await reader.ends()
            guard allowsDevelopmentBroker || !EventTopic.isDevelopment(cluster: ends.cluster)
            else { throw .refused("the brokers are a development broker") }
            return ends
        } catch { throw Self.trouble(error) }
    }

    private func read(until limit: MonotonicInstant) async throws -> [EventReader.Item] {
        do throws(EventReader.Failure) {
            return try await reader.next(atMost: ProjectionBatch.recordsMax, until: limit)
        } catch { throw Self.trouble(error) }
    }

    private static func trouble(_ failure: EventReader.Failure) -> any Error {
        switch failure {
        case .unavailable: failure
        case .refused(let reason): Halt(reason: reason)
        case .missedHistory(let partition):
            Halt(reason: "partition \(partition) has lost records that were not read: rebuild")
        }
    }

    /// A record that cannot be read is tried three times, for a project that is new; then it stops
    /// the process: a revocation is never skipped.
    private func batch(
        of items: [EventReader.Item],
        after progress: ProjectionProgress
    ) async throws -> ProjectionBatch {
        var problem = ""
        for _ in 0..<3 {
            var batch = ProjectionBatch(after: progress)
            do throws(FormatError) {
                for item in items {
                    try batch.take(item.record, at: item.offset, in: item.partition) { name in
                        projects.number(of: name)
                    }
                }
                return batch
            } catch {
                problem = "\(error)"
                try await projects.refresh(by: times.deadline(inMilliseconds: 2000))
            }
        }
        throw Halt(reason: "a record cannot be read: \(problem)")
    }

    private func publish() async throws {
        while !clock.isStopping {
            let records = try await model.outbox()
            guard !records.isEmpty else { return }
            try await topic.publish(records)
            try await model.published(records)
        }
    }

    private func show(_ role: Role, _ progress: ProjectionProgress? = nil) {
        let before = shown.current
        shown.withLock { status in
            status.role = role
            guard let progress else { return }
            status.frontier = progress.frontier
            status.completeThrough = progress.complete?.completeThrough ?? status.completeThrough
        }
        guard before.role != role else { return }
        switch role {
        case .active: log.notice("active", .field("frontier", progress?.frontier ?? -1))
        case .standby: log.notice("standing by")
        case .halted(let reason):
            log.error("nothing is applied until somebody acts", .field("error", reason))
        }
    }
}
