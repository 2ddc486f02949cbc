package import Domain
internal import OAuth

/// Who did it, why, and in which course of things (Events 1); hashed with the event.
package struct EventMetadata: Hashable, Sendable {
    package enum ActorKind: String, Hashable, Sendable, CaseIterable {
        case subject, client, `operator`, system
    }

    package var actor: ActorKind
    /// Name of the operator.
    package var by: String?
    /// What the operator wrote, at most 200 bytes.
    package var reason: String?
    package var cause: Cause?
    /// The outermost request.
    package var correlation: StreamID
    /// The process that decided.
    package var node: String
    /// Key id of the sealed members.
    package var seal: StreamID?
    /// W3C Trace Context.
    package var traceparent: String?

    package init(
        actor: ActorKind,
        by: String? = nil,
        reason: String? = nil,
        cause: Cause? = nil,
        correlation: StreamID,
        node: String,
        seal: StreamID? = nil,
        traceparent: String? = nil
    ) {
        self.actor = actor
        self.by = by
        self.reason = reason
        self.cause = cause
        self.correlation = correlation
        self.node = node
        self.seal = seal
        self.traceparent = traceparent
    }

    /// Canonical JSON.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: 192)
        writer.object {
            $0.member("actor", actor.rawValue)
            $0.member("by", by)
            $0.member("cause", cause.map { "\($0.stream):\($0.version)" })
            $0.member("correlation", correlation)
            $0.member("node", node)
            $0.member("reason", reason)
            $0.member("seal", seal)
            $0.member("traceparent", traceparent)
        }
        return writer.bytes
    }

    /// Reads what `encoded` wrote; unknown members are ignored.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        let object: CanonicalObject
        do { object = try CanonicalObject(bytes) } catch { throw .payload(error) }
        let columns = StoredColumns(occurredAt: Instant(microseconds: 0))
        let metadata = PayloadReader(object, columns: columns)
        self.init(
            actor: try metadata.choice("actor"),
            by: try metadata.optionalText("by"),
            reason: try metadata.optionalText("reason"),
            cause: try metadata.optional("cause") { $0.string.flatMap(Cause.init(text:)) },
            correlation: try metadata.stream("correlation"),
            node: try metadata.text("node"),
            seal: try metadata.optionalStream("seal"),
            traceparent: try metadata.optionalText("traceparent")
        )
    }
}

extension Cause {
    /// Reads `<stream>:<version>`.
    fileprivate init?(text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 37, bytes[36] == UInt8(ascii: ":"), bytes[37] != UInt8(ascii: "0"),
            let stream = StreamID(text: bytes[..<36]),
            let version = DecimalDigits.read(bytes[37...]).flatMap({ Int32(exactly: $0) })
        else { return nil }
        self.init(stream: stream, version: version)
    }
}
