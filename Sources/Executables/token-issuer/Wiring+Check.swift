internal import Assembly
internal import Runtime

extension Wiring {
    /// Asks once what a start asks: the database, the topics, and what the projects need here.
    func check() -> ExitCode {
        let main = loops[0]
        for loop in loops.dropFirst() { loop.start() }
        let code = Lifecycle.check(
            on: main,
            log: log,
            [
                gate.checkComponent, topics.component(on: main),
                projectsComponent(refusesUnread: true),
            ]
        )
        for loop in loops.dropFirst() {
            loop.stop()
            loop.join()
        }
        writer.flush()
        return code
    }
}
