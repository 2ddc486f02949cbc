import Domain

/// That no login link outlives the sign-in that asked for it (WireContract 7.4), by the log alone:
/// invariant I14 of who gives up.
struct LinkChecks {
    /// Those that may still be approved or refused, with the sign-in that each is for.
    private var open: [StreamID: StreamID] = [:]

    /// The events of one command, which are committed together.
    mutating func follow(
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        _ broken: (String, String) -> Void
    ) {
        var refused: Set<StreamID> = []
        for (stream, body) in bodies {
            switch body {
            case .loginLink(.requested(let request)): open[stream] = request.authorization
            case .loginLink(.approved), .loginLink(.denied), .loginLink(.superseded):
                open[stream] = nil
            case .authorization(.failed(.accessDenied)): refused.insert(stream)
            default: break
            }
        }
        if !refused.isEmpty, open.values.contains(where: refused.contains) {
            broken("I14", "a sign-in was given up, and its link can still be approved")
        }
    }
}
