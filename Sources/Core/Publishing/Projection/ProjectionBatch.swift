package import Domain
package import EventFormat
package import Projections

/// What a batch of records changes in the revocation read models: applied together or not at all.
package struct ProjectionBatch: Sendable {
    /// Records of one batch.
    package static let recordsMax = 500

    /// Where the projection stands after it.
    package private(set) var progress: ProjectionProgress
    /// New revocations, in the order of the log of each partition.
    package private(set) var revocations: [Revocations.Revocation] = []
    /// Changes of the list of sessions, in that order.
    package private(set) var sessions: [SessionList.Change] = []

    /// Begins after `progress`.
    package init(after progress: ProjectionProgress) { self.progress = progress }

    /// Takes the next record of a partition.
    ///
    /// - Throws: `FormatError` for an event that cannot be read; nothing of it is taken. It must
    ///   stop the reader: a revocation is never skipped.
    package mutating func take(
        _ record: PublishedRecord,
        at offset: Int64,
        in partition: Int32,
        project: (ProjectID) -> ProjectNumber?
    ) throws(FormatError) {
        switch LogRecord(record) {
        case .event(let place) where place.log == progress.log:
            guard place.index > progress.applied[partition, default: -1] else { break }
            let event = try PublishedForm.read(record, project: project).event
            guard progress.takes(place.index, in: partition) else { break }
            for change in Revocations.changes(for: event) {
                switch change {
                case .put(let revocation): revocations.append(revocation)
                }
            }
            sessions += SessionList.changes(for: event)
        case .event: break
        case .watermark(let watermark): progress.sees(watermark, in: partition)
        case .foreign: throw .invalid("ce_source")
        }
        progress.passes(offset + 1, in: partition)
    }
}
