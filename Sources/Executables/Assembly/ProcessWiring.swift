internal import Configuration
package import Runtime

/// Every object of one process, made once and handed to what needs it: what its frame starts.
package protocol ProcessWiring {
    associatedtype Settings: ProcessSettings

    /// The names of its loops; the first runs on the main thread.
    static func loopNames(_ settings: Settings) -> [String]

    /// Makes every object, and starts none.
    ///
    /// - Throws: why the process cannot start, with the exit code.
    init(_ frame: ProcessFrame<Settings>) throws(Component.StartFailure)

    var frame: ProcessFrame<Settings> { get }
    /// A check that found nothing wrong says its verdict.
    var gate: DatabaseGate { get }
    var topics: TopicGate { get }
    /// The time between the word of the end and the end.
    var notice: Duration { get }

    /// What lives, in the order it starts; asked for once.
    func components() -> [Component]

    /// What a check asks, in this order.
    func checks() -> [Component]
}

extension ProcessWiring {
    package var settings: Settings { frame.settings }
    package var isInsecureDev: Bool { frame.isInsecureDev }
    package var log: Log { frame.log }
    package var metrics: Metrics { frame.metrics }
    package var blocking: BlockingExecutor { frame.blocking }
    package var loops: [Loop] { frame.loops }
    package var loop: Loop { frame.loop }

    package var notice: Duration { .seconds(settings.node.noticeSeconds) }

    package func checks() -> [Component] { [gate.checkComponent, topics.component(on: loop)] }
}
