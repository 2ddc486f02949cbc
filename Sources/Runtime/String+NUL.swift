extension String {
    /// The text that C has put into `buffer`, up to its NUL, else all of it; what is not UTF-8 is
    /// repaired.
    package init(upToNUL buffer: [CChar]) {
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
