import OAuth
import Runtime

/// The mails of the stack, as the mail page lists them for programs.
struct WalkMail: Sendable {
    private static let waitMax = Duration.seconds(60)

    let page: String

    /// The link of the newest mail to an address; waits until it comes.
    func link(to address: String, on loop: Loop) async throws(CommandFailure) -> String {
        let deadline = MonotonicInstant.now().advanced(by: Self.waitMax)
        while MonotonicInstant.now() < deadline {
            let answer = try await HTTPConnection.exchange(
                .get("/links.json"),
                with: page,
                on: loop
            )
            if case .array(let mails) = answer.json {
                let mail = mails.first { $0["to"]?.string?.contains(address) == true }
                if case .array(let links) = mail?["links"], let link = links.first?.string {
                    return link
                }
            }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(20)))
        }
        throw CommandFailure("no mail came within \(Self.waitMax)", remedy: "See \(page).")
    }
}
