internal import HTTPServer
internal import Domain
package import Issuing
internal import OAuth

/// What is the same in every answer of a project: rendered once, replaced whole.
package final class ProjectSnapshot: Sendable {
    /// A body that may be cached, as the answer that carries it.
    package struct Document: Sendable {
        /// Its strong entity tag, with quotes.
        package let tag: String
        let response: Response
        /// `304`: the caller has it.
        let unchanged: Response

        init(_ body: [UInt8], digest: TokenDigest) {
            tag = "\"\(Hexadecimal.text(Array(digest.bytes.prefix(16))))\""
            var response = Response.json(body)
            var unchanged = Response.empty(.notModified)
            response.add("ETag", tag)
            unchanged.add("ETag", tag)
            response.caching = .shared
            unchanged.caching = .shared
            self.response = response
            self.unchanged = unchanged
        }
    }

    package let discovery: Document
    package let keys: Document
    package let appleAppSiteAssociation: Document
    package let assetLinks: Document
    /// Who may call `CrossOrigin.clients` routes from a browser.
    package let allowedOrigins: Set<[UInt8]>
    private let project: Project

    package init(_ project: Project, digester: any Digester, grantTypes: [String]) {
        let document = { (body: [UInt8]) in Document(body, digest: digester.sha256(body)) }
        discovery = document(DiscoveryMetadata(project, grantTypes: grantTypes).render())
        keys = document(KeySet(project).render())
        appleAppSiteAssociation = document(LinkFiles(project).appleAppSiteAssociation())
        assetLinks = document(LinkFiles(project).assetLinks())
        allowedOrigins = Self.origins(project)
        self.project = project
    }

    /// Whether it still says what `project` says.
    func describes(_ project: Project) -> Bool {
        // The catalogue keeps one object until something changes, so this is nearly always enough.
        project === self.project
            // Another server's log may be at the same version by other events.
            || project.configuration == self.project.configuration
                && project.ring == self.project.ring
                && project.isSuspended == self.project.isSuspended
                && project.digest == self.project.digest
    }

    /// Origins of the redirect URIs of enabled clients, those that pre-authenticated URLs may open
    /// of them, and those the project lists besides (WireContract 1.3); of a suspended project,
    /// too: their pages read why they are refused.
    private static func origins(_ project: Project) -> Set<[UInt8]> {
        var origins = Set(project.settings.allowedOrigins.map { Array($0.utf8) })
        for client in project.settings.clients
        where project.servedClient(client.id) != nil {
            for uri in client.redirectURIs {
                let parsed = try? AbsoluteURI(Array(uri.text.utf8))
                guard let origin = parsed?.origin else { continue }
                origins.insert(Array(origin.description.utf8))
            }
            for origin in client.preAuthenticatedURL?.allowedOrigins ?? [] {
                origins.insert(Array(origin.utf8))
            }
        }
        return origins
    }
}
