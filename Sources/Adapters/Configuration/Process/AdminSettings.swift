package import Issuing
package import Runtime
internal import OAuth

/// Section `admin`: the listener of operators, probes and metrics.
package struct AdminSettings: Sendable {
    /// Nil: there is no admin listener.
    package let address: SocketAddress?
    /// PEM files, all three or none.
    ///
    /// Required beyond loopback (Security 10.2).
    package let certificatePath: String?
    package let keyPath: String?
    /// Who vouches for clients: nobody connects without a certificate of theirs.
    package let clientAuthoritiesPath: String?
    /// Who may use the admin API; on a listener without client certificates, health and metrics
    /// need nobody.
    package let operators: [Entry]

    /// An operator and what proves it.
    package struct Entry: Sendable {
        package let operatorName: Operator
        package let proof: Proof
    }

    /// A SHA-256, 32 bytes.
    package enum Proof: Hashable, Sendable {
        /// Of a bearer token.
        case token([UInt8])
        /// Of a client certificate in DER.
        case certificate([UInt8])
    }

    /// Reads the section; findings go to its document.
    ///
    /// `hasAPI`: whether the process has the admin API; the others ask nobody who calls.
    package init(_ root: Section, hasAPI: Bool = true) {
        let admin = root.section(.admin)
        let text = admin.optionalString("listen")
        address = text.flatMap { SocketAddress($0) }
        if text != nil, address == nil {
            admin.report("listen", "must be an address such as 127.0.0.1:9080")
        }
        certificatePath = admin.optionalString("tls_certificate_file")
        keyPath = admin.optionalString("tls_key_file")
        clientAuthoritiesPath = admin.optionalString("tls_client_authorities_file")
        let files = [certificatePath, keyPath, clientAuthoritiesPath].compactMap { $0 }
        if !files.isEmpty, files.count < 3 {
            admin.report(
                nil,
                "tls_certificate_file, tls_key_file and tls_client_authorities_file come together"
            )
        }
        let hasCertificates = files.count == 3
        if let address, !address.isLoopback, files.isEmpty {
            admin.report(
                "listen",
                "must be a loopback address, or ask for certificates: tls_client_authorities_file"
            )
        }
        let sections = admin.sections("operators")
        if !admin.has("listen") {
            Self.reportUnused(admin, hasOperators: hasAPI && !sections.isEmpty)
        }
        guard hasAPI else {
            admin.ignore("operators")
            if !sections.isEmpty {
                admin.report("operators", "is token-issuer's: nothing here asks who calls")
            }
            self.operators = []
            return
        }
        var operators: [Entry] = []
        for section in sections {
            let entry = Self.entry(section, hasCertificates: hasCertificates)
            guard let entry else { continue }
            Self.check(entry, in: section, beside: operators)
            operators.append(entry)
        }
        self.operators = operators
    }

    /// Where nobody listens, nobody is asked who they are.
    private static func reportUnused(_ admin: Section, hasOperators: Bool) {
        let files = ["tls_certificate_file", "tls_key_file", "tls_client_authorities_file"]
        for key in files where admin.has(key) {
            admin.report(key, "needs admin.listen: there is no listener without it")
        }
        if hasOperators {
            admin.report("operators", "needs admin.listen: there is no listener without it")
        }
    }

    /// A proof is one operator's.
    ///
    /// A name may have several proofs, as while a token is changed, but
    /// one role: the log knows who it was by the name.
    private static func check(_ entry: Entry, in section: Section, beside others: [Entry]) {
        let holder = entry.operatorName
        if others.contains(where: { $0.proof == entry.proof }) {
            let key = if case .token = entry.proof { "token" } else { "certificate" }
            section.report("\(key)_sha256", "appears twice")
        }
        if others.contains(where: { other in
            other.operatorName.name.utf8.elementsEqual(holder.name.utf8)
                && other.operatorName.role != holder.role
        }) {
            section.report("name", "appears twice, with another role")
        }
    }

    private static func entry(_ section: Section, hasCertificates: Bool) -> Entry? {
        let name = section.string("name", hint: "the operator's name")
        // It stands in the metadata of each event that they bring about.
        if section.has("name"), !(1...256 ~= name.utf8.count) {
            section.report("name", "must have 1-256 bytes")
        }
        let role = section.choice("role", default: Operator.Role.read)
        let holder = Operator(name: name, role: role)
        guard section.has("certificate_sha256") else {
            return digest(section, "token_sha256").map {
                Entry(operatorName: holder, proof: .token($0))
            }
        }
        if section.has("token_sha256") {
            section.report("token_sha256", "stands beside certificate_sha256: one of them")
            _ = section.optionalString("token_sha256")
        }
        if !hasCertificates {
            section.report(
                "certificate_sha256",
                "the listener asks for no certificate: set admin.tls_client_authorities_file"
            )
        }
        return digest(section, "certificate_sha256").map {
            Entry(operatorName: holder, proof: .certificate($0))
        }
    }

    private static func digest(_ section: Section, _ key: String) -> [UInt8]? {
        let hex = section.string(key, hint: "64 hexadecimal digits")
        guard let digest = Hexadecimal.decode(Array(hex.utf8)), digest.count == 32 else {
            section.report(key, "must be 64 lower-case hexadecimal digits")
            return nil
        }
        if EmptyDigest.equals(digest) { section.report(key, EmptyDigest.problem) }
        return digest
    }
}
