package import Runtime

extension Loop {
    /// A loop that turns until `end`.
    package static func running() throws(SystemError) -> Loop {
        let loop = try Loop(name: "test")
        loop.start()
        return loop
    }

    /// Stops it, and waits until its thread has ended.
    package func end() {
        stop()
        join()
    }
}
