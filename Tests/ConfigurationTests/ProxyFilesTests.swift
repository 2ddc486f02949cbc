import Configuration
import Foundation
import HTTPServer
import Testing
import WebAPI

/// The proxies in front of an installation, beside the bounds that they have to keep.
@Suite("The files of deploy/proxy") struct ProxyFilesTests {
    static let names = ["nginx.conf", "haproxy.cfg"]

    private static func text(_ name: String) throws -> String {
        try ProductionFilesTests.text("deploy/proxy/\(name)")
    }

    /// The number behind the first place that has `key`.
    private static func number(_ key: String, in text: String) throws -> Int {
        let place = try #require(text.range(of: "\(key) "), "\(key)")
        let digits = text[place.upperBound...].prefix { $0.isNumber }
        return try #require(Int(digits), "\(key)")
    }

    @Test("lead to the listeners of deploy/config/production", arguments: names)
    func listeners(_ name: String) throws {
        let text = try Self.text(name)
        for program in ["token-issuer", "revocation-projector"] {
            let settings = try ProductionFilesTests.settings(program)
            for address in settings.listen?.addresses ?? [] {
                #expect(text.contains(" \(address)"), "\(program)")
            }
        }
        #expect(text.contains("/revocations"))
    }

    @Test("the one that can look asks the admin listeners whether a process is ready") func ready()
        throws
    {
        let text = try Self.text("haproxy.cfg")
        for program in ["token-issuer", "revocation-projector"] {
            let settings = try ProductionFilesTests.settings(program)
            let address = try #require(settings.admin.address)
            let port = try #require("\(address)".split(separator: ":").last)
            #expect(text.contains(" check port \(port)\n"), "\(program)")
        }
        // Without a version it asks by HTTP/1.0 and names no host, which is 400.
        #expect(text.contains("uri /readyz ver HTTP/1.1 hdr Host localhost\n"))
    }

    @Test(
        "never send a request twice",
        arguments: [
            ("nginx.conf", "\n    proxy_next_upstream off;\n"),
            ("haproxy.cfg", "\n    retry-on conn-failure\n"),
        ]
    )
    func once(_ name: String, _ line: String) throws {
        #expect(try Self.text(name).contains(line))
    }

    @Test(
        "wait longer than the feed holds an answer",
        arguments: [("nginx.conf", "proxy_read_timeout"), ("haproxy.cfg", "timeout server")]
    )
    func wait(_ name: String, _ key: String) throws {
        let seconds = try Self.number(key, in: try Self.text(name))
        #expect(Duration.seconds(seconds) > RevocationFeedRoute.handlerTime)
    }

    @Test(
        "keep no connection to a process as long as that keeps it",
        arguments: [
            ("nginx.conf", "        keepalive_timeout"), ("haproxy.cfg", "pool-purge-delay"),
        ]
    )
    func idle(_ name: String, _ key: String) throws {
        let seconds = try Self.number(key, in: try Self.text(name))
        #expect(Duration.seconds(seconds) < ServerLimits().idleTime)
    }

    @Test("let through what an issuer takes") func sizes() throws {
        let nginx = try Self.text("nginx.conf")
        let body = try Self.number("client_max_body_size", in: nginx)
        #expect(body * 1024 >= RevocationFeedRoute.bodyBytesMax)
        let head = try Self.number("large_client_header_buffers 4", in: nginx)
        #expect(head >= 16)
        let buffer = try Self.number("tune.bufsize", in: try Self.text("haproxy.cfg"))
        #expect(buffer > 16 * 1024)
    }

    @Test(
        "say who the caller is in the two headers that are believed of them",
        arguments: [
            ("nginx.conf", "proxy_set_header X-Forwarded-Proto https;"),
            ("nginx.conf", "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"),
            ("nginx.conf", "proxy_set_header Host $http_host;"),
            ("haproxy.cfg", "http-request set-header X-Forwarded-Proto https\n"),
            ("haproxy.cfg", "option forwardfor\n"),
        ]
    )
    func headers(_ name: String, _ line: String) throws {
        #expect(try Self.text(name).contains("    \(line)"))
    }
}
