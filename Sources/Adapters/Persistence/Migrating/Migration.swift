internal import Crypto

/// One numbered step of the schema, as this program knows it.
package struct Migration: Hashable, Sendable {
    /// From 1 without gaps.
    package let version: Int32
    /// Lower-case letters, digits and underscores.
    package let name: String
    /// SQL in UTF-8; runs in one transaction as `chancery_owner`.
    package let sql: [UInt8]
    /// SHA-256 of `sql`, 64 hex digits: what tells an edited file.
    package let checksum: String

    /// Nil unless `version` and `name` are as above.
    package init?(version: Int32, name: String, sql: [UInt8]) {
        let isName = name.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_")
        }
        guard version > 0, isName, !name.isEmpty else { return nil }
        self.version = version
        self.name = name
        self.sql = sql
        let digits = Array("0123456789abcdef".utf8)
        let hex = SHA256.hash(sql).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        checksum = String(decoding: hex, as: UTF8.self)
    }

    /// The file's name, such as `0002_event_store.sql`.
    package var fileName: String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
    }
}
