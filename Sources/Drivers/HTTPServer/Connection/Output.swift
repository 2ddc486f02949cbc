/// Bytes on their way to the socket.
struct Output {
    let head: [UInt8]
    let body: [UInt8]
    var written = 0

    /// A head and a body behind what is not written of `waiting` yet.
    init(_ head: [UInt8], _ body: [UInt8], behind waiting: Output?) {
        if let waiting {
            // A slow reader, and `100 Continue` before: rare, so copied.
            self.head = Array((waiting.head + waiting.body)[waiting.written...]) + head
        } else {
            self.head = head
        }
        self.body = body
    }

    var isWritten: Bool { written == head.count + body.count }
}
