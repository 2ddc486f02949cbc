import Runtime

/// A mail relay on a loop that answers each command with what a test wants.
final class ScriptedRelay: @unchecked Sendable {
    /// What one connection said.
    struct Session: Sendable {
        var commands: [String] = []
        var message: [UInt8] = []
    }

    let port: UInt16
    let sessions = Guarded<[Session]>([])
    private let loop: Loop
    private let listener: Int32
    // On the loop alone.
    private let replies: [String: String]
    private var watches: [Int32: Watch] = [:]
    private var buffers: [Int32: [UInt8]] = [:]
    private var readsMessage: Set<Int32> = []
    private var indices: [Int32: Int] = [:]

    /// `replies` by the first word of a command, or `greeting` and `message`; nothing is answered
    /// to a command whose reply is empty.
    init(_ replies: [String: String] = [:]) throws {
        self.replies = replies
        loop = try Loop(name: "relay")
        listener = try Sockets.listen(at: .loopback(port: 0))
        port = Sockets.localAddress(of: listener).port
        loop.start()
        loop.post { [self] in
            watches[listener] = loop.watch(listener, .readable) { [unowned self] _ in accept() }
        }
    }

    func stop() async {
        await loop.spawn { [self] in
            for (descriptor, watch) in watches {
                watch.cancel()
                Sockets.close(descriptor)
            }
            watches = [:]
        }.value
        loop.stop()
        loop.join()
    }

    private func accept() {
        while case .connection(let descriptor, _) = Sockets.accept(listener) {
            // The number may have been that of a connection which ended in the middle.
            buffers[descriptor] = nil
            readsMessage.remove(descriptor)
            indices[descriptor] = sessions.withLock { sessions in
                sessions.append(Session())
                return sessions.count - 1
            }
            watches[descriptor] = loop.watch(descriptor, .readable) { [unowned self] _ in
                read(descriptor)
            }
            reply(descriptor, "greeting", "220 relay.test ESMTP")
        }
    }

    private func read(_ descriptor: Int32) {
        switch Sockets.read(
            descriptor,
            appendingTo: &buffers[descriptor, default: []],
            atMost: 65_536
        )
        {
        case .moved: break
        case .wouldBlock: return
        case .ended, .failed:
            watches.removeValue(forKey: descriptor)?.cancel()
            Sockets.close(descriptor)
            return
        }
        while step(descriptor) {}
    }

    /// Handles one line, or the message; answers whether there was one.
    private func step(_ descriptor: Int32) -> Bool {
        guard var buffer = buffers[descriptor] else { return false }
        if readsMessage.contains(descriptor) {
            let text = String(decoding: buffer, as: UTF8.self)
            guard let end = text.utf8.firstRange(of: "\r\n.\r\n".utf8) else { return false }
            let count = text.utf8.distance(from: text.utf8.startIndex, to: end.lowerBound)
            note(descriptor) { $0.message = Array(buffer.prefix(count + 2)) }
            buffers[descriptor] = Array(buffer.dropFirst(count + 5))
            readsMessage.remove(descriptor)
            reply(descriptor, "message", "250 taken")
            return true
        }
        guard let end = buffer.firstIndex(of: 0x0A) else { return false }
        let line = String(decoding: buffer.prefix(max(0, end - 1)), as: UTF8.self)
        buffer.removeFirst(end + 1)
        buffers[descriptor] = buffer
        note(descriptor) { $0.commands.append(line) }
        let word = String(line.prefix { $0 != " " && $0 != ":" })
        switch word {
        case "EHLO": reply(descriptor, word, "250-relay.test\r\n250 8BITMIME")
        case "DATA":
            if replies[word] == nil { readsMessage.insert(descriptor) }
            reply(descriptor, word, "354 go on")
        case "QUIT": reply(descriptor, word, "221 bye")
        default: reply(descriptor, word, "250 ok")
        }
        return true
    }

    private func note(_ descriptor: Int32, _ change: (inout Session) -> Void) {
        guard let index = indices[descriptor] else { return }
        sessions.withLock { change(&$0[index]) }
    }

    private func reply(_ descriptor: Int32, _ name: String, _ usual: String) {
        let text = replies[name] ?? usual
        guard !text.isEmpty else { return }
        _ = Sockets.write(descriptor, Array("\(text)\r\n".utf8))
    }
}

extension String.UTF8View {
    fileprivate func firstRange(of other: String.UTF8View) -> Range<Index>? {
        let needle = Array(other)
        var start = startIndex
        while start != endIndex {
            if self[start...].starts(with: needle) {
                return start..<index(start, offsetBy: needle.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
