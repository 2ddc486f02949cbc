/// Why a projector cannot go on.
package enum ProjectionTrouble: Error, Hashable, Sendable {
    /// The database or the brokers are away; the lead goes, and everything begins again.
    case unavailable
    /// A rebuild has put another model in place: begin again from what that says.
    case superseded
    /// What is to be told would come to another cluster than the one that is read: begin again.
    case otherCluster
    /// Records are gone from the topic, or never were on it: read PostgreSQL instead.
    case missedHistory
    /// An operator has to act; the text says why.
    case refused(String)
}
