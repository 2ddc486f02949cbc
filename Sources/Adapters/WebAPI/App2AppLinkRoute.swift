internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /clients/{client_id}/flows/app2app`: where a browser lands when the owner's app is not
/// there to take the link (WireContract 4.7).
///
/// The target then logs its user in as anybody does.
package struct App2AppLinkRoute: Route {
    package static var paths: [String] { ["/clients/{client_id}/flows/app2app"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .page }

    private static let parameters: Set<String> = [
        "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "state",
    ]
    private static let kept = ["client_id", "redirect_uri", "code_challenge", "state"]

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(
            request,
            project,
            services,
            parameters: Self.parameters
        ) { visit throws(OAuthError) in
            let sent = RequestParameters(visit.form)
            guard try Self.isOwner(request, in: project), try Self.isTarget(sent, in: project),
                try Self.isChallenged(sent)
            else { throw Self.refusal }
            return .redirect(try Self.target(sent))
        }
    }

    private static func isOwner(_ request: Request, in project: Project)
        throws(OAuthError) -> Bool
    {
        guard let name = request.parameters["client_id"], let id = ClientID(name) else {
            return false
        }
        let owner = try client(id, in: project)
        return owner.app2app != nil && owner.universalLink.opensApp2App
    }

    /// Its redirect URI in full: it is what the code goes to.
    private static func isTarget(_ sent: RequestParameters, in project: Project)
        throws(OAuthError) -> Bool
    {
        guard let id = ClientID(try sent.required("client_id")),
            let uri = RedirectURI(try sent.required("redirect_uri"))
        else { return false }
        let target = try client(id, in: project)
        return target.redirectURIs.contains {
            RedirectURIRules.matches(uri, $0, isNative: target.applicationType == .native)
        }
    }

    /// An enabled client of the link's.
    ///
    /// - Throws: nothing final about one that this node may only lack (decision 0156).
    private static func client(_ id: ClientID, in project: Project)
        throws(OAuthError) -> ClientSettings
    {
        guard let client = project.enabledClient(id)?.value else {
            throw OAuthError(about: id, in: project, refusal)
        }
        return client
    }

    /// The link of the seed has no method: `S256` is meant.
    private static func isChallenged(_ sent: RequestParameters) throws(OAuthError) -> Bool {
        let challenge = try sent.required("code_challenge")
        let method = try sent.optional("code_challenge_method")
        guard method?.elementsEqual("S256".utf8) ?? true else { return false }
        return challenge.count == 43 && Base64URL.decode(challenge) != nil
    }

    private static func target(_ sent: RequestParameters) throws(OAuthError) -> String {
        var fields: [Form.Field] = []
        for name in kept {
            guard let value = try sent.optional(name) else { continue }
            fields.append(Form.Field(name: Array(name.utf8), value: value))
        }
        for (name, value) in [
            ("response_type", "code"), ("code_challenge_method", "S256"),
            ("scope", "openid offline_access"),
        ] {
            fields.append(Form.Field(name: Array(name.utf8), value: Array(value.utf8)))
        }
        return "/oauth2/authorize?" + String(decoding: Form.encode(fields), as: UTF8.self)
    }

    private static var refusal: OAuthError {
        OAuthError(.invalidRequest, "the link is not valid", refusal: "AP-007")
    }
}
