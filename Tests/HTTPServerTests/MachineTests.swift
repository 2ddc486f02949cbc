import HTTPServer
import Runtime
import Testing

@Suite("Connection machine") struct MachineTests {
    private static let get = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    private static func post(_ fields: String, _ body: String = "") -> [UInt8] {
        Array("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)".utf8)
    }

    @Test("100 Continue is sent when the body is held back, not when it is there or in 1.0")
    func expectations() {
        var held = MachineRun()
        held.receive(Self.post("Content-Length: 2\r\nExpect: 100-Continue\r\n"))
        held.receive(Array("ok".utf8))
        #expect(held.transcript == ["100", "200 open"])
        var chunked = MachineRun()
        chunked.receive(Self.post("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"))
        chunked.receive(Array("0\r\n\r\n".utf8))
        #expect(chunked.transcript == ["100", "200 open"])
        var there = MachineRun()
        there.receive(Self.post("Content-Length: 2\r\nExpect: 100-continue\r\n", "ok"))
        #expect(there.transcript == ["200 open"])
        var old = MachineRun()
        old.receive(
            Array(
                "POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
                    .utf8
            )
        )
        #expect(old.transcript.isEmpty)
    }

    @Test("bodies arrive whole and without their coding") func bodies() {
        var run = MachineRun()
        run.receive(Self.post("Content-Length: 3\r\n", "abc"))
        run.receive(
            Self.post("Transfer-Encoding: chunked\r\n", "2;x\r\nde\r\n1\r\nf\r\n0\r\nX: 1\r\n\r\n")
        )
        run.receive(Self.post("", ""))
        #expect(run.bodies == [Array("abc".utf8), Array("def".utf8), []])
    }

    @Test("room for a long body is asked for as it comes, and never for more than it may be")
    func room() {
        var run = MachineRun()
        run.receive(Self.post("Content-Length: 4096\r\n", String(repeating: "x", count: 4_096)))
        #expect(run.reserved.isEmpty)
        run.receive(Self.post("Content-Length: 20000\r\n"))
        for _ in 0..<20 { run.receive([UInt8](repeating: 0x78, count: 1_000)) }
        #expect(run.reserved == [4_096, 8_192, 20_000 - 16_384])
        run.receive(Self.post("Content-Length: 20000\r\n", String(repeating: "x", count: 20_000)))
        #expect(run.reserved.last == 20_000 - 4_096)
        #expect(run.bodies.map(\.count) == [4_096, 20_000, 20_000])
        run.roomLeft = 5_000
        run.receive(Self.post("Content-Length: 20000\r\n"))
        for _ in 0..<20 { run.receive([UInt8](repeating: 0x78, count: 1_000)) }
        #expect(run.transcript == ["200 open", "200 open", "200 open", "503 closed"])
        #expect(run.refused.first?.status == .serviceUnavailable)
        #expect(run.refused.first?.isLate == false)
    }

    @Test(
        "of a host its name counts, in lower case",
        arguments: [
            ("auth.example.com", "auth.example.com"), ("Auth.Example.COM:443", "auth.example.com"),
            ("127.0.0.1:65535", "127.0.0.1"), ("[2001:DB8::1]:443", "[2001:db8::1]"),
            ("[::1]", "[::1]"), ("@Z[", nil), ("a:", nil), ("[::1", nil),
        ] as [(String, String?)]
    ) func host(sent: String, name: String?) {
        var run = MachineRun()
        run.receive(Array("GET / HTTP/1.1\r\nHost: \(sent)\r\n\r\n".utf8))
        #expect(run.heads.first?.host == name)
    }

    @Test("a head is kept as it was sent") func head() throws {
        var run = MachineRun()
        run.receive(
            Array(
                ("PUT http://A:80/x%2A?q=%20?&r HTTP/1.1\r\n"
                    + "hOST:a:80\r\nX-One: 1 \r\nx-one:\t2\r\n\r\n").utf8
            )
        )
        let head = try #require(run.heads.first)
        #expect(head.method == .put)
        #expect(head.path == "/x%2A")
        #expect(head.query == Array("q=%20?&r".utf8))
        #expect(head.host == "a")
        #expect(head.fields.all("x-one") == [Array("1".utf8), Array("2".utf8)])
        #expect(head.fields.only("x-one") == nil)
        #expect(head.fields.first("host") == Array("a:80".utf8))
        #expect(head.fields.first("x-two") == nil)
        #expect(head.fields.count == 3)
    }

