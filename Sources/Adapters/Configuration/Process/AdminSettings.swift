package import Issuing
package import Runtime
internal import OAuth

/// Section `admin`: the listener of operators, probes and metrics.
package struct AdminSettings: Sendable {
    /// Nil: there is no admin listener.
    package let address: SocketAddress?
    /// Who may use the admin API; health and metrics need nobody.
    package let operators: [Entry]

    /// An operator and the SHA-256 of the bearer token that proves it.
    package struct Entry: Sendable {
        package let operatorName: Operator
        package let tokenDigest: [UInt8]
    }

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let admin = root.section("admin")
        let text = admin.optionalString("listen")
        address = text.flatMap { SocketAddress($0) }
        if text != nil, address == nil {
            admin.report("listen", "must be an address such as 127.0.0.1:9080")
        }
        if let address, !address.isLoopback {
            admin.report("listen", "must be a loopback address")
        }
        operators = admin.sections("operators").compactMap(Self.entry)
    }

    private static func entry(_ section: Section) -> Entry? {
        let name = section.string("name", hint: "the operator's name")
        let role = section.choice("role", default: Operator.Role.read)
        let hex = section.string("token_sha256", hint: "64 hexadecimal digits")
        guard let digest = Hexadecimal.decode(Array(hex.utf8)), digest.count == 32 else {
            section.report("token_sha256", "must be 64 lower-case hexadecimal digits")
            return nil
        }
        return Entry(operatorName: Operator(name: name, role: role), tokenDigest: digest)
    }
}
