import Runtime

/// One keep-alive connection: a request out, its answer in, and how long that took.
final class ClientConnection {
    private let loop: Loop
    private let descriptor: Int32
    private let received: (LoadGenerator.Answer, Double) -> Void
    private var watch: Watch?
    private var input: [UInt8] = []
    private var sentAt = MonotonicInstant.now()

    init(
        on loop: Loop,
        to address: SocketAddress,
        received: @escaping (LoadGenerator.Answer, Double) -> Void
    ) throws {
        self.loop = loop
        self.received = received
        descriptor = try Sockets.connect(to: address)
        watch = loop.watch(descriptor, .readable) { [unowned self] _ in read() }
    }

    func close() {
        watch?.cancel()
        watch = nil
        Sockets.close(descriptor)
    }

    /// Requests are small: one write takes them whole.
    func send(_ request: [UInt8]) {
        sentAt = MonotonicInstant.now()
        var rest = request[...]
        while !rest.isEmpty {
            switch Sockets.write(descriptor, Array(rest)) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock: continue
            case .ended, .failed: return
            }
        }
    }

    private func read() {
        guard watch != nil else { return }
        guard
            case .moved(let count) = Sockets.read(descriptor, appendingTo: &input, atMost: 16_384),
            count > 0
        else { return }
        guard let answer = parse() else { return }
        let latency = Double(MonotonicInstant.now().nanoseconds - sentAt.nanoseconds) / 1000
        input.removeAll(keepingCapacity: true)
        received(answer, latency)
    }

    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let lengthName = Array("content-length:".utf8)

    private func parse() -> LoadGenerator.Answer? {
        guard let head = Self.find(Self.headEnd, in: input[...]) else { return nil }
        let status = input[9..<12].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        var length = 0
        if let name = Self.find(Self.lengthName, in: input[..<head]) {
            for byte in input[(name + Self.lengthName.count)...] {
                if byte == 0x20 { continue }
                guard 0x30...0x39 ~= byte else { break }
                length = length * 10 + Int(byte - 0x30)
            }
        }
        let start = head + 4
        guard input.count >= start + length else { return nil }
        return LoadGenerator.Answer(status: status, body: input[start..<(start + length)])
    }

    /// Where `needle` begins, letters in any case.
    static func find(_ needle: [UInt8], in haystack: ArraySlice<UInt8>) -> Int? {
        guard haystack.count >= needle.count else { return nil }
        for start in haystack.startIndex...(haystack.endIndex - needle.count) {
            var index = 0
            while index < needle.count, haystack[start + index] | 0x20 == needle[index] | 0x20 {
                index += 1
            }
            if index == needle.count { return start }
        }
        return nil
    }
}
