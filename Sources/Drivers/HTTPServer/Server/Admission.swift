/// The answer to a head: go on, under these terms, or no.
package enum Admission: Sendable {
    /// Which of a loop's slots for handlers a request may take.
    package enum Slots: Hashable, Sendable {
        /// Eight tenths: what begins something, and is turned away first.
        case starting
        /// Nine tenths.
        case usual
        /// All: what ends or checks something is turned away last.
        case ending
        /// None of them: it waits most of its time, in slots of its own.
        case held
    }

    /// What a request may use.
    package struct Terms: Hashable, Sendable {
        /// The longest body, in bytes; a longer one gets 413 before it is read.
        package var bodyBytesMax = 65_536
        /// How long the handler may take.
        package var handlerTime = Duration.seconds(5)
        /// Which slots it may take.
        package var slots = Slots.usual

        /// The terms of Security 7.2; a long poll takes 30 s, admin bodies 1 MiB.
        package init(
            bodyBytesMax: Int = 65_536,
            handlerTime: Duration = .seconds(5),
            slots: Slots = .usual
        ) {
            self.bodyBytesMax = bodyBytesMax
            self.handlerTime = handlerTime
            self.slots = slots
        }
    }

    /// Read the body and call the handler.
    case accept(Terms)
    /// Answer this; the handler is not called.
    case refuse(Response)
}
