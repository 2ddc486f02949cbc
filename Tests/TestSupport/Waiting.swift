/// Waits for what another process or thread does, without saying how long that takes.
package enum Waiting {
    /// It did not come.
    package struct InVain: Error, CustomStringConvertible {
        package let description: String
    }

    /// Longer than anything takes on a machine that is merely busy.
    package static let limit = Duration.seconds(60)

    /// Asks again and again until the answer is yes.
    ///
    /// - Throws: `InVain` after `limit`; what `holds` throws; `CancellationError`.
    package static func until(
        _ what: String,
        within limit: Duration = limit,
        _ holds: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while try await !holds() {
            guard ContinuousClock.now < end else {
                throw InVain(description: "after \(limit) not yet: \(what)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
