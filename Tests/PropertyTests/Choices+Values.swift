import Domain
import TestSupport

/// Values out of a small world, so that equal ones meet.
extension Choices {
    mutating func one<Value>(of values: [Value]) -> Value {
        values[Int(draw(below: UInt64(values.count)))]
    }

    mutating func any<Value: CaseIterable>(_ type: Value.Type) -> Value {
        one(of: Array(type.allCases))
    }

    mutating func maybe<Value>(_ make: (inout Choices) -> Value) -> Value? {
        draw(below: 3) == 0 ? nil : make(&self)
    }

    mutating func bool() -> Bool { draw(below: 2) == 1 }

    mutating func integer<Value: FixedWidthInteger>(_ range: ClosedRange<Value>) -> Value {
        range.lowerBound + Value(draw(below: UInt64(range.upperBound - range.lowerBound) + 1))
    }

    mutating func stream() -> StreamID { Sample.stream(draw(below: 4)) }
    mutating func subject() -> SubjectID { SubjectID(stream()) }
    mutating func session() -> SessionID { SessionID(stream()) }
    mutating func token() -> TokenID { TokenID(Sample.stream(draw(below: 200))) }
    mutating func digest() -> TokenDigest { Sample.digest(integer(0...3)) }
    mutating func key() -> Thumbprint { Sample.key(integer(0...2)) }
    mutating func client() -> ClientID { one(of: ["a", "b.c~d_e-F"].map(Sample.client)) }

    mutating func sealed() -> Sealed {
        let count = draw(below: 40)
        return Sealed(bytes: (0..<count).map { _ in UInt8(draw(below: 256)) })
    }

    mutating func scope() -> Scope {
        let all = ["email", "openid", "offline_access", "device_sso", "https://a.example/x!"]
        return Scope(unchecked: all.filter { _ in bool() })
    }

    mutating func redirectURI() -> RedirectURI {
        one(of: ["https://a.example/cb?x=\"y\"&z=\\", "com.example:/cb"].map(Sample.redirectURI))
    }

    /// Anything a client may send: quotes, control characters, other planes, combining marks.
    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{301}", "😀",
            "\u{2028}",
        ]
        let count = draw(below: 8)
        return String(String.UnicodeScalarView((0..<count).map { _ in one(of: scalars) }))
    }

    mutating func texts() -> [String] {
        let count = draw(below: 3)
        return (0..<count).map { _ in text() }
    }

    /// To the microsecond, as columns have it.
    mutating func instant() -> Instant {
        Sample.time(0).adding(microseconds: integer(0...9_999_999))
    }

    /// To the millisecond, as members have it.
    mutating func wholeInstant() -> Instant { instant().wholeMilliseconds }

    mutating func authentication() -> Authentication {
        let count = draw(below: 3)
        return Authentication(
            methods: (0..<count).map { _ in any(AuthenticationMethod.self) },
            at: instant(),
            approval: maybe { $0.any(LoginLink.Approval.self) }
        )
    }

    mutating func parent() -> Parent { Parent(kind: any(Parent.Kind.self), stream: stream()) }
}

extension Instant {
    func adding(microseconds step: Int64) -> Instant {
        Instant(microseconds: microseconds + step)
    }
}

extension Generator where Value == Scope {
    static var scopes: Generator { Generator { $0.scope() } }
}
