/// The answer to a head: go on, under these terms, or no.
package enum Admission: Sendable {
    /// What a request may use.
    package struct Terms: Hashable, Sendable {
        /// The longest body, in bytes; a longer one gets 413 before it is read.
        package var bodyBytesMax = 65_536
        /// How long the handler may take.
        package var handlerTime = Duration.seconds(5)
        /// Whether it may use the tenth of the slots kept for revocation and the like.
        package var isPriority = false

        /// The terms of security.md section 7.2; a long poll takes 30 s, admin bodies 1 MiB.
        package init(
            bodyBytesMax: Int = 65_536,
            handlerTime: Duration = .seconds(5),
            isPriority: Bool = false
        ) {
            self.bodyBytesMax = bodyBytesMax
            self.handlerTime = handlerTime
            self.isPriority = isPriority
        }
    }

    /// Read the body and call the handler.
    case accept(Terms)
    /// Answer this; the handler is not called.
    case refuse(Response)
}
