/// `GET /.well-known/assetlinks.json` (WireContract 7.6).
package struct AndroidLinkFileRoute: DocumentRoute {
    package static var paths: [String] { ["/.well-known/assetlinks.json"] }

    package let snapshots: ProjectSnapshots

    package static func document(of snapshot: ProjectSnapshot) -> ProjectSnapshot.Document {
        snapshot.assetLinks
    }
}
