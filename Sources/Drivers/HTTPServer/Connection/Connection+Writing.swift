internal import Runtime

extension Connection {
    /// Writes a head and a body in this turn, behind what is not written yet.
    func send(_ head: consuming [UInt8], _ body: consuming [UInt8]) {
        output = Output(head, body, behind: output)
        if isToWrite { return }
        isToWrite = true
        worker.answers.join(self)
    }

    /// Its turn among the answers of this turn has come.
    func writeNow() {
        isToWrite = false
        flush()
    }

    /// Writes what the socket takes; the rest waits until it takes more.
    func flush() {
        guard var output = self.output.take() else { return updateInterest() }
        while !output.isWritten {
            switch transport.write(output.head, output.body, from: output.written) {
            case .moved(let count): output.written += count
            case .wouldBlock:
                self.output = output
                return updateInterest()
            // TLS had to read first, and the client had ended.
            case .ended, .failed: return close()
            }
        }
        perform(machine.written(at: worker.loop.now))
        if machine.isIdle { worker.idle.join(self, at: worker.loop.now) }
        updateInterest()
        pump()
    }

    /// Listens to what the connection waits for, and to nothing else.
    func updateInterest() {
        var interest = Interest.readable.union(.hangup)
        // Back pressure: TCP tells the client to wait. One that leaves is seen by its handler's
        // hangup or by the answer that cannot be written.
        if machine.isFull { interest = machine.isHandling ? .hangup : [] }
        // It would be told again and again.
        if peerHasFinished || share.isSpent { interest = [] }
        let isBlocked = output != nil && !isToWrite
        if isBlocked, transport.writeWantsRead {
            interest.insert(.readable)  // However full: what comes is for TLS itself.
        } else if isBlocked || transport.wantsWrite {
            interest.insert(.writable)
        }
        watch?.change(to: interest)
    }
}
