package import Domain

/// Lets few of the pages that wait look at the log at once, so that whoever comes for something
/// finds room there.
package protocol LookTurns: Sendable {
    /// The answer of `look`, once it is this page's turn; nil when that is after `deadline`.
    func take<Answer: Sendable>(by deadline: Deadline, _ look: () async -> Answer) async -> Answer?
}
