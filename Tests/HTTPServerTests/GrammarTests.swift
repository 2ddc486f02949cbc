import HTTPServer
import Testing

/// One row of the grammar table: what is sent, what comes back.
///
/// An empty answer means "waits".
struct GrammarRow: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let answers: [String]

    init(_ name: String, _ text: String, _ answers: String...) {
        self.init(name, bytes: Array(text.utf8), answers)
    }

    init(_ name: String, bytes: [UInt8], _ answers: [String]) {
        self.name = name
        self.bytes = bytes
        self.answers = answers
    }

    /// A GET of `/` with these field lines after `Host`.
    static func get(_ name: String, _ fields: String, _ answers: String...) -> Self {
        Self(name, bytes: Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8), answers)
    }

    /// A POST to `/` with these field lines after `Host` and this body.
    static func post(_ name: String, _ fields: String, _ body: String, _ answers: String...) -> Self
    {
        Self(name, bytes: Array("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)".utf8), answers)
    }

    /// A GET of `target`.
    static func target(_ target: String, _ answers: String...) -> Self {
        let head = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        return Self("target \(target.prefix(40))", bytes: Array(head.utf8), answers)
    }

    /// A chunked POST to `/`.
    static func chunked(_ name: String, _ body: String, _ answers: String...) -> Self {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        return Self("chunked: \(name)", bytes: Array((head + body).utf8), answers)
    }

    var testDescription: String { name }

    /// The bytes whole, byte by byte, and cut in two at every place (about 300 of a long row).
    var splits: [[ArraySlice<UInt8>]] {
        let step = max(1, bytes.count / 300)
        let cuts = stride(from: 1, to: bytes.count, by: step)
        return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }]
            + cuts.map { [bytes[..<$0], bytes[$0...]] }
    }
}

@Suite("Grammar") struct GrammarTests {
    @Test("every row has one answer, wherever its bytes are cut", arguments: GrammarRows.all)
    func answers(_ row: GrammarRow) {
        for pieces in row.splits {
            let transcript = MachineRun.transcript(pieces)
            #expect(transcript == row.answers, "cut at \(pieces[0].count) of \(row.bytes.count)")
            if transcript != row.answers { return }
        }
    }

    @Test("what was refused is answered once, whatever follows", arguments: GrammarRows.all)
    func nothingAfterClose(_ row: GrammarRow) {
        guard row.answers.last?.hasSuffix("closed") == true else { return }
        let more = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(MachineRun.transcript([(row.bytes + more)[...]]) == row.answers)
        #expect(MachineRun.transcript([row.bytes[...], more[...]]) == row.answers)
    }
}
