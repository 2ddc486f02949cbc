/// What the server says of itself, under both names (RFC 8414 section 3, OpenID Discovery 4).
package struct DiscoveryRoute: DocumentRoute {
    package static var paths: [String] {
        ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
    }

    package let snapshots: ProjectSnapshots

    package static func document(of snapshot: ProjectSnapshot) -> ProjectSnapshot.Document {
        snapshot.discovery
    }
}
