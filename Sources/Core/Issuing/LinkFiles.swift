internal import Domain
internal import OAuth

/// The files by which a phone learns which app opens a project's links (WireContract 7.6).
///
/// Enabled clients, by `client_id`; none configured gives empty lists. Of a suspended project, too:
/// phones keep for days what they read (decision 0201).
package struct LinkFiles: Sendable {
    private let clients: [ClientSettings]

    package init(_ project: Project) {
        clients = project.settings.clients
            .filter { project.servedClient($0.id) != nil }
            .sorted { $0.id < $1.id }
    }

    /// `apple-app-site-association`.
    package func appleAppSiteAssociation() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("applinks")
            writer.object { writer in
                writer.name("details")
                writer.array { writer in
                    for client in clients {
                        guard let app = client.universalLink.iosAppID else { continue }
                        writer.object { writer in
                            writer.member("appID", app)
                            writer.member("paths", Self.paths(of: client))
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func paths(of client: ClientSettings) -> [String] {
        let flows = "/clients/\(client.id)/flows/"
        return [flows + "verify_login_link"]
            + (client.universalLink.opensApp2App ? [flows + "app2app"] : [])
    }

    /// `assetlinks.json`; without an app that has no fingerprint: no phone finds it to be that one.
    package func assetLinks() -> [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for client in clients {
                guard let package = client.universalLink.androidPackage,
                    !client.universalLink.androidFingerprints.isEmpty
                else { continue }
                writer.object { writer in
                    writer.member("relation", ["delegate_permission/common.handle_all_urls"])
                    writer.name("target")
                    writer.object { writer in
                        writer.member("namespace", "android_app")
                        writer.member("package_name", package)
                        writer.member(
                            "sha256_cert_fingerprints",
                            client.universalLink.androidFingerprints
                        )
                    }
                }
            }
        }
        return writer.bytes
    }
}
