extension [UInt8] {
    /// The bytes of `span`, copied.
    package init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }
}
