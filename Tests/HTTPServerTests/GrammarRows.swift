/// The table of Security 7.1, a row or more per line.
enum GrammarRows {
    static var all: [GrammarRow] {
        host + length + coding + lines + names + chunks + trailers + requestLine + methods + targets
            + fields
            + bounds + connection
    }

    static let host: [GrammarRow] = [
        GrammarRow("no Host", "GET / HTTP/1.1\r\n\r\n", "400 closed"),
        GrammarRow("no Host in 1.0", "GET / HTTP/1.0\r\n\r\n", "400 closed"),
        .get("one Host", "", "200 open"),
        .get("two Hosts", "Host: a\r\n", "400 closed"),
        .get("two Hosts, other case", "hOsT: b\r\n", "400 closed"),
        GrammarRow("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "400 closed"),
        GrammarRow("Host with port", "GET / HTTP/1.1\r\nHost: a.b:80\r\n\r\n", "200 open"),
        GrammarRow("Host as IPv6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "200 open"),
        GrammarRow("Host with userinfo", "GET / HTTP/1.1\r\nHost: x@a\r\n\r\n", "400 closed"),
        GrammarRow("Host with comma", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", "400 closed"),
        GrammarRow("Host with slash", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400 closed"),
        GrammarRow("Host with bad port", "GET / HTTP/1.1\r\nHost: a:+8\r\n\r\n", "400 closed"),
        GrammarRow("Host with long port", "GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n", "400 closed"),
        GrammarRow("Host open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "400 closed"),
    ]

    static let length: [GrammarRow] = [
        .post("a body", "Content-Length: 3\r\n", "abc", "200 open"),
        .post("a body not all there", "Content-Length: 3\r\n", "ab"),
        .post("no length means no body", "", "", "200 open"),
        .post("length 0", "Content-Length: 0\r\n", "", "200 open"),
        .post("ten digits", "Content-Length: 0000000003\r\n", "abc", "200 open"),
        .post("equal twice", "Content-Length: 3\r\nContent-Length: 3\r\n", "abc", "400 closed"),
        .post("two lengths", "Content-Length: 3\r\ncontent-length: 4\r\n", "abc", "400 closed"),
        .post("length list", "Content-Length: 3, 3\r\n", "abc", "400 closed"),
        .post("plus sign", "Content-Length: +3\r\n", "abc", "400 closed"),
        .post("minus sign", "Content-Length: -3\r\n", "abc", "400 closed"),
        .post("hexadecimal", "Content-Length: 0x3\r\n", "abc", "400 closed"),
        .post("inner space", "Content-Length: 1 0\r\n", "0123456789", "400 closed"),
        .post("empty length", "Content-Length:\r\n", "", "400 closed"),
        .post("eleven digits", "Content-Length: 00000000003\r\n", "abc", "400 closed"),
        .post("overflow", "Content-Length: 99999999999999999999\r\n", "", "400 closed"),
        .post("full-width digit", "Content-Length: \u{FF13}\r\n", "abc", "400 closed"),
    ]

    static let coding: [GrammarRow] = [
        .post("CHUNKED", "Transfer-Encoding: CHUNKED\r\n", "0\r\n\r\n", "200 open"),
        .post("gzip", "Transfer-Encoding: gzip\r\n", "", "501 closed"),
        .post("gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", "", "501 closed"),
        .post("chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n", "", "501 closed"),
        .post("identity", "Transfer-Encoding: identity\r\n", "", "501 closed"),
        .post("empty coding", "Transfer-Encoding:\r\n", "", "501 closed"),
        .post("xchunked", "Transfer-Encoding: xchunked\r\n", "", "501 closed"),
        .post(
            "coding twice",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n",
            "400 closed"
        ),
        .post(
            "length then coding",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n",
            "400 closed"
        ),
        .post(
            "coding then length",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "0\r\n\r\n",
            "400 closed"
        ),
        GrammarRow(
            "coding in 1.0",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400 closed"
        ),
    ]

    static let lines: [GrammarRow] = [
        .get("space before colon", "X : 1\r\n", "400 closed"),
        .get("tab before colon", "X\t: 1\r\n", "400 closed"),
        .get("empty name", ": 1\r\n", "400 closed"),
        .get("name not a token", "X(y: 1\r\n", "400 closed"),
        .get("name above ASCII", "X\u{E9}: 1\r\n", "400 closed"),
        .get("no colon", "X\r\n", "400 closed"),
        .get("obs-fold", "X: 1\r\n 2\r\n", "400 closed"),
        .get("obs-fold by tab", "X: 1\r\n\t2\r\n", "400 closed"),
        GrammarRow("leading space", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "400 closed"),
        .get("empty value", "X:\r\n", "200 open"),
        .get("tab in a value", "X: a\tb\r\n", "200 open"),
        .get("bytes above ASCII in a value", "X: \u{E9}\r\n", "200 open"),
        .get("NUL in a value", "X: a\0b\r\n", "400 closed"),
        .get("control byte in a value", "X: a\u{1}b\r\n", "400 closed"),
        .get("DEL in a value", "X: a\u{7F}b\r\n", "400 closed"),
        .get("bare LF after a field", "X: 1\nY: 2\r\n", "400 closed"),
        .get("bare CR in a value", "X: 1\rY: 2\r\n", "400 closed"),
        GrammarRow("bare LF after the line", "GET / HTTP/1.1\nHost: a\r\n\r\n", "400 closed"),
        GrammarRow("bare LFs at the end", "GET / HTTP/1.1\r\nHost: a\n\n", "400 closed"),
        GrammarRow("NUL first", "\0", "400 closed"),
        GrammarRow("TLS to a plain port", bytes: [0x16, 3, 1, 2, 0, 1, 0], ["400 closed"]),
        GrammarRow("CR LF CR X at once", "GET / HTTP/1.1\r\nHost: a\r\n\rX", "400 closed"),
        GrammarRow("one empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"),
        GrammarRow("two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\n", "400 closed"),
        GrammarRow("bare LF first", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 closed"),
        GrammarRow("nothing yet", "\r\n"),
        GrammarRow("not all of a head", "GET / HTTP/1.1\r\nHost: a\r\n"),
    ]

    /// Every printable byte in a field name.
    static let names: [GrammarRow] = (UInt8(0x21)...0x7E).filter { $0 != 0x3A }.map { byte in
        let isToken = !"\"(),/;<=>?@[\\]{}".utf8.contains(byte)
        let text = "X\(Character(UnicodeScalar(byte)))"
        return .get("name \(text)", "\(text): 1\r\n", isToken ? "200 open" : "400 closed")
    }

    static let requestLine: [GrammarRow] = [
        GrammarRow("two spaces", "GET  / HTTP/1.1\r\n", "400 closed"),
        GrammarRow("two spaces before the version", "GET /  HTTP/1.1\r\n", "400 closed"),
        GrammarRow("space after the version", "GET / HTTP/1.1 \r\n", "400 closed"),
        GrammarRow("leading space in the line", " GET / HTTP/1.1\r\n", "400 closed"),
        GrammarRow("tabs for spaces", "GET\t/\tHTTP/1.1\r\n", "400 closed"),
        GrammarRow("tab in the target", "GET /a\tb HTTP/1.1\r\n", "400 closed"),
        GrammarRow("target above ASCII", "GET /\u{E9} HTTP/1.1\r\n", "400 closed"),
        GrammarRow("HTTP/0.9", "GET /\r\n", "400 closed"),
        GrammarRow("no target", "GET HTTP/1.1\r\n", "400 closed"),
        GrammarRow("method alone", "GET\r\n", "400 closed"),
        GrammarRow("HTTP/1.2", "GET / HTTP/1.2\r\n", "505 closed"),
        GrammarRow("HTTP/2.0", "GET / HTTP/2.0\r\n", "505 closed"),
        GrammarRow("HTTP/0.9 said", "GET / HTTP/0.9\r\n", "505 closed"),
        GrammarRow("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 closed"),
        GrammarRow("http/1.1", "GET / http/1.1\r\n", "400 closed"),
        GrammarRow("HTTP/1.10", "GET / HTTP/1.10\r\n", "400 closed"),
        GrammarRow("HTTP/11", "GET / HTTP/11\r\n", "400 closed"),
        GrammarRow("HTTP/1,1", "GET / HTTP/1,1\r\n", "400 closed"),
        GrammarRow("HTTPS/1.1", "GET / HTTPS/1.1\r\n", "400 closed"),
    ]

    static let methods: [GrammarRow] =
        ["PUT", "PATCH", "DELETE", "OPTIONS", "POST", "HEAD"].map {
            GrammarRow($0, "\($0) / HTTP/1.1\r\nHost: a\r\n\r\n", "200 open")
        }
        + ["get", "Get", "CONNECT", "TRACE", "BREW", "GETX", "GE", "PROPFIND"].map {
            GrammarRow($0, "\($0) / HTTP/1.1\r\nHost: a\r\n\r\n", "501 closed")
        } + [
            GrammarRow("method not a token", "G@T / HTTP/1.1\r\n", "400 closed"),
            GrammarRow(
                "known method, wrong route",
                "GET /post HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "405 open",
                "200 open"
            ),
        ]
}