    @Test("no byte moves a deadline") func deadlines() {
        var run = MachineRun()
        let first = run.machine.deadline
        #expect(first == run.now.advanced(by: .seconds(10)))
        run.now = run.now.advanced(by: .seconds(9))
        var expected = run.now.advanced(by: .seconds(5))
        for byte in Self.post("Content-Length: 3\r\n").dropLast() {
            run.receive([byte])
            #expect(run.machine.deadline == expected)
            run.now = run.now.advanced(by: .milliseconds(10))
        }
        expected = run.now.advanced(by: .seconds(10))
        run.receive([0x0A])
        run.now = run.now.advanced(by: .seconds(9))
        run.receive([0x61])
        run.receive([0x61])
        #expect(run.machine.deadline == expected)
        run.answers = false
        run.receive([0x61])
        #expect(run.machine.deadline == run.now.advanced(by: .milliseconds(5_500)))
        run.receive(Self.get)  // Pipelined: waits for its turn and moves nothing.
        #expect(run.machine.deadline == run.now.advanced(by: .milliseconds(5_500)))
    }

    @Test("what the deadline of each phase answers") func deadlineAnswers() {
        var silent = MachineRun()
        silent.wait(.seconds(10))
        #expect(silent.transcript == ["closed"])
        var head = MachineRun()
        head.receive(Self.get.dropLast())
        head.wait(.seconds(5))
        #expect(head.transcript == ["408 closed"])
        var body = MachineRun()
        body.receive(Self.post("Content-Length: 1\r\n"))
        body.wait(.seconds(9))
        #expect(body.transcript.isEmpty)
        body.wait(.seconds(1))
        #expect(body.transcript == ["408 closed"])
        var handler = MachineRun()
        handler.answers = false
        handler.receive(Self.get)
        handler.wait(.milliseconds(5_499))
        #expect(handler.transcript.isEmpty)
        handler.wait(.milliseconds(1))
        handler.answer(Response(.ok))  // Too late: dropped.
        #expect(handler.transcript == ["503 closed"])
        #expect(handler.refused.map(\.isLate) == [true])
        var idle = MachineRun()
        idle.receive(Self.get)
        idle.wait(.seconds(60))
        #expect(idle.transcript == ["200 open", "closed"])
    }

