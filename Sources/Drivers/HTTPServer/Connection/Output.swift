/// Bytes on their way to the socket.
struct Output {
    let head: [UInt8]
    let body: [UInt8]
    var written = 0

    /// A head and a body behind what is not written of `waiting` yet.
    init(_ head: [UInt8], _ body: [UInt8], behind waiting: Output?) {
        // A slow reader, and `100 Continue` before: rare, so copied.
        let rest = waiting.map { Array(($0.head + $0.body)[$0.written...]) }
        self.head = rest.map { $0 + head } ?? head
        self.body = body
    }

    var isWritten: Bool { written == head.count + body.count }
}
