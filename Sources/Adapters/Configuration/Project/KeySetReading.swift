internal import Domain
internal import OAuth

/// Reads `jwks`: public keys with `kid` (RFC 7517), written inline.
struct KeySetReading {
    private static let keysMax = 16
    private let section: Section

    init(_ client: Section) { section = client.section("jwks") }

    func read() -> [ClientSettings.Key] {
        let keys = section.sections("keys")
        if keys.count > Self.keysMax { section.report("keys", "at most \(Self.keysMax) keys") }
        var seen: Set<String> = []
        return keys.compactMap { key in
            let kid = key.string("kid", hint: "the name assertions carry in their header")
            if key.has("kid"), !(1...64 ~= kid.utf8.count) {
                key.report("kid", "must have 1-64 bytes")
            }
            if !kid.isEmpty, !seen.insert(kid).inserted { key.report("kid", "appears twice") }
            guard var members = members(key) else { return nil }
            members.append(JSON.Member("kid", .string(kid)))
            return CanonicalJSON.write(.object(members)).map {
                ClientSettings.Key(kid: kid, jwk: $0)
            }
        }
    }

    private func members(_ key: Section) -> [JSON.Member]? {
        for name in ["d", "p", "q", "dp", "dq", "qi", "k"] where key.has(name) {
            key.report(name, "belongs to a private key: take it out and make a new key")
        }
        if let use = key.optionalString("use"), use != "sig" {
            key.report("use", "must be sig")
        }
        let kind = key.string("kty", hint: "EC, RSA or OKP")
        guard let form = Self.forms.first(where: { $0.kind == kind }) else {
            if key.has("kty") { key.report("kty", "must be EC, RSA or OKP, not `\(kind)`") }
            return nil
        }
        var members = [JSON.Member("kty", .string(kind))]
        if let curve = form.curve {
            if key.string("crv", hint: curve) != curve { key.report("crv", "must be \(curve)") }
            members.append(JSON.Member("crv", .string(curve)))
        }
        if let algorithm = key.optionalString("alg") {
            if !form.algorithms.contains(algorithm) {
                let known = form.algorithms.joined(separator: " or ")
                key.report("alg", "must be \(known) for \(kind)")
            }
            members.append(JSON.Member("alg", .string(algorithm)))
        }
        for name in form.members {
            let text = key.string(name, hint: "base64url")
            if key.has(name), let problem = Self.problem(with: text, name, kind) {
                key.report(name, problem)
            }
            members.append(JSON.Member(name, .string(text)))
        }
        return members
    }

    private struct Form {
        var kind: String
        var curve: String?
        var members: [String]
        var algorithms: [String]
    }

    private static let forms = [
        Form(kind: "EC", curve: "P-256", members: ["x", "y"], algorithms: ["ES256"]),
        Form(kind: "RSA", curve: nil, members: ["n", "e"], algorithms: ["PS256", "RS256"]),
        Form(kind: "OKP", curve: "Ed25519", members: ["x"], algorithms: ["EdDSA"]),
    ]

    /// Lengths and the rules of Security 3; whether a point is on its curve shows when
    /// an assertion is checked.
    private static func problem(with text: String, _ name: String, _ kind: String) -> String? {
        guard let bytes = Base64URL.decode(Array(text.utf8)), let first = bytes.first else {
            return "must be base64url without padding"
        }
        switch name {
        case "n":
            let bits = bytes.count * 8 - first.leadingZeroBitCount
            return 2048...4096 ~= bits && first != 0 ? nil : "must have 2048-4096 bits"
        case "e":
            let isOdd = bytes.last.map { $0 & 1 == 1 } ?? false
            let isInRange = bytes.count <= 4 && bytes != [1] && first != 0
            return isOdd && isInRange ? nil : "must be odd, from 3 to 2^32-1"
        default:
            return bytes.count == 32 ? nil : "must be 32 bytes"
        }
    }
}
