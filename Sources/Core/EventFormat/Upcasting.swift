package import OAuth

/// Turns payloads of older versions into the newest, so that the domain knows only that one.
///
/// A step is pure and goes from one version to the next; stored bytes never change.
package enum Upcasting {
    package typealias Step = @Sendable (JSON) throws(FormatError) -> (type: Int16, payload: JSON)

    /// By the number of the older version; none has been superseded yet.
    package static let steps: [Int16: Step] = [:]

    /// Follows the steps from `type` to the newest version.
    package static func newest(
        _ type: Int16,
        _ payload: JSON,
        by steps: [Int16: Step] = steps
    ) throws(FormatError) -> (type: Int16, payload: JSON) {
        var event = (type: type, payload: payload)
        while let step = steps[event.type] {
            let next = try step(event.payload)
            // Numbers only grow, so a circle of steps cannot be walked for ever.
            guard next.type > event.type else { throw .unknownType(next.type) }
            event = next
        }
        return event
    }
}
