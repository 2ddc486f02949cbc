import Foundation
import Runtime
import TestSupport
import Testing

@Suite("Log") struct LogTests {
    private func lines(_ level: Log.Level = .info, _ body: (Log, LogWriter) -> Void) -> [String] {
        let said = SaidLog(level: level)
        body(said.log, said.writer)
        return said.end()
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private func object(_ line: String) throws -> [String: Any] {
        let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(parsed as? [String: Any])
    }

    @Test("a line is one JSON object with time, level, sentence and fields") func shape() throws {
        let line = try #require(
            lines { log, _ in
                log.with(.field("node", "a")).warning(
                    "a constant sentence",
                    .field("status", 200),
                    .field("hit", true),
                    .field("ms", Duration.microseconds(1_500)),
                    .field("stream", hexadecimal: [0, 255])
                )
            }.first
        )
        let fields = try object(line)
        #expect(fields["level"] as? String == "warning")
        #expect(fields["msg"] as? String == "a constant sentence")
        #expect(fields["node"] as? String == "a")
        #expect(fields["status"] as? Int == 200)
        #expect(fields["hit"] as? Bool == true)
        #expect(fields["ms"] as? Double == 1.5)
        #expect(fields["stream"] as? String == "00ff")
        #expect((fields["ts"] as? String)?.count == 27)
    }

    static let hostile = [
        "two\nlines", "carriage\rreturn", "nul\0", "escape \u{1B}[31m", "quote \" \\ slash",
        "C1 \u{9B}31m", "separator \u{2028} \u{2029}", "delete \u{7F}", "emoji 🔑",
    ]
    @Test("hostile text stays one line without control bytes and reads back", arguments: hostile)
    func escapes(_ text: String) throws {
        let written = lines { log, _ in log.info("x", .field("text", text)) }
        #expect(written.count == 1)
        let line = try #require(written.first)
        let hasControl = line.unicodeScalars.contains {
            $0.value < 0x20 || 0x7F...0x9F ~= $0.value || 0x2028...0x2029 ~= $0.value
        }
        #expect(!hasControl)
        #expect(try object(line)["text"] as? String == text)
    }

    @Test("a line never exceeds 4 KiB and says that it was cut") func bounds() throws {
        let long = String(repeating: "é\u{1}", count: 4_000)
        let line = try #require(
            lines { log, _ in
                log.info(
                    "x",
                    .field("a", long),
                    .field("b", long),
                    .field("c", long),
                    .field("d", long),
                    .field("last", 1)
                )
            }.first
        )
        #expect(line.utf8.count < 4_096)
        let fields = try object(line)
        #expect(fields["truncated"] as? Bool == true)
        #expect(fields["last"] as? Int == 1)
    }

    @Test("lines below the level are not written, until it is lowered") func levels() {
        let written = lines(.warning) { log, writer in
            log.info("no")
            log.warning("yes")
            writer.setLevel(.debug)
            log.debug("now")
        }
        #expect(written.count == 2)
    }

    @Test("a reader that stands still costs lines, never the caller") func drops() {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let log = Log(writer)
        for _ in 0..<20_000 { log.info("a line nobody reads, long enough to fill the pipe soon") }
        #expect(writer.droppedLines > 0)
        pipe.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        writer.flush(within: .seconds(5))
        pipe.fileHandleForReading.readabilityHandler = nil
    }
    @Test("a full disk costs lines, and they are counted") func fullDisk() {
        let descriptor = unsafe open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let writer = LogWriter(descriptor: descriptor)
        for _ in 0..<10 { Log(writer).info("a line that nobody will read") }
        writer.flush(within: .seconds(20))
        #expect(writer.droppedLines == 10)
    }
}
