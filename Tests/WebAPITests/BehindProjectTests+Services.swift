import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

extension BehindProjectTests {
    @Test("leaves open what a service's token is worth, unless that is over") func service()
        async throws
    {
        let web = try await WebSide()
        func token() async throws -> AccessTokenClaims {
            let form = RequestParameters(["grant_type": "client_credentials"])
            let answer = try await web.side.endpoint.respond(to: form, from: web.side.caller("api"))
            let text = try #require(answer.accessToken?.text)
            let (project, now) = (web.side.project, web.side.clock.now)
            return try #require(web.side.signer.verifyAccessToken(text, of: project, at: now))
        }
        let old = try await token()
        let settings = web.side.project.settings
        var without = settings
        without.clients.removeAll { $0.id.text == "api" }
        try await web.side.apply(without)
        web.side.clock.advance(seconds: 1)
        try await web.side.apply(settings)
        web.side.clock.advance(seconds: 1)
        let new = try await token()
        try await Self.lose("api", web)
        let project = try #require(web.side.projects.all.first)
        let liveness = web.side.liveness
        #expect(try await !liveness.isAlive(old, in: project, by: Fixture.noDeadline))
        await #expect(throws: StoreError.unavailable) {
            try await liveness.isAlive(new, in: project, by: Fixture.noDeadline)
        }
    }

    @Test(
        "gives a service that it may only lack no token and no last word",
        arguments: [true, false]
    )
    func credentials(_ isHeard: Bool) async throws {
        let web = try await WebSide()
        let (caller, settings) = (try web.side.caller("api"), web.side.project.settings)
        var without = settings
        without.clients.removeAll { $0.id.text == "api" }
        try await web.side.apply(settings, isHeard: isHeard, serving: without)
        let form = RequestParameters(["grant_type": "client_credentials"])
        await expect(refusal: .temporarilyUnavailable) {
            try await web.side.endpoint.respond(to: form, from: caller)
        }
        let basic: KeyValuePairs = ["authorization": "Basic YXBpOmEtc2VjcmV0"]
        func ask() async throws -> Answer {
            try await web.post("/oauth2/token", "grant_type=client_credentials", basic)
        }
        #expect(try await ask().word == "503 temporarily_unavailable")
        try await web.side.apply(without)
        #expect(try await ask().word == "401 invalid_client")
        await expect(refusal: .invalidClient) {
            try await web.side.endpoint.respond(to: form, from: caller)
        }
    }

    @Test("records no end by settings that may have been followed by others, unless it is said")
    func unreadable() async throws {
        for isTakenAlong in [false, true] {
            let web = try await CascadeTests.cascading()
            let owner = try await CascadeTests.Holder(web, web.side.code())
            let target = try await owner.letIn("other")
            var settings = try #require(web.side.projects.all.first).settings
            if isTakenAlong {
                settings.clients.removeAll { $0.id.text == "app" }
                try await web.side.apply(settings)
            }
            let project = try #require(web.side.projects.all.first)
            let end = try owner.session()
            try await web.side.run(OfflineGrant.self, end.stream) { .revoke(.logout) }
            try await web.side.apply(settings, isHeard: false)
            let ending = SessionEnding(
                commands: web.side.commands(projects: UnreadableProjects(project: project))
            )
            let request = CommandRequest(
                project: project,
                attributes: EventAttributes(actor: .system),
                deadline: Fixture.noDeadline
            )
            if isTakenAlong {
                #expect(try await ending.cascade(from: end, request: request) == 1)
            } else {
                // It comes again.
                await #expect(throws: StoreError.unavailable) {
                    try await ending.cascade(from: end, request: request)
                }
            }
            #expect(try await target.isOpen() == !isTakenAlong)
        }
    }
}

/// What the log has behind the configuration of a project cannot be read here.
private struct UnreadableProjects: ProjectDirectory {
    let project: Project

    var all: [Project] { [project] }

    func project(host: String) -> Project? { project }

    func project(id: ProjectID) -> Project? { project }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        throw .corrupt(project.configuration.stream, version: project.configuration.version + 1)
    }

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        project
    }
}
