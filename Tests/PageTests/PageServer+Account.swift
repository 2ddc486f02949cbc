import Domain
import Foundation
import InMemory
import Issuing
import OAuth
import TestSupport

/// What a user may find in the settings.
extension PageServer {
    private static let verifier = "a-verifier-of-at-least-forty-three-characters"

    /// An app's request for a login, whose code `signInApp` can redeem.
    func appURL(_ client: String = "app") -> String {
        let challenge = Base64URL.text(side.digester.sha256(Array(Self.verifier.utf8)).bytes)
        return authorizeURL(client, ["code_challenge": challenge])
    }

    /// Redeems the code that the browser brought back, on a phone of this name.
    func redeem(_ callback: String, by client: String = "app", on model: String) async throws {
        let code = try Fixture.some(callback.components(separatedBy: "code=").last)
            .prefix { $0 != "&" }
        let info =
            #"{"android":{"Build":{"MANUFACTURER":"Google","MODEL":"\#(model)"},"#
            + #""ApplicationInfoLabel":"Example Bank"}}"#
        _ = try await grants.endpoint.respond(
            to: RequestParameters([
                "grant_type": "authorization_code", "code": String(code),
                "redirect_uri": "\(site)/callback", "code_verifier": Self.verifier,
                "x_device_info": Base64URL.text(Array(info.utf8)),
            ]),
            from: Caller(
                project: side.project,
                client: try Fixture.some(side.project.enabledClient(Sample.client(client))),
                deadline: Fixture.noDeadline
            )
        )
    }

    private var grants: AllGrants {
        AllGrants(
            commands: side.commands,
            signer: side.signer,
            digester: side.digester,
            reader: StandInClientJWTReader(),
            memory: InMemoryProofs(),
            pace: AnyPace(),
            sealer: side.sealer,
            mailQueue: side.mailQueue,
            mailIsDue: {}
        )
    }

    /// A phone that signs the newest user in with a finger.
    func addKey() async throws {
        let kid = "kid-\(side.store.commits.count)-0001"
        let subject = SubjectID(
            try Fixture.some(
                side.store.allEvents.last { event in
                    if case .subject(.registered) = event.body { true } else { false }
                }
            ).stream
        )
        let stream = StreamNames(side.digester).biometricKey(kid, in: side.project.number)
        var attributes = EventAttributes(actor: .system)
        attributes.subject = subject
        let request = CommandRequest(
            project: side.project,
            attributes: attributes,
            deadline: Fixture.noDeadline
        )
        let registration = BiometricKey.Registration(
            subject: subject,
            client: Sample.client("app"),
            kid: kid,
            key: DeviceKey(thumbprint: Sample.key(1), jwk: Array("{}".utf8)),
            algorithm: "ES256",
            enabledAt: side.clock.now
        )
        try await side.commands.run(request, on: stream) {
            (work: inout Work) async throws(CommandError<BiometricKey.Rejection>) in
            var key = Loaded<BiometricKey>.new(stream)
            do throws(BiometricKey.Rejection) {
                try work.decide(.enable(registration), on: &key)
            } catch { throw .refused(error) }
        }
    }
}
