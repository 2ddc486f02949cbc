internal import CLinux

extension Loop {
    /// Calls `handler` on the loop whenever `descriptor` is ready, until the watch is cancelled.
    ///
    /// Level-triggered: what is not read is told again in the next turn. One watch per descriptor
    /// at a time; a second one replaces the first.
    package func watch(
        _ descriptor: Int32,
        _ interest: Interest,
        _ handler: @escaping (Readiness) -> Void
    ) -> Watch {
        assertCurrent()
        precondition(descriptor >= 0, "a descriptor is not negative")
        let index = Int(descriptor)
        while watches.count <= index { watches.append(nil) }
        watches[index]?.cancel()
        watchesMade = (watchesMade + 1) & 0x7FFF_FFFF
        let tag = watchesMade << 32 | UInt64(descriptor)
        let watch = Watch(descriptor, interest, tag: tag, on: self, handler: handler)
        watches[index] = watch
        _ = clinux_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, interest.events, tag)
        return watch
    }

    func update(_ watch: Watch) {
        let events = watch.interest.events
        _ = clinux_epoll_control(epoll, EPOLL_CTL_MOD, watch.descriptor, events, watch.tag)
    }

    func forget(_ watch: Watch) {
        let index = Int(watch.descriptor)
        guard watches[index] === watch else { return }
        watches[index] = nil
        _ = clinux_epoll_control(epoll, EPOLL_CTL_DEL, watch.descriptor, 0, 0)
    }
}
