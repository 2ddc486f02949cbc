import Foundation
import Runtime
import TestSupport

/// A server that refuses every connection, in its own language.
final class RefusingServer: Sendable {
    /// What libpq takes for a host: the socket is in it.
    let folder: URL
    private let listener: Int32
    private let isOver = Guarded(false)

    /// `state`: left out when it is empty.
    init(state: String, message: String) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-refusing-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let address = try Fixture.some(SocketAddress.local("\(folder.path)/.s.PGSQL.5432"))
        listener = try Sockets.listen(at: address)
        let answer = Self.refusal(state, message)
        Thread.detachNewThread { [self] in serve(answer) }
    }

    func close() {
        isOver.replace(with: true)
        try? FileManager.default.removeItem(at: folder)
    }

    /// An ErrorResponse (PostgreSQL's protocol, "Message Formats"): fields that end in a zero.
    private static func refusal(_ state: String, _ message: String) -> [UInt8] {
        var fields: [UInt8] = []
        let parts = ["SSCHWERWIEGEND", "VFATAL", "M\(message)", "Fpostmaster.c", "L1", "RStart"]
        for field in parts + (state.isEmpty ? [] : ["C\(state)"]) {
            fields += Array(field.utf8) + [0]
        }
        fields.append(0)
        let length = fields.count + 4
        return [UInt8(ascii: "E"), 0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + fields
    }

    private func serve(_ answer: [UInt8]) {
        while !isOver.current {
            guard case .connection(let connection, from: _) = Sockets.accept(listener) else {
                Thread.sleep(forTimeInterval: 0.005)
                continue
            }
            // Its startup packet: what is not read would cost the answer.
            var bytes: [UInt8] = []
            while bytes.isEmpty, !isOver.current {
                _ = Sockets.read(connection, appendingTo: &bytes, atMost: 4096)
                Thread.sleep(forTimeInterval: 0.001)
            }
            _ = Sockets.write(connection, answer)
            Sockets.close(connection)
        }
        Sockets.close(listener)
    }
}
