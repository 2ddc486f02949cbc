package import Domain

/// A read model: what each event changes in it (events.md section 11).
///
/// A pure function of one event. Changes are upserts, so that a replay gives the same rows, and
/// they never cause a side effect: mails and deliveries are made elsewhere, once.
package protocol Projection: SendableMetatype {
    associatedtype Change: Hashable, Sendable

    static func changes(for event: RecordedEvent) -> [Change]
}
