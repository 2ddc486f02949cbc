import TestSupport
import Testing

extension Races {
    /// WireContract 6.4; Security 4.10.
    @Suite("One proof for many grants") struct ProofGrantsTests {
        private typealias Asking = (sentence: String, request: WireRequest)

        /// One request of each grant that gives something, all of them good, none with a proof.
        private static func requests(_ project: TestProject) async throws -> [Asking] {
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let refreshed = try await person.session()
            let owner = try await person.session(on: phone).member("refresh_token")
            let approval = GrantForm.app2app(owner, try await site.signed(by: phone, .app2app))
            let user = try await BiometricUser.enrolled(at: site)
            let other = try await BiometricUser.enrolled(at: site)
            var asking: [Asking] = [
                ("a code", .token(GrantForm.code(try await person.code()))),
                ("a refresh", .token(GrantForm.refresh(refreshed.member("refresh_token")))),
                ("an approval", .token(approval)),
                ("a login by a biometric key", try await user.login()),
                ("an approval by a biometric key", try await other.approval()),
                ("a setup", try await user.setup(try PhoneKey("ES256"), "\(user.kid)-2")),
            ]
            for (sentence, client) in [("an app that joins", "invest"), ("a URL", "offers")] {
                let session = try await person.session(scope: Person.everything)
                let form = GrantForm.exchange(
                    session.member("id_token"),
                    session.member("device_secret"),
                    for: client,
                    at: site,
                    type: client == "offers" ? GrantForm.urlType : ""
                )
                asking.append((sentence, .token(form)))
            }
            let service = [("grant_type", "client_credentials")]
            let assertion = try project.assertionForm("service")
            return asking + [("a service", .token(service + assertion))]
        }

        private static func adding(_ proof: String, to request: WireRequest) -> WireRequest {
            var request = request
            request.headers.append((name: "DPoP", value: proof))
            return request
        }

        @Test("attack: one proof comes with one request of every grant at once: one takes it")
        func grants() async throws {
            let project = try await Races.project()
            let site = project.site
            let key = try PhoneKey("ES256")
            let asked = try await Self.requests(project)
            let proof = try site.proof(by: key)
            let answers = try await Race(at: project).run(
                asked.map { Self.adding(proof, to: $0.request) }
            )
            #expect(answers.outcomes == ["200": 1, "400 invalid_dpop_proof": asked.count - 1])
            let refused = zip(asked, answers).filter { $0.1.status != 200 }.map(\.0)
            // Whichever grant it was used at, no other one takes it, at no node.
            try await project.refuse(
                requests: refused.map { ($0.sentence, Self.adding(proof, to: $0.request)) },
                as: "400 invalid_dpop_proof"
            )
            // And nothing that it came with was burnt.
            for (sentence, request) in refused {
                let fresh = Self.adding(try site.proof(by: key), to: request)
                let answer = try await site.send(fresh)
                #expect(answer.status == 200, "\(sentence): \(answer.text)")
            }
        }
    }
}
