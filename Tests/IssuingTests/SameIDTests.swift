import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Of the log two projects may have one id: the later was made in the place of the other (decision
/// 0124).
@Suite("Of two projects with one id") struct SameIDTests {
    /// Another project with the id of the side's, and with no clients.
    private static func twin(of side: TokenSide) -> Project {
        var settings = side.project.settings
        settings.clients = []
        let number = Sample.number(2)
        let names = StreamNames(side.digester)
        return Project(
            number: number,
            settings: settings,
            digest: side.project.digest,
            configuration: StreamGuard(stream: names.projectConfig(number), version: 1),
            keys: side.project.keys,
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
    }

    @Test("a command that is decided again stays in its own") func command() async throws {
        let side = try await TokenSide()
        let twin = Self.twin(of: side)
        side.projects.replace(twin)
        for project in [side.project, twin] {
            let request = CommandRequest(
                project: project,
                attributes: EventAttributes(actor: .system),
                deadline: Fixture.noDeadline
            )
            var seen: [ProjectNumber] = []
            try await side.commands.run(request, on: project.configuration.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                seen.append(work.project.number)
                if seen.count == 1 { throw .store(.conflict) }
            }
            #expect(seen == [project.number, project.number])
        }
    }

    @Test("each believes its tokens by its own settings") func tokens() async throws {
        let side = try await TokenSide()
        let caller = try side.caller("api")
        let form = RequestParameters(["grant_type": "client_credentials"])
        let tokens = [
            try await side.redeem(side.code()),
            try await side.endpoint.respond(to: form, from: caller),
        ]
        // This node has not heard of it.
        try await side.apply(side.project.settings, isHeard: false)
        side.projects.replace(Self.twin(of: side))
        for token in tokens.map(\.accessToken) {
            let said = try await side.introspection.introspect(token?.text ?? [], for: caller)
            guard case .active = said else {
                Issue.record("\(said)")
                continue
            }
        }
    }
}
