/// The number PostgreSQL gives a type (pg_type.oid); those of built-in types never change.
struct TypeID: Hashable, Sendable {
    let number: UInt32

    static let bool = Self(number: 16)
    static let bytea = Self(number: 17)
    static let int8 = Self(number: 20)
    static let int2 = Self(number: 21)
    static let int4 = Self(number: 23)
    static let text = Self(number: 25)
    static let xid8Array = Self(number: 271)
    static let float8 = Self(number: 701)
    static let byteaArray = Self(number: 1001)
    static let int2Array = Self(number: 1005)
    static let int4Array = Self(number: 1007)
    static let textArray = Self(number: 1009)
    static let int8Array = Self(number: 1016)
    static let timestamptz = Self(number: 1184)
    static let timestamptzArray = Self(number: 1185)
    static let uuid = Self(number: 2950)
    static let uuidArray = Self(number: 2951)
    static let xid8 = Self(number: 5069)
}
