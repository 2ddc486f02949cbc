import Foundation
import Runtime
import TestSupport
import Testing

/// A way to a broker on 127.0.0.1 that a test can cut, for those who were given its address alone.
///
/// A broker tells its clients where it is, and they go there from then on: they hear this way's
/// address instead, so that nothing comes past it.
final class BrokerWay: Sendable {
    /// How it is cut.
    enum Cut: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// As by a firewall that drops: connections stay, and nothing comes through.
        case silent
        /// As by one that refuses: connections end, and each new one ends at once.
        case closed
        var testDescription: String { rawValue }
    }

    /// `host:port`, instead of the broker's.
    let address: String
    private let listener: Int32
    private let broker: SocketAddress
    private let renaming: Renaming
    private let state = Guarded(State.open)

    private enum State: Sendable {
        case open
        case cut(Cut)
        case over
    }

    /// `bootstrapServers`: of one broker, which calls itself so.
    init(to bootstrapServers: String) throws {
        broker = try Fixture.some(SocketAddress(bootstrapServers))
        listener = try Sockets.listen(at: SocketAddress.loopback(port: 0))
        let own = Sockets.localAddress(of: listener)
        address = own.description
        renaming = Renaming(from: broker.port, to: own.port)
        Thread.detachNewThread { [self] in serve() }
    }

    func cut(_ cut: Cut) { state.replace(with: .cut(cut)) }

    /// What was held up by silence comes through, late.
    func open() { state.replace(with: .open) }

    /// For good.
    func end() { state.replace(with: .over) }

    private func serve() {
        var lines: [Line] = []
        while true {
            switch state.current {
            case .open:
                if case .connection(let client, from: _) = Sockets.accept(listener),
                    let line = Line(from: client, to: broker)
                {
                    lines.append(line)
                }
                for index in lines.indices { lines[index].carry(renaming) }
                for line in lines where line.isBroken { line.close() }
                lines.removeAll(where: \.isBroken)
            case .cut(.silent): break
            case .cut(.closed):
                for line in lines { line.close() }
                lines = []
                if case .connection(let client, from: _) = Sockets.accept(listener) {
                    Sockets.close(client)
                }
            case .over:
                for line in lines { line.close() }
                return Sockets.close(listener)
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// The broker's address as its answers have it: the host, then the port in four bytes (Kafka
    /// protocol, "Metadata Response").
    private struct Renaming: Sendable {
        private let told: [UInt8]
        private let own: [UInt8]

        init(from broker: UInt16, to own: UInt16) {
            told = Self.bytes(broker)
            self.own = Self.bytes(own)
        }

        private static func bytes(_ port: UInt16) -> [UInt8] {
            Array("127.0.0.1".utf8) + [0, 0, UInt8(port >> 8), UInt8(port & 0xFF)]
        }

        /// As long as before, so that no length changes.
        func renamed(_ answer: [UInt8]) -> [UInt8] {
            var renamed = answer
            var index = 0
            while index + told.count <= renamed.count {
                if renamed[index] == told[0], renamed[index...].starts(with: told) {
                    renamed.replaceSubrange(index..<(index + told.count), with: own)
                }
                index += 1
            }
            return renamed
        }
    }

    /// A client's connection, and the one to the broker that goes with it.
    private struct Line {
        private let client: Int32
        private let server: Int32
        private var requests: [UInt8] = []
        /// Of the broker, as far as it has come.
        private var unread: [UInt8] = []
        private var answers: [UInt8] = []
        private(set) var isBroken = false

        /// Nil when the broker cannot be called; the client's connection has ended then.
        init?(from client: Int32, to broker: SocketAddress) {
            guard let server = try? Sockets.connect(to: broker) else {
                Sockets.close(client)
                return nil
            }
            self.client = client
            self.server = server
        }

        /// Hands on what has come, also what came last before an end.
        mutating func carry(_ renaming: Renaming) {
            let isAsking = Self.read(client, into: &requests)
            let isAnswering = Self.read(server, into: &unread)
            answers += renaming.renamed(wholeAnswers())
            let isAsked = Self.write(&requests, to: server)
            let isAnswered = Self.write(&answers, to: client)
            isBroken = !(isAsking && isAnswering && isAsked && isAnswered)
        }

        func close() {
            Sockets.close(client)
            Sockets.close(server)
        }

        /// Each begins with its length in four bytes: a name may come in two pieces.
        private mutating func wholeAnswers() -> [UInt8] {
            var end = 0
            while unread.count >= end + 4 {
                var length = 0
                for byte in unread[end..<(end + 4)] { length = length * 256 + Int(byte) }
                guard unread.count >= end + 4 + length else { break }
                end += 4 + length
            }
            defer { unread.removeFirst(end) }
            return Array(unread[..<end])
        }

        private static func read(_ socket: Int32, into bytes: inout [UInt8]) -> Bool {
            while true {
                switch Sockets.read(socket, appendingTo: &bytes, atMost: 64 * 1024) {
                case .moved: continue
                case .wouldBlock: return true
                case .ended, .failed: return false
                }
            }
        }

        private static func write(_ bytes: inout [UInt8], to socket: Int32) -> Bool {
            while !bytes.isEmpty {
                switch Sockets.write(socket, bytes) {
                case .moved(let count): bytes.removeFirst(count)
                case .wouldBlock: return true
                case .ended, .failed: return false
                }
            }
            return true
        }
    }
}
