package import Domain

/// A place where the log is not as it was written (Events 6).
package struct LogDifference: Hashable, Sendable {
    /// What differs.
    package enum Kind: String, Hashable, Sendable {
        /// The hash of the event, and what it was made of.
        case content
        /// Versions of a stream, which follow one another from 1 on.
        case gap
        /// The published order, and what there is of it.
        case absent
        /// The hash, and that with which it was published.
        case published
        /// The place in the log, and that from which it was published.
        case place

        /// What an operator is told of it.
        package var sentence: String {
            switch self {
            case .content: "its hash is not that of what it holds, behind the event before it"
            case .gap: "the event before it is not there"
            case .absent: "it was published, and is not there"
            case .published: "it was published with another hash"
            case .place: "it was published from another place of the log"
            }
        }
    }

    package var kind: Kind
    package var stream: StreamID
    package var version: Int32
    package var position: Int64
    /// Its number in the published order, where that is what it was found by.
    package var logIndex: Int64?

    package init(
        _ kind: Kind,
        of stream: StreamID,
        version: Int32,
        position: Int64,
        logIndex: Int64? = nil
    ) {
        self.kind = kind
        self.stream = stream
        self.version = version
        self.position = position
        self.logIndex = logIndex
    }
}
