import OAuth
import Runtime

/// The mails of the stack, as the mail page lists them for programs.
struct WalkMail: Sendable {
    private static let waitMax = Duration.seconds(60)

    let page: String

    /// The newest link to an address that was not used before; waits until it comes.
    func link(to address: String, except used: Set<String>, on loop: Loop)
        async throws(CommandFailure) -> String
    {
        try await newest(to: address, on: loop) { mail in
            guard case .array(let links) = mail["links"] else { return nil }
            return links.compactMap(\.string).first {
                $0.contains("/verify_login_link") && !used.contains($0)
            }
        }
    }

    /// The text of the mail to an address whose subject begins so; waits until it comes.
    func text(to address: String, subject: String, on loop: Loop)
        async throws(CommandFailure) -> String
    {
        try await newest(to: address, on: loop) { mail in
            mail["subject"]?.string?.hasPrefix(subject) == true ? mail["text"]?.string : nil
        }
    }

    private func newest(
        to address: String,
        on loop: Loop,
        _ part: (JSON) -> String?
    ) async throws(CommandFailure) -> String {
        let deadline = MonotonicInstant.now().advanced(by: Self.waitMax)
        while MonotonicInstant.now() < deadline {
            let answer = try await HTTPConnection.exchange(
                .get("/links.json"),
                with: page,
                on: loop
            )
            if case .array(let mails) = answer.json {
                let own = mails.filter { $0["to"]?.string?.contains(address) == true }
                if let found = own.compactMap(part).first { return found }
            }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(20)))
        }
        throw CommandFailure("no mail came within \(Self.waitMax)", remedy: "See \(page).")
    }
}
