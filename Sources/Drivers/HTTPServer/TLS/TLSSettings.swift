/// The files of a TLS listener; read at start and again at each reload.
package struct TLSSettings: Sendable {
    /// The certificate chain, PEM, leaf first.
    package var certificateFile: String
    /// The private key, PEM, unencrypted, 0600.
    package var keyFile: String
    /// Authorities of client certificates, PEM; when given, a client without one is refused.
    package var clientAuthoritiesFile: String?

    /// Names the files.
    package init(certificateFile: String, keyFile: String, clientAuthoritiesFile: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.clientAuthoritiesFile = clientAuthoritiesFile
    }

    /// Reads the files as a start does, and forgets them.
    ///
    /// - Throws: `.tls`, naming the file.
    package func check() throws(ServerError) { _ = try TLSContext(self) }

    /// Those of a listener that may have none: nil without a certificate and a key.
    package init?(certificate: String?, key: String?, clientAuthorities: String? = nil) {
        guard let certificate, let key else { return nil }
        self.init(
            certificateFile: certificate,
            keyFile: key,
            clientAuthoritiesFile: clientAuthorities
        )
    }
}
