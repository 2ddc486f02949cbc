import Crypto
import Foundation

extension Stack {
    static func hexadecimalDigest(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    static var project: String {
        """
        id: bench
        name: Benchmark
        http:
          public_origin: "\(origin)"
          hosts: [localhost]
          cookie_domain: localhost
          projector_origin: "http://localhost:\(projectorPort)"
        oauth:
          resources:
            - {uri: "https://api.example.com", scopes: [payments.read]}
          clients:
            - client_id: app
              name: App
              x_application_type: native
              redirect_uris: ["com.example.app:/cb"]
              default_resources: ["https://api.example.com"]
              x_app2app_enabled: true
              x_biometric_enabled: true
              x_native_sso_group: bench
              x_pre_authenticated_url_enabled: true
            - client_id: invest
              name: Invest
              x_application_type: native
              redirect_uris: ["com.example.invest:/cb"]
              x_native_sso_group: bench
            - client_id: offers
              name: Offers
              x_application_type: traditional_webapp
              redirect_uris: ["https://offers.example.com/cb"]
              x_pre_authenticated_url_enabled: true
              x_pre_authenticated_url_allowed_origins: ["https://offers.example.com"]
            - client_id: api
              name: API
              x_application_type: m2m
              client_secret_sha256: ["\(hexadecimalDigest(secret))"]
              resources: ["https://api.example.com", "\(origin)"]
              allowed_scopes: [revocations.read]

        """
    }

    /// Counted as in production, but never reached: all requests come from one address.
    private static let limits = ["challenge", "challenge_per_node", "page", "page_per_client"]
        .map { "\($0): 10000000" }.joined(separator: ", ")

    /// Writes the file of every process.
    func writeSettings(brokers: String) throws {
        let database = "{host: \(directory), name: chancery, user: USER, durability: single-node}"
        let kafka = "kafka: {bootstrap: \"\(brokers)\", topology: single-node}"
        try write(
            "operator.yaml",
            """
            database: \(database.replacing("USER", with: "postgres"))
            \(kafka)

            """
        )
        try write("kek", [UInt8](0..<32).map { String(format: "%02x", $0) }.joined())
        try write(
            "token-issuer.yaml",
            """
            node: {name: bench, workers: 1, shutdown_notice_seconds: 0}
            listen: {public: ["127.0.0.1:\(Self.port)"]}
            admin:
              listen: "127.0.0.1:\(Self.adminPort)"
              operators:
                - name: bench
                  role: configure
                  token_sha256: \(Self.hexadecimalDigest(Self.adminToken))
            database: \(database.replacing("USER", with: "token_issuer"))
            \(kafka)
            keys: {directory: \(directory)/keys, kek_file: \(directory)/kek}
            mail: {relay: "127.0.0.1:1025", sender: "no-reply@example.com", plain: true}
            rate_limits: {per_minute: {\(Self.limits)}}
            log: {level: warning}

            """
        )
        for (role, port) in [
            ("event-relay", Self.relayAdminPort), (Self.standby, Self.standbyAdminPort),
        ] {
            try write(
                "\(role).yaml",
                """
                node: {name: bench-\(role)}
                admin: {listen: "127.0.0.1:\(port)"}
                database: \(database.replacing("USER", with: "event_relay"))
                \(kafka)
                log: {level: warning}

                """
            )
        }
        try write(
            "revocation-projector.yaml",
            """
            node: {name: bench-projector}
            listen: {public: ["127.0.0.1:\(Self.projectorPort)"]}
            admin: {listen: "127.0.0.1:\(Self.projectorAdminPort)"}
            database: \(database.replacing("USER", with: "projector"))
            \(kafka)
            log: {level: warning}

            """
        )
    }

    private func write(_ name: String, _ text: String) throws {
        let path = "\(directory)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