    static let refusals: [(bytes: String, method: HTTPServer::Method?, path: String?)] = [
        ("POST /oauth2/token?a=b HTTP/1.1\r\n\r\n", .post, "/oauth2/token"),
        ("\r\nGET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .get, "/a"),
        ("HEAD /a HTTP/3.0\r\nHost: a\r\n\r\n", .head, "/a"),
        ("GET /\(String(repeating: "x", count: 300)) HTTP/1.1\r\n\r\n", .get, nil),
        ("POST /t?\(String(repeating: "x", count: 9_000))", .post, "/t"),
        ("GET http://a/b HTTP/1.1\r\n\r\n", .get, nil),
        ("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", nil, nil),
        ("GET /\u{80} HTTP/1.1\r\nHost: a\r\n\r\n", .get, nil),
        ("\0", nil, nil),
        (
            "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
            .post, "/c"
        ),
    ]

    @Test("who is refused is known as far as it can be read, at every cut", arguments: refusals)
    func refusal(_ row: (bytes: String, method: HTTPServer::Method?, path: String?)) {
        let bytes = Array(row.bytes.utf8)
        for cut in [bytes.count, 1, bytes.count / 2] {
            var run = MachineRun()
            run.receive(bytes[..<cut])
            run.receive(bytes[cut...])
            #expect(run.refused.count == 1)
            #expect(run.refused.first?.method == row.method)
            #expect(run.refused.first?.path == row.path)
        }
    }

    @Test("a peer that ends its half ends the connection") func peerFinished() {
        var idle = MachineRun()
        idle.finish()
        #expect(idle.transcript == ["closed"])
        var middle = MachineRun()
        middle.receive(Self.get.dropLast())
        middle.finish()
        #expect(middle.transcript == ["closed"])
        var handling = MachineRun()
        handling.answers = false
        handling.receive(Self.get)
        handling.finish()
        handling.answer(Response(.ok))
        #expect(handling.transcript == ["closed"])
    }

    @Test("a drain closes what is idle and ends the rest with its answer") func drain() {
        var idle = MachineRun()
        idle.perform(idle.machine.drain())
        #expect(idle.transcript == ["closed"])
        var busy = MachineRun()
        busy.answers = false
        busy.receive(Self.get)
        busy.perform(busy.machine.drain())
        busy.answer(Response(.ok))
        #expect(busy.transcript == ["200 closed"])
        var begun = MachineRun()
        begun.receive(Self.get.dropLast())
        begun.perform(begun.machine.drain())
        begun.receive(Self.get.suffix(1))
        #expect(begun.transcript == ["200 closed"])
    }

    @Test("an answer may close a connection") func closing() {
        var run = MachineRun()
        run.answers = false
        run.receive(Self.get)
        var response = Response(.misdirectedRequest)
        response.closesConnection = true
        run.answer(response)
        #expect(run.transcript == ["421 closed"])
    }

    @Test("the last minute of a connection's hour has its last request, which is told so")
    func age() {
        for (seconds, last) in [(58, "200 open"), (59, "200 closed")] {
            var run = MachineRun()
            for _ in 0..<59 {
                run.receive(Self.get)
                run.wait(.seconds(59))
            }
            run.receive(Self.get)
            run.wait(.seconds(seconds))
            #expect(run.transcript == [String](repeating: "200 open", count: 60))
            run.receive(Self.get)  // 3 539 or 3 540 s old.
            #expect(run.transcript.last == last)
            run.wait(.seconds(60))
            #expect(run.machine.isClosed)
        }
    }

    @Test("what is sent ahead is used where it lies, and moved at most once") func sentAhead() {
        var run = MachineRun()
        let count = 1_000
        run.answers = false
        run.receive(Array(repeating: Self.get, count: count).joined())
        for answered in 1...count / 2 {
            run.answer(Response(.ok))
            #expect(run.machine.input.count == count * Self.get.count)
            #expect(run.transcript.count == answered)
        }
        run.answer(Response(.ok))
        run.answer(Response(.ok))
        #expect(run.machine.input.count < count / 2 * Self.get.count)
        while run.transcript.count < count { run.answer(Response(.ok)) }
        #expect(run.machine.input.isEmpty)
    }

    @Test("a head's length sent ahead is enough, until it is that little again") func full() {
        var run = MachineRun()
        run.answers = false
        run.receive(Self.get)
        #expect(!run.machine.isFull)
        let count = 16_384 / Self.get.count + 1
        run.receive(Array(repeating: Self.get, count: count).joined())
        #expect(run.machine.isFull)
        run.answer(Response(.ok))
        #expect(!run.machine.isFull)
        run.receive(Self.get)
        #expect(run.machine.isFull)
    }
    @Test("behind a body no more is read ahead than a head's length") func behindABody() {
        var short = MachineRun()
        short.receive(Self.post("Content-Length: 1\r\n"))
        #expect(short.machine.readBytesMax == 1 + 16_384)
        var begun = MachineRun()
        begun.receive(Self.post("Content-Length: 60000\r\n", "abc"))
        #expect(begun.machine.readBytesMax == 59_997 + 16_384)
        var chunked = MachineRun()
        chunked.receive(Self.post("Transfer-Encoding: chunked\r\n", "ffff\r\n"))
        #expect(chunked.machine.readBytesMax == 16_384)
        var idle = MachineRun()
        idle.receive(Self.get)
        #expect(idle.machine.readBytesMax == 16_384)
    }
}
