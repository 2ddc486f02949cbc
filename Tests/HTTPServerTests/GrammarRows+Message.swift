extension GrammarRows {
    static let targets: [GrammarRow] = [
        .target("/", "200 open"),
        .target("/a/b.c?x=1&y=%ZZ", "200 open"),
        .target("/a?b?c/d..e", "200 open"),
        .target("/.well-known/x", "200 open"),
        .target("/a%20b/%C3%A9", "200 open"),
        .target("/a...b/...", "200 open"),
        .target("http://a/x?y", "200 open"),
        .target("HTTP://A/x", "200 open"),
        .target("https://a", "200 open"),
        .target("http://a?x", "200 open"),
        .target("http://b/x", "400 closed"),
        .target("http://a:80/x", "400 closed"),
        .target("http://x@a/x", "400 closed"),
        .target("http:///x", "400 closed"),
        .target("ftp://a/x", "400 closed"),
        .target("a:443", "400 closed"),
        .target("x", "400 closed"),
        .target("?x", "400 closed"),
        .target("*", "400 closed"),
        .target("/a#b", "400 closed"),
        .target("/a?b#c", "400 closed"),
        .target("/a%00", "400 closed"),
        .target("/a%", "400 closed"),
        .target("/a%2", "400 closed"),
        .target("/a%2?", "400 closed"),
        .target("/a%GG", "400 closed"),
        .target("/a%+1", "400 closed"),
        .target("/a%2fb", "400 closed"),
        .target("/a%2Fb", "400 closed"),
        .target("/a%5cb", "400 closed"),
        .target("/a\\b", "400 closed"),
        .target("/a/../b", "400 closed"),
        .target("/a/./b", "400 closed"),
        .target("/..", "400 closed"),
        .target("/a/.", "400 closed"),
        .target("/a/%2e%2E/b", "400 closed"),
        .target("/a/.%2e", "400 closed"),
        .target("/%2e", "400 closed"),
        .target("/a\"b", "400 closed"),
        .target("/a<b>", "400 closed"),
        .target("/a{b}", "400 closed"),
        .target("/a|b^c`d", "400 closed"),
        GrammarRow("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"),
        GrammarRow("OPTIONS **", "OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n", "400 closed"),
    ]

    static let fields: [GrammarRow] =
        [
            "Authorization", "Content-Type", "Origin", "Sec-Fetch-Site", "sec-fetch-mode",
            "SEC-FETCH-DEST", "Sec-Fetch-User",
        ].map { .get("\($0) twice", "\($0): x\r\n\($0): x\r\n", "400 closed") } + [
            .get("Accept twice", "Accept: x\r\nAccept: y\r\n", "200 open"),
            .get("DPoP twice: who reads it refuses it", "DPoP: x\r\nDPoP: x\r\n", "200 open"),
            .get("one of each", "Authorization: x\r\nDPoP: y\r\nOrigin: z\r\n", "200 open"),
            .get("a body on GET", "Content-Length: 1\r\n", "400 closed"),
            .get("length 0 on GET", "Content-Length: 0\r\n", "200 open"),
            .get("chunks on GET", "Transfer-Encoding: chunked\r\n", "400 closed"),
            GrammarRow(
                "a body on DELETE",
                "DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
                "400 closed"
            ),
            GrammarRow(
                "a body on HEAD",
                "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
                "400 closed"
            ),
            .get("other Expect", "Expect: 200-ok\r\n", "417 closed"),
            .get("Expect list", "Expect: 100-continue, x\r\n", "417 closed"),
            .get("Expect without a body", "Expect: 100-continue\r\n", "200 open"),
            .post("gzipped body", "Content-Encoding: gzip\r\n", "", "415 closed"),
            .post("identity body", "Content-Encoding: identity\r\n", "", "415 closed"),
            .get("Upgrade is ignored", "Connection: upgrade\r\nUpgrade: websocket\r\n", "200 open"),
        ]

    static let chunks: [GrammarRow] = [
        .chunked("one", "3\r\nabc\r\n0\r\n\r\n", "200 open"),
        .chunked(
            "several, digits of any case",
            "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "200 open"
        ),
        .chunked("eight digits", "00000003\r\nabc\r\n00000000\r\n\r\n", "200 open"),
        .chunked("nine digits", "000000003\r\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("no digit", "\r\nabc", "400 closed"),
        .chunked("sign", "+3\r\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("0x", "0x3\r\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("space before", " 3\r\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("space after", "3 \r\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("bare LF after the size", "3\nabc\r\n0\r\n\r\n", "400 closed"),
        .chunked("CR X after the size", "3\rX", "400 closed"),
        .chunked("data without CRLF", "3\r\nabcd\r\n0\r\n\r\n", "400 closed"),
        .chunked("LF alone after data", "3\r\nabc\n0\r\n\r\n", "400 closed"),
        .chunked("extension", "3;a=\"b c\"\r\nabc\r\n0;x\r\n\r\n", "200 open"),
        .chunked(
            "extension of 64",
            "3;\(String(repeating: "x", count: 64))\r\nabc\r\n0\r\n\r\n",
            "200 open"
        ),
        .chunked("extension of 65", "3;\(String(repeating: "x", count: 65))", "400 closed"),
        .chunked(
            "extensions of 1 KiB",
            String(repeating: "1;\(String(repeating: "x", count: 64))\r\nb\r\n", count: 16)
                + "0\r\n\r\n",
            "200 open"
        ),
        .chunked(
            "extensions over 1 KiB",
            String(repeating: "1;\(String(repeating: "x", count: 64))\r\nb\r\n", count: 16) + "0;x",
            "400 closed"
        ),
        .chunked("control byte in an extension", "3;\u{1}", "400 closed"),
        .chunked(
            "64 KiB",
            "10000\r\n\(String(repeating: "x", count: 65_536))\r\n0\r\n\r\n",
            "200 open"
        ),
        .chunked("64 KiB and one, announced", "10001\r\n", "413 closed"),
        .chunked("4 GiB announced", "ffffffff\r\n", "413 closed"),
        .chunked("no end", "3\r\nabc\r\n"),
    ]

    static let trailers: [GrammarRow] = [
        .chunked("trailers", "0\r\nX: 1\r\nY: 2\r\n\r\n", "200 open"),
        .chunked("a trailer is never a field", "0\r\nHost: b\r\n\r\n", "200 open"),
        .chunked("a length behind the body", "0\r\nContent-Length: 9\r\n\r\n", "400 closed"),
        .chunked("a length in capitals", "0\r\nCONTENT-LENGTH: 0\r\n\r\n", "400 closed"),
        .chunked("a coding behind it", "0\r\nTransfer-Encoding: chunked\r\n\r\n", "400 closed"),
        .chunked("bad trailer", "0\r\nX : 1\r\n\r\n", "400 closed"),
        .chunked("folded trailer", "0\r\nX: 1\r\n 2\r\n\r\n", "400 closed"),
        .chunked("LF trailer", "0\r\nX: 1\n", "400 closed"),
        .chunked("16 trailers", "0\r\n\(String(repeating: "X: 1\r\n", count: 16))\r\n", "200 open"),
        .chunked("17 trailers", "0\r\n\(String(repeating: "X: 1\r\n", count: 17))", "400 closed"),
        .chunked(
            "5 KiB of trailer",
            "0\r\nX: \(String(repeating: "x", count: 5_000))",
            "400 closed"
        ),
    ]

    static let bounds: [GrammarRow] = [
        .target("/" + String(repeating: "a", count: 8_191), "200 open"),
        .target("/" + String(repeating: "a", count: 8_192), "414 closed"),
        .target("/" + String(repeating: "a", count: 20_000), "414 closed"),
        GrammarRow("a line without end", String(repeating: "A", count: 20_000), "414 closed"),
        .get("64 fields", String(repeating: "X: 1\r\n", count: 63), "200 open"),
        .get("65 fields", String(repeating: "X: 1\r\n", count: 64), "431 closed"),
        headOf(16_384, "200 open"),
        headOf(16_385, "431 closed"),
        headOf(40_000, "431 closed"),
        .post(
            "64 KiB",
            "Content-Length: 65536\r\n",
            String(repeating: "x", count: 65_536),
            "200 open"
        ),
        .post("64 KiB and one", "Content-Length: 65537\r\n", "", "413 closed"),
        .post("10 GB", "Content-Length: 9999999999\r\n", "", "413 closed"),
        GrammarRow(
            "admin body",
            "POST /admin HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
                + String(repeating: "x", count: 100_000),
            "200 open"
        ),
        GrammarRow(
            "admin body over 1 MiB",
            "POST /admin HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n",
            "413 closed"
        ),
    ]

    private static func headOf(_ count: Int, _ answer: String) -> GrammarRow {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let filler = String(repeating: "x", count: count - start.utf8.count - 4)
        return GrammarRow("head of \(count) bytes", start + filler + "\r\n\r\n", answer)
    }

    static let connection: [GrammarRow] = [
        .get("close", "Connection: close\r\n", "200 closed"),
        .get("CLOSE in a list", "Connection: x , CLOSE\r\n", "200 closed"),
        .get("close in a second field", "Connection: x\r\nConnection: close\r\n", "200 closed"),
        .get("closed is not close", "Connection: closed\r\n", "200 open"),
        GrammarRow("1.0", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "200 closed"),
        GrammarRow(
            "1.0 keep-alive",
            "GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n",
            "200 open"
        ),
        GrammarRow(
            "pipelined",
            String(repeating: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", count: 3),
            "200 open",
            "200 open",
            "200 open"
        ),
        GrammarRow(
            "pipelined after close",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n",
            "200 closed"
        ),
        GrammarRow(
            "refused early, body skipped, open",
            "POST /missing HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "404 open",
            "200 open"
        ),
        GrammarRow(
            "refused early, long body, closed",
            "POST /missing HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n",
            "404 closed"
        ),
        GrammarRow(
            "refused early, body held back, closed",
            "POST /missing HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                + "Expect: 100-continue\r\n\r\n",
            "404 closed"
        ),
    ]
}
