import Domain
import EventFormat
import Publishing
import Runtime

/// `revocation-projector`: reads, folds with the real batch and progress, keeps the tables.
enum ProjectorProcess {
    static func start(_ number: Int, in installation: Installation) throws -> SimulatedProcess {
        let process = try installation.world.process("projector-\(number)")
        let projector = Projector(installation: installation, process: process, number: number)
        process.onKill.append {
            projector.leave()
        }
        process.loop.spawn { await projector.run() }
        return process
    }

    private struct Unavailable: Error {}

    private struct Projector: Sendable {
        let installation: Installation
        let process: SimulatedProcess
        let number: Int

        var world: World { installation.world }
        var database: SimulatedDatabase { installation.database }
        var topic: SimulatedTopic { installation.topic }

        func run() async {
            var session = number * Self.sessionsMax
            while !world.isOver {
                session += 1
                do {
                    if try await lead(session) { try await follow(session) }
                } catch {}
                leave()
                await pause(.milliseconds(300))
            }
        }

        private static let sessionsMax = 1_000_000

        /// The lock goes with its session: what that one still has on its way finds it gone.
        func leave() {
            guard let holder = database.model.holder, holder / Self.sessionsMax == number else {
                return
            }
            database.model.holder = nil
        }

        private func pause(_ time: Duration) async {
            try? await process.loop.sleep(until: process.loop.now.advanced(by: time))
        }

        private func ask<Answer: Sendable>(
            _ serve: @escaping () -> Answer
        ) async throws(Unavailable) -> Answer {
            let faults = ConnectionFaults(notConnected: Unavailable(), lost: Unavailable())
            return try await world.ask(from: process, faults) { answer in answer(serve()) }
        }

        private func lead(_ session: Int) async throws(Unavailable) -> Bool {
            try await ask { [database, process] in
                guard process.isAlive, database.model.holder == nil else { return false }
                database.model.holder = session
                return true
            }
        }

        /// As the service does: offsets of another cluster mean nothing, last numbers do.
        private func follow(_ session: Int) async throws(Unavailable) {
            let cluster = try await ask { [topic] in topic.clusterID }
            let start = try await ask { [self] in self.start(on: cluster) }
            var progress = try await catchUp(from: start, of: cluster, in: session)
            while !world.isOver {
                let items = try await ask { [self] in read(progress) }
                guard try await ask({ [topic] in topic.clusterID }) == cluster else { return }
                guard !items.isEmpty else {
                    await pause(.milliseconds(20))
                    continue
                }
                var batch = ProjectionBatch(after: progress, versions: database.model.versions)
                for item in items {
                    let entry = ProjectionEntry(
                        item.record,
                        at: item.offset,
                        in: item.partition,
                        after: progress
                    ) { _ in installation.projectNumber }
                    if let obstacle = batch.take(entry) {
                        installation.checks.broken("I11", "a record is not taken: \(obstacle)")
                        return
                    }
                }
                try await apply(batch, of: cluster, in: session)
                if batch.progress.hasHole {
                    installation.checks.broken("I11", "a number came in no partition")
                    return
                }
                progress = batch.progress
            }
        }

        /// As the service does: what lies beyond the frontier was applied or not; PostgreSQL tells.
        private func catchUp(
            from progress: ProjectionProgress,
            of cluster: String,
            in session: Int
        ) async throws(Unavailable) -> ProjectionProgress {
            let greatest = progress.greatest
            let events = try await ask { [self] in
                database.relay.ledger.filter {
                    progress.frontier < $0.index && $0.index <= greatest
                }
                .map(event)
            }
            // The relay records a moment later what it has published.
            guard events.count == Int(greatest - progress.frontier) else { throw Unavailable() }
            var batch = ProjectionBatch(after: progress, versions: database.model.versions)
            batch.fill(events.compactMap(\.self))
            batch.catchUp(to: greatest)
            batch.resume(at: progress.offsets)
            try await apply(batch, of: cluster, in: session)
            return batch.progress
        }

        private func event(_ row: NumberedRow) -> RecordedEvent? {
            let stored = row.row.event
            guard
                let body = try? EventFormat.decode(
                    type: stored.type,
                    payload: stored.payload,
                    columns: stored.columns
                )
            else { return nil }
            return RecordedEvent(
                logIndex: row.index,
                project: stored.project,
                stream: stored.stream,
                version: stored.version,
                occurredAt: stored.columns.occurredAt,
                subject: stored.columns.subject,
                session: stored.columns.session,
                body: body
            )
        }

        private func apply(_ batch: ProjectionBatch, of cluster: String, in session: Int)
            async throws(Unavailable)
        {
            let isAborted = world.faults.strikes(.commitLost)
            let isIn = try await ask { [self] in
                guard !isAborted, database.model.holder == session else { return false }
                installation.checks.model.willApply(batch, database, topic, cluster)
                database.model.apply(batch, of: cluster)
                return true
            }
            guard isIn else { throw Unavailable() }
        }

        private func start(on cluster: String) -> ProjectionProgress {
            if world.faults.strikes(.readerRewound) {
                database.model.rewind(by: Int64(1 + world.dice.draw(20)))
            }
            let model = database.model
            var offsets: [Int32: Int64] = [:]
            for partition in topic.partitions.indices { offsets[Int32(partition)] = 0 }
            if let known = model.clusterID, known.utf8.elementsEqual(cluster.utf8) {
                for (partition, offset) in model.offsets { offsets[partition] = offset }
            }
            return ProjectionProgress(
                log: database.log,
                offsets: offsets,
                applied: model.applied,
                frontier: model.frontier
            )
        }

        private struct Item: Sendable {
            var partition: Int32
            var offset: Int64
            var record: PublishedRecord
        }

        /// A few records of a partition, now of this one, now of that.
        private func read(_ progress: ProjectionProgress) -> [Item] {
            guard !topic.isAway else { return [] }
            var items: [Item] = []
            for (partition, records) in topic.partitions.enumerated() {
                let number = Int32(partition)
                let start = Int(progress.offsets[number, default: 0])
                guard start < records.count else { continue }
                let end = min(records.count, start + world.dice.draw(8))
                for offset in start..<max(start, end) {
                    let record = records[offset]
                    items.append(
                        Item(partition: number, offset: Int64(offset), record: record)
                    )
                }
            }
            return items
        }
    }
}
