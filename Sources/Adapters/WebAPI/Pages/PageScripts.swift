internal import Domain
package import Issuing
internal import OAuth

/// The SHA-256 of the two scripts, as the content security policy and `integrity` name them.
package struct PageScripts: Sendable {
    private let hashes: [StaticAsset: String]

    package init(digester: any Digester) {
        var hashes: [StaticAsset: String] = [:]
        for asset in [StaticAsset.waiting, .submit] {
            hashes[asset] = Self.source(digester.sha256(asset.bytes).bytes)
        }
        self.hashes = hashes
    }

    /// `sha256-<base64>`; empty for what is no script, which no policy admits.
    func source(of asset: StaticAsset) -> String { hashes[asset] ?? "" }

    /// With padding and the plain alphabet (CSP level 3 section 2.3.1).
    private static func source(_ digest: [UInt8]) -> String {
        let base64 = Base64URL.text(digest).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return "sha256-\(String(base64))="
    }
}
