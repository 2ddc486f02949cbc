internal import Runtime

/// How bytes travel on a connection: bare, or through TLS.
enum Transport {
    case plain(Int32)
    case secure(TLSSession)

    /// Reads into `scratch` and puts what came behind `input`.
    func read(
        _ scratch: UnsafeMutableRawBufferPointer,
        appendingTo input: inout [UInt8]
    ) -> Transfer {
        let transfer =
            switch self {
            case .plain(let descriptor): unsafe Sockets.read(descriptor, into: scratch)
            case .secure(let session): unsafe session.read(into: scratch)
            }
        if case .moved(let count) = transfer {
            unsafe input.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        }
        return transfer
    }

    /// See `TLSSession.certificateDigest`; nil without TLS.
    var certificateDigest: [UInt8]? {
        switch self {
        case .plain: nil
        case .secure(let session): session.certificateDigest
        }
    }

    /// Writes `head` and `body`, leaving out the first `start` bytes of the two.
    func write(_ head: [UInt8], _ body: [UInt8], from start: Int) -> Transfer {
        switch self {
        case .plain(let descriptor): Sockets.write(descriptor, head, body, from: start)
        case .secure(let session): session.write(head, body, from: start)
        }
    }

    var isSecure: Bool { if case .secure = self { true } else { false } }

    /// Whether TLS must write before it can go on, whatever was asked for.
    var wantsWrite: Bool {
        if case .secure(let session) = self { session.wantsWrite } else { false }
    }

    /// See `TLSSession.writeWantsRead`; never without TLS.
    var writeWantsRead: Bool {
        if case .secure(let session) = self { session.writeWantsRead } else { false }
    }
}
