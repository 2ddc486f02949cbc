package import Domain
package import EventFormat

/// A record of `chancery.events` as a projection understands it.
package struct ProjectionEntry: Hashable, Sendable {
    /// What it says.
    package enum Content: Hashable, Sendable {
        /// An event of a session: what the read models are made of.
        case event(RecordedEvent, index: Int64)
        /// An event of another kind, which changes nothing here and counts all the same.
        case counted(index: Int64)
        /// How far the log is complete.
        case watermark(LogWatermark)
        /// Of another log, or seen before.
        case passed
        /// It cannot be read by this program.
        case unreadable(PublishedPlace?, reason: String)
    }

    /// Twice as long as any key of ours; an index of PostgreSQL takes no key of some kilobytes.
    static let keyBytesMax = 128

    /// Where it stood.
    package let partition: Int32
    package let offset: Int64
    /// Its key: at most the first `keyBytesMax` bytes, since a stranger's may be longer than ours.
    package let key: [UInt8]
    package let content: Content

    /// Reads a record; what `progress` has seen is not looked at closely.
    package init(
        _ record: PublishedRecord,
        at offset: Int64,
        in partition: Int32,
        after progress: ProjectionProgress,
        project: (ProjectID) -> ProjectNumber?
    ) {
        self.partition = partition
        self.offset = offset
        key = Array(record.key.prefix(Self.keyBytesMax))
        switch LogRecord(record) {
        case .foreign: content = .unreadable(nil, reason: "not a record of a log")
        case .watermark(let watermark): content = .watermark(watermark)
        case .event(let place) where place.log != progress.log: content = .passed
        case .event(let place) where !progress.isNew(place.index, in: partition): content = .passed
        case .event(let place): content = Self.content(of: record, place, project)
        }
    }

    /// The session it is an event of, if it is.
    package var session: SessionID? {
        if case .event(let event, _) = content { SessionID(event.stream) } else { nil }
    }

    private static func content(
        of record: PublishedRecord,
        _ place: PublishedPlace,
        _ project: (ProjectID) -> ProjectNumber?
    ) -> Content {
        guard let type = PublishedForm.type(place.type.span) else {
            return .unreadable(place, reason: "an event of a type unknown here")
        }
        switch type.kind {
        case .offlineGrant, .browserSession: break
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            return .counted(index: place.index)
        }
        do throws(FormatError) {
            let event = try PublishedForm.read(record, project: project).event
            return .event(event, index: place.index)
        } catch { return .unreadable(place, reason: "\(type.name): \(error)") }
    }
}
