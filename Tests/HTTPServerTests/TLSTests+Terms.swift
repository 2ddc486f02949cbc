internal import COpenSSL
import HTTPServer
import Runtime
import Testing

extension TLSTests {
    private static let get = Array("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    @Test("nobody is known again, and nobody shakes hands twice", arguments: [true, false])
    func onceOnly(_ isOld: Bool) async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let client = try TLSClient(server.addresses[0], isOld: isOld)
        #expect(await client.handshake())
        // In TLS 1.3 a ticket would come beside the answer.
        await client.send(Self.get)
        #expect(await client.hears("HTTP/1.1 200"))
        #expect(!client.canResume)
        #expect(await !client.renegotiates())
        await server.stop()
    }

    @Test("how long the certificate in use is good is told, not that of the file") func end()
        async throws
    {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        func days() throws -> Int {
            let text = String(decoding: server.metrics.render(), as: UTF8.self)
            let name = "chancery_certificate_end_seconds{of=\"test\"} "
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
            let seconds = try #require(Double(line.dropFirst(name.count)))
            return Int((seconds / 86_400).rounded(.up))
        }
        #expect(try days() == 1)
        try files.make("second", days: 30)
        #expect(try days() == 1)
        try server.server.reload()
        #expect(try days() == 30)
        await server.stop()
    }

    @Test("no renegotiation, no compression, no tickets, no early data, no cache of sessions")
    func options() throws {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw SystemError(call: "SSL_CTX_new", number: 0)
        }
        defer { unsafe SSL_CTX_free(context) }
        unsafe copenssl_server_options(context)
        let options = unsafe SSL_CTX_get_options(context)
        // SSL_OP_NO_TICKET, _NO_COMPRESSION, _NO_RENEGOTIATION; macros that Swift does not see.
        for bit in [14, 17, 30] { #expect(options & (1 << bit) != 0, "bit \(bit)") }
        let tickets = unsafe SSL_CTX_get_num_tickets(context)
        let early = unsafe SSL_CTX_get_max_early_data(context)
        #expect(tickets == 0 && early == 0)
        let cache = unsafe SSL_CTX_ctrl(context, SSL_CTRL_GET_SESS_CACHE_MODE, 0, nil)
        #expect(cache == SSL_SESS_CACHE_OFF)
    }
}
