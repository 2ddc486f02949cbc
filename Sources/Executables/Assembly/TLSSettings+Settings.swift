package import Configuration
package import HTTPServer

extension TLSSettings {
    /// Those of the listener for clients; nil where it speaks plain HTTP.
    package init?(_ listen: ListenSettings) {
        self.init(certificate: listen.certificatePath, key: listen.keyPath)
    }

    /// Those of the admin listener; nil where it asks nobody for a certificate.
    package init?(_ admin: AdminSettings) {
        self.init(
            certificate: admin.certificatePath,
            key: admin.keyPath,
            clientAuthorities: admin.clientAuthoritiesPath
        )
    }
}
