/// Turns an answer into bytes (RFC 9112 §4): status line, our fields, its fields, content.
enum ResponseWriter {
    static let interim: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The head of `response`; `date` is a whole `Date` line.
    static func head(
        _ response: borrowing Response,
        to context: ConnectionMachine.AnswerContext,
        date: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + response.fieldBytes.count)
        appendStatusLine(response.status, to: &bytes)
        bytes.append(contentsOf: date)
        bytes.append(contentsOf: response.fieldBytes)
        if !response.status.forbidsContent {
            bytes.append("Content-Length: ")
            append(response.body.count, to: &bytes)
            bytes.append("\r\n")
        }
        if context.closes {
            bytes.append("Connection: close\r\n\r\n")
        } else if context.isVersion10 {
            bytes.append("Connection: keep-alive\r\n\r\n")
        } else {
            bytes.append("\r\n")
        }
        return bytes
    }

    /// Whether the content of `response` is written: not for HEAD, 204 and 304.
    static func writesBody(
        _ response: borrowing Response,
        to context: ConnectionMachine.AnswerContext
    ) -> Bool {
        !context.isHead && !response.status.forbidsContent
    }

    private static func appendStatusLine(_ status: Status, to bytes: inout [UInt8]) {
        bytes.append("HTTP/1.1 ")
        append(status.rawValue, to: &bytes)
        bytes.append(" ")
        bytes.append(status.reason)
        bytes.append("\r\n")
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        if number >= 10 { append(number / 10, to: &bytes) }
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
