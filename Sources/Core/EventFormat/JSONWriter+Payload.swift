internal import Domain
internal import OAuth

/// How values of the domain look in a payload (Events 4).
extension JSONWriter {
    mutating func member(_ name: String, _ time: Instant) {
        let range = CanonicalJSON.integers
        member(name, min(max(time.milliseconds, range.lowerBound), range.upperBound))
    }

    mutating func member(_ name: String, _ time: Instant?) {
        if let time { member(name, time) }
    }

    mutating func member(_ name: String, _ id: StreamID) {
        member(name, verbatim: id.textBytes)
    }

    mutating func member(_ name: String, _ id: StreamID?) {
        if let id { member(name, id) }
    }

    mutating func member(_ name: String, _ client: ClientID) {
        member(name, client.text)
    }

    mutating func member(_ name: String, _ client: ClientID?) {
        if let client { member(name, client.text) }
    }

    mutating func member(_ name: String, _ digest: TokenDigest) {
        member(name, verbatim: Base64URL.encode(digest.bytes))
    }

    mutating func member(_ name: String, _ digest: TokenDigest?) {
        if let digest { member(name, digest) }
    }

    mutating func member(_ name: String, _ sealed: Sealed) {
        member(name, verbatim: Base64URL.encode(sealed.bytes))
    }

    mutating func member(_ name: String, _ sealed: Sealed?) {
        if let sealed { member(name, sealed) }
    }

    mutating func member(_ name: String, _ text: String?) {
        if let text { member(name, text) }
    }

    mutating func member(_ name: String, _ scope: Scope) {
        member(name, scope.tokens)
    }

    mutating func member(_ name: String, _ methods: [AuthenticationMethod]) {
        member(name, methods.map(\.rawValue))
    }

    mutating func member(_ name: String, _ parent: Parent) {
        self.name(name)
        object {
            $0.member("id", parent.stream)
            $0.member("kind", parent.kind.rawValue)
        }
    }

    /// Absent when there are none.
    mutating func member(_ name: String, unlessEmpty texts: [String]) {
        if !texts.isEmpty { member(name, texts) }
    }

    /// An object when the bytes are one in canonical form, else their text.
    mutating func member(_ name: String, json bytes: [UInt8]) {
        self.name(name)
        if (try? CanonicalJSON.read(bytes)) != nil {
            rendered(bytes)
        } else {
            string(String(decoding: bytes, as: UTF8.self))
        }
    }
}
