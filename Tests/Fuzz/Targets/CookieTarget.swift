import Domain
import InMemory
import Issuing

@testable import WebAPI

extension Target {
    /// A cookie that is sent twice counts as none, wherever the bytes stand, and of those whose
    /// names begin alike each name is told once.
    static let cookie = Target("cookie") { bytes in
        let header = Array(String(decoding: bytes, as: UTF8.self).utf8)
        let digester = StandInDigester()
        let one = Cookies.value("chancery_tx", in: [header])
        let twice = Cookies.value("chancery_tx", in: [header, header])
        precondition(one == nil || twice == nil, "a cookie that was sent twice counts")
        if let one {
            _ = OpaqueToken(.transaction, reading: one, digester: digester)
            precondition(!one.contains(UInt8(ascii: ";")), "a value that goes on")
        }
        let names = Self.names(in: [header], atMost: .max)
        precondition(names == Self.names(in: [header, header], atMost: .max), "a name told twice")
        precondition(
            Array(names.prefix(1)) == Self.names(in: [header], atMost: 1),
            "too many names"
        )
        for cookie in Cookies.cookies(startingWith: prefix, in: [header], atMost: .max) {
            let alone = Cookies.value(cookie.name, in: [header])
            precondition(cookie.value == alone, "among others a cookie is another")
        }
        for name in names {
            precondition(name.utf8.starts(with: prefix), "a name that begins otherwise")
            precondition(!name.utf8.contains { ";=".utf8.contains($0) }, "a name that goes on")
        }
        return one != nil && names.count > 1
    }

    private static let prefix = Array("chancery_tx_".utf8)

    private static func names(in headers: [[UInt8]], atMost count: Int) -> [String] {
        Cookies.cookies(startingWith: prefix, in: headers, atMost: count).map(\.name)
    }
}
