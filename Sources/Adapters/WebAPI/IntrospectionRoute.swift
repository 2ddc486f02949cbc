internal import HTTPServer
internal import Domain
package import Issuing
internal import OAuth

/// `POST /oauth2/introspect` (RFC 7662, as a JWT RFC 9701; WireContract 9.2).
package struct IntrospectionRoute: Route {
    package static var paths: [String] { ["/oauth2/introspect"] }
    package static var methods: [Method] { [.post] }
    package static var outlivesSuspension: Bool { true }

    private static let signedType: StaticString = "application/token-introspection+jwt"

    private let clients: ClientAuthentication
    private let introspection: Introspection
    private let signer: any TokenSigner
    private let clock: any WallClock
    private let failures: FailureLimits

    package init(
        clients: ClientAuthentication,
        introspection: Introspection,
        signer: any TokenSigner,
        clock: any WallClock,
        limits: RequestLimits
    ) {
        self.clients = clients
        self.introspection = introspection
        self.signer = signer
        self.clock = clock
        failures = FailureLimits(limits)
    }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func respond(to request: Request, in project: Project) async -> Response {
        await failures.guarding(request, by: clients, in: project) {
            (client: ClientRequest) async throws(OAuthError) in
            try client.form.refuseRepeats(of: ["token", "token_type_hint"])
            let caller = try client.caller(
                of: request,
                by: clients,
                in: project,
                provingItself: true,
                // It hears that nothing is alive.
                evenSuspended: true
            )
            let token = try client.form.required("token")
            let isSigned = request.accepts("\(Self.signedType)")
            // Before an assertion is spent (decision 0118).
            let algorithm = project.settings.signingAlgorithm
            guard !isSigned || signer.canSign(with: algorithm, for: project) else {
                throw OAuthError(SigningError.noKey(algorithm))
            }
            let answer = try await introspection.introspect(token, for: caller)
            return isSigned ? try signed(answer, for: caller) : .json(answer.render())
        }
    }

    private func signed(_ answer: IntrospectionResponse, for caller: Caller)
        throws(OAuthError) -> Response
    {
        var claims = JSONWriter(reserving: 1024)
        claims.object { claims in
            claims.member("iss", caller.project.issuer)
            claims.member("aud", caller.client.id.text)
            claims.member("iat", clock.now.seconds)
            claims.name("token_introspection")
            claims.rendered(answer.render())
        }
        do {
            let token = try signer.sign(
                type: "token-introspection+jwt",
                claims: claims.bytes,
                for: caller.project
            )
            return Response(.ok, contentType: Self.signedType, body: token)
        } catch { throw OAuthError(error) }
    }
}

extension Request {
    /// Whether `Accept` names `type` itself and does not refuse it; ranges do not matter here.
    func accepts(_ type: String) -> Bool {
        headers.all("accept").contains { value in
            value.split(separator: UInt8(ascii: ",")).contains { item in
                let words = item.filter { $0 != 0x20 && $0 != 0x09 }
                    .map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
                    .split(separator: UInt8(ascii: ";"))
                guard let name = words.first, name.elementsEqual(type.utf8) else { return false }
                return !words.dropFirst().contains(where: Self.isZeroWeight)
            }
        }
    }

    /// `q=0`, with up to three decimals (RFC 9110 section 12.4.2).
    private static func isZeroWeight(_ parameter: ArraySlice<UInt8>) -> Bool {
        parameter.starts(with: "q=0".utf8)
            && parameter.dropFirst(3).allSatisfy { ".0".utf8.contains($0) }
    }
}
