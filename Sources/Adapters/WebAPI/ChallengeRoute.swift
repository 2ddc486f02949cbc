internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /oauth2/challenge`: something fresh for a phone to sign (WireContract 6.1).
package struct ChallengeRoute: Route {
    package static var paths: [String] { ["/oauth2/challenge"] }
    package static var methods: [Method] { [.post] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }

    private let challenges: Challenges
    private let limits: RequestLimits

    package init(challenges: Challenges, limits: RequestLimits) {
        self.challenges = challenges
        self.limits = limits
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        do throws(EnvelopeError) {
            try PipelineRefusal.refuseEnvelope(limits.take(.challenge, from: request.client))
            let purpose = try purpose(of: request)
            // Not for what is no question: a page of another site can ask none (decision 0169).
            try PipelineRefusal.refuseEnvelope(limits.take(.challengePerNode, []))
            let challenge = challenges.issue(purpose, in: project)
            return .result(reserving: 160) { writer in
                writer.member("token", verbatim: challenge.text)
                writer.member("expire_at", verbatim: RFC3339.milliseconds(challenge.expiresAt))
            }
        } catch { return .envelope(error) }
    }

    private func purpose(of request: Request) throws(EnvelopeError) -> Challenges.Purpose {
        guard request.query.isEmpty else {
            throw EnvelopeError(.badRequest, "parameters in the query are not accepted")
        }
        guard let members = try request.json().members else {
            throw .invalid([.general("", "must be an object")])
        }
        // The reader takes no name twice, so that there is at most one.
        for member in members where !member.name.isSame(as: "purpose") {
            throw .invalid([.general("", "unknown member")])
        }
        guard let member = members.first else {
            throw .invalid([.required("", actual: [], expected: ["purpose"])])
        }
        guard let name = member.value.string, let purpose = Challenges.Purpose(name: name) else {
            throw .invalid([.general("/purpose", "unknown challenge purpose")])
        }
        return purpose
    }
}
