import OAuth
import Runtime

extension Walk {
    /// A resource server learns of it from the feed.
    func seeRevocation(of session: String, at url: String) async throws(CommandFailure) {
        let api = Self.basic(facts["CLIENT_API"] ?? "")
        let token = try await step("POST /oauth2/token client_credentials") {
            () async throws(CommandFailure) in
            let fields = [("grant_type", "client_credentials"), ("scope", "revocations.read")]
            let answer = try await app.post("/oauth2/token", fields, [api])
            guard let token = answer.json?["access_token"]?.string else {
                throw Self.failure(answer)
            }
            return ("a token for the feed", token)
        }
        let feed = WalkFeed(url: url, token: token, loop: loop)
        try await step("GET /revocations, until it is there") {
            () async throws(CommandFailure) in (try await feed.wait(for: session), ())
        }
    }

    /// The events of the session: in PostgreSQL, and the same on Kafka.
    func followEvents(of session: String) async throws(CommandFailure) {
        let log = WalkLog(settings: settings, loop: loop)
        let stored = try await step("PostgreSQL, the session's events") {
            () async throws(CommandFailure) in
            let events = try await log.stored(session)
            guard !events.isEmpty else { throw CommandFailure("there are none") }
            return ("\(events.count) events", events)
        }
        for event in stored { Terminal.say("      \(event)") }
        let published = try await step("Kafka, the session's events") {
            () async throws(CommandFailure) in
            let events = try await log.published(session, count: stored.count)
            return ("\(events.count) events", events)
        }
        for event in published { Terminal.say("      \(event)") }
        guard stored == published else {
            throw CommandFailure("the events on Kafka are not those in PostgreSQL")
        }
    }
}
