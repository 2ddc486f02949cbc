/// One event of a stream as an operator remembers it.
package struct OperatorChange: Hashable, Sendable {
    /// Its place in the stream, from 1.
    package var version: Int32
    /// The operator; nil when a client, a user or the system did it.
    package var operatorName: String?
    package var reason: String?

    package init(version: Int32, operatorName: String?, reason: String?) {
        self.version = version
        self.operatorName = operatorName
        self.reason = reason
    }
}
