import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// Operators by client certificate (WireContract 13.3).
@Suite("Operators by certificate") struct CertificateOperatorTests {
    private static let known = Sample.digest(0xCE).bytes

    @Test("a certificate of an operator does what its role allows, and no more")
    func known() async throws {
        let admin = try await AdminSide()
        let read = try await admin.send(
            .get,
            "/admin/v1/keys",
            as: nil,
            certificate: Self.known
        )
        #expect(read.status == 200, "\(read.body)")
        let write = try await admin.send(
            .post,
            "/admin/v1/keys/stage",
            as: nil,
            body: "{}",
            certificate: Self.known
        )
        #expect(write.status == 403 && write.reason == "AccessDenied")
    }

    /// Digests that are no operator's: altered in one place, cut, empty.
    private static let strangers: [[UInt8]] =
        [0, 15, 31].map { place in
            var digest = known
            digest[place] ^= 1
            return digest
        } + [Array(known.prefix(31)), known + [0], []]

    @Test("another certificate is told so, though its authority is known", arguments: strangers)
    func stranger(_ digest: [UInt8]) async throws {
        let admin = try await AdminSide()
        let answer = try await admin.send(.get, "/admin/v1/keys", as: nil, certificate: digest)
        #expect(answer.status == 401 && answer.reason == "Unauthenticated")
        #expect(answer["error"]?["message"] == "this certificate is no operator's")
    }

    @Test("a token that is sent counts, whatever the certificate") func both() async throws {
        let admin = try await AdminSide()
        let token = try await admin.send(
            .post,
            "/admin/v1/keys/stage",
            as: .configure,
            body: #"{"reason":"rotation"}"#,
            certificate: Self.known
        )
        #expect(token.status == 200 || token.status == 201, "\(token.body)")
        let wrong = try await admin.send(
            .get,
            "/admin/v1/keys",
            as: nil,
            headers: ["authorization": "Bearer nonsense"],
            certificate: Self.known
        )
        #expect(wrong.status == 401)
    }

    @Test("the digest of a certificate is no token, and the other way round")
    func kinds() async throws {
        let admin = try await AdminSide()
        let token = admin.side.digester.sha256(Array("token-of-configure".utf8)).bytes
        let answer = try await admin.send(.get, "/admin/v1/keys", as: nil, certificate: token)
        #expect(answer.status == 401)
    }

    @Test("health asks for no operator") func health() async throws {
        let admin = try await AdminSide()
        #expect(try await admin.send(.get, "/livez", as: nil, certificate: [1]).status == 200)
    }
}
