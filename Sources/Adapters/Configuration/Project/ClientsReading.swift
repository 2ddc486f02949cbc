internal import Domain
internal import OAuth

/// Reads `oauth.clients`, and what must hold between clients.
struct ClientsReading {
    private let project: ProjectReading
    private let settings: ProjectSettings

    init(_ project: ProjectReading, _ settings: ProjectSettings) {
        self.project = project
        self.settings = settings
    }

    func read() -> [ClientSettings] {
        let clients = project.root.sections("oauth.clients").map { section in
            ClientReading(section, project, settings).read()
        }
        var seen: Set<ClientID> = []
        for client in clients {
            if client.isNamed, !seen.insert(client.settings.id).inserted {
                client.section.report("client_id", "\(client.settings.id) appears twice")
            }
        }
        for client in clients { check(client, among: clients) }
        return clients.map(\.settings)
    }

    private func check(_ client: ReadClient, among clients: [ReadClient]) {
        let section = client.section
        let targets = "x_app2app_allowed_clients"
        for (index, name) in client.app2appTargets.enumerated() {
            if name == client.settings.id.text {
                project.warn("\(section.path).\(targets)[\(index)]", "no app lets itself in")
            } else if !clients.contains(where: { $0.settings.id.text == name }) {
                section.report(targets, element: index, "no client is \(name)")
            }
        }
        checkLinkApp(client, clients)
        for (index, name) in client.settings.resources.enumerated() {
            let isKnown =
                name == settings.publicOrigin || settings.resources.contains { $0.uri == name }
                || clients.contains { $0.settings.id.text == name }
            if !isKnown {
                let problem = "is none of oauth.resources, not the issuer and no client_id"
                section.report("resources", element: index, problem)
            }
        }
        for (index, uri) in client.settings.defaultResources.enumerated()
        where !settings.resources.contains(where: { $0.uri == uri }) {
            section.report("default_resources", element: index, "is none of oauth.resources")
        }
    }

    private func checkLinkApp(_ client: ReadClient, _ clients: [ReadClient]) {
        let app = client.settings.loginLinkApp
        guard app != client.settings.id else { return }
        let key = "x_login_link_app_client_id"
        guard let other = clients.first(where: { $0.settings.id == app }) else {
            client.section.report(key, "no client is \(app)")
            return
        }
        let link = other.settings.universalLink
        if link.iosAppID == nil && link.androidPackage == nil {
            client.section.report(key, "\(app) has no universal_link")
        }
    }
}

/// A client with what only the checks between clients need.
struct ReadClient {
    var section: Section
    var settings: ClientSettings
    /// Whether `client_id` was there and right.
    var isNamed: Bool
    var app2appTargets: [String]
}
