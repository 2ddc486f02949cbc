/// `GET /.well-known/apple-app-site-association` (WireContract 7.6).
package struct AppleLinkFileRoute: DocumentRoute {
    package static var paths: [String] { ["/.well-known/apple-app-site-association"] }

    package let snapshots: ProjectSnapshots

    package static func document(of snapshot: ProjectSnapshot) -> ProjectSnapshot.Document {
        snapshot.appleAppSiteAssociation
    }
}
