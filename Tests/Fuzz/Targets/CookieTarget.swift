import Domain
import InMemory
import Issuing

@testable import WebAPI

extension Target {
    /// A cookie that is sent twice counts as none, wherever the bytes stand.
    static let cookie = Target("cookie") { bytes in
        let header = String(decoding: bytes, as: UTF8.self)
        let digester = StandInDigester()
        let one = Cookies.value("chancery_tx", in: [Array(header.utf8)])
        let twice = Cookies.value("chancery_tx", in: [Array(header.utf8), Array(header.utf8)])
        precondition(one == nil || twice == nil, "a cookie that was sent twice counts")
        guard let one else { return false }
        _ = OpaqueToken(.transaction, reading: one, digester: digester)
        precondition(!one.contains(UInt8(ascii: ";")), "a value that goes on")
        return true
    }
}
