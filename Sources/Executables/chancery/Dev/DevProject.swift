import Runtime

/// The demo project, applied through the admin API as an operator would.
struct DevProject: Sendable {
    /// A demo client: its environment variable and, when it has one, its secret.
    struct Client: Sendable {
        var id: String
        var hasSecret: Bool
        var purpose: String

        var variable: String { "CLIENT_\(id.uppercased())" }
    }

    static let clients = [
        Client(id: "app", hasSecret: false, purpose: "a mobile app, public, PKCE"),
        Client(id: "invest", hasSecret: false, purpose: "a second app of the same vendor"),
        Client(id: "offers", hasSecret: false, purpose: "web pages that an app opens, logged in"),
        Client(id: "web", hasSecret: true, purpose: "a web application with a server"),
        Client(id: "partner", hasSecret: false, purpose: "somebody else's, asks for consent"),
        Client(id: "api", hasSecret: true, purpose: "a resource server"),
    ]

    private static let startMax: Duration = .seconds(10)

    let folder: DevFolder
    let ports: DevPorts
    let secrets: DevSecrets

    var issuer: String { "http://localhost:\(ports.issuer)" }
    /// The web client `offers`, and the stand-in for the app that opens it.
    var offers: String { "http://localhost:\(ports.offers)" }
    var projector: String { "http://localhost:\(ports.projector)" }
    private var document: String { "\(folder.settings)/demo.yaml" }

    /// `id`, or `id:secret` as `curl --user` takes it.
    func credentials(_ client: Client) throws(CommandFailure) -> String {
        client.hasSecret ? "\(client.id):\(try secrets.text("client-\(client.id)"))" : client.id
    }

    /// Writes the document, with this stack's addresses and digests.
    func write() throws(CommandFailure) {
        let template = "\(folder.checkout)/deploy/config/demo.yaml"
        guard var text = Files.text(template) else {
            throw CommandFailure("cannot read \(template)")
        }
        text = text.replacing("{{issuer}}", with: issuer)
        text = text.replacing("{{projector}}", with: projector)
        text = text.replacing("{{offers}}", with: offers)
        for client in Self.clients where client.hasSecret {
            let digest = try secrets.digest("client-\(client.id)")
            text = text.replacing("{{\(client.id)_secret_sha256}}", with: digest)
        }
        try Files.write(text, to: document)
    }

    /// Applies the document when it differs from the one in force.
    func apply(_ admin: AdminClient, on loop: Loop) async throws(CommandFailure) {
        let file = try ProjectFile(document)
        let project = ProjectAPI(admin, on: loop)
        let end = MonotonicInstant.now().advanced(by: Self.startMax)
        var current: ProjectAPI.Current?
        while true {
            do throws(CommandFailure) {
                current = try await project.current(file.id)
                break
            } catch {
                // An issuer that has just started may not have looked through its log yet.
                guard error.httpStatus == 503, MonotonicInstant.now() < end else { throw error }
            }
            try? await loop.sleep(until: .now().advanced(by: .milliseconds(100)))
        }
        guard current?.text != file.text else { return }
        _ = try await project.apply(file, over: current, reason: "chancery dev")
    }
}
