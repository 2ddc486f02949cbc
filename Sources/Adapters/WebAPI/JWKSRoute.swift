/// `GET /oauth2/jwks`: the public keys (RFC 7517 section 5, WireContract 8.5).
package struct JWKSRoute: DocumentRoute {
    package static var paths: [String] { ["/oauth2/jwks"] }

    package let snapshots: ProjectSnapshots

    package static func document(of snapshot: ProjectSnapshot) -> ProjectSnapshot.Document {
        snapshot.keys
    }
}
